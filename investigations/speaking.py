"""One endpoint, spoken to on one occasion: each exchange permitted, masked, sent, kept and traced."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from django.utils import timezone

from investigations import asked, confidence, endpoint, replied, sightings, terms, transcripts
from investigations.asked import Wish
from investigations.budget import tokens_of, tokens_of_all
from investigations.endpoint import Answered, NoReply
from investigations.named import Endpoint
from investigations.states import Purpose
from investigations.talk import EndpointDown, EndpointRefused, Finish, Message, Reply, Spent, ToolOffer
from investigations.tracing import Span, span_of_chat
from investigations.transcripts import Keeper, Occasion, Part

_KEY_MASK = "[redacted: model key]"
_CLASSIFYING = (Purpose.CLASSIFIER, Purpose.CANDIDATE)  # the latter is compared with the former


class Speaker:
    """A Model. What it sends is exactly what its transcripts keep."""

    def __init__(self, place: Endpoint, occasion: Occasion, keeper: Keeper = transcripts) -> None:
        self._place, self._occasion, self._keeper = place, occasion, keeper
        self._step = keeper.count(occasion)
        self._said: dict[Message, tuple[Part, Mapping[str, Any]]] = {}
        self._kept: set[str] = set()
        self._sights = sightings.Sights()

    @property
    def name(self) -> str:
        """The endpoint's name in the settings."""
        return self._place.name

    def reply(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        tokens: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """Exchange once; the Model Protocol says the rest."""
        place = self._place
        # Asked anew each time: a word that is taken back ends what is running.
        if obstacle := terms.obstacle(place.host, is_local=place.is_local):
            raise EndpointRefused(f"The model endpoint {place.name} may not be used: {obstacle}.")
        wish = Wish(
            place.model,
            min(tokens or place.max_tokens, place.max_tokens),
            float(place.temperature),
            tools,
            schema,
            stream=on_text is not None and place.quirks.stream,
        )
        estimate = tokens_of_all(messages, tools) + (tokens_of(str(schema)) if schema else 0)
        sent = replied.Sent(estimate, wish.tokens, place.prices)
        said = [self._part(each) for each in messages]
        body = asked.body(wish, [each for _, each in said], place.quirks)
        opened = self._begin(body, [part for part, _ in said])
        with self._traced(wish.tokens) as span:
            span.asked(messages)
            answered = self._answered(opened, body, sent, on_text)
            reply = self._whole(answered, sent)
            self._keeper.end(opened, self._as_kept(reply), tries=answered.tries)
            reply = replace(reply, exchange=opened.id)
            span.replied(self._as_kept(reply))
        return reply

    def _as_kept(self, reply: Reply) -> Reply:
        """Return a reply as others may read it: of a classifier's, no word about its own confidence stays."""
        if self._occasion.purpose not in _CLASSIFYING:
            return reply
        return replace(reply, text=confidence.without(reply.text))

    @contextmanager
    def _traced(self, tokens: int) -> Iterator[Span]:
        place, on = self._place, self._occasion
        with span_of_chat(
            place.name, place.model, address=place.base_url, investigation=on.investigation, tokens=tokens
        ) as span:
            span.note(assay__purpose=on.purpose.value)
            yield span

    def _part(self, message: Message) -> tuple[Part, Mapping[str, Any]]:
        """Return a message as it is kept and sent; masked once, though it is said again at each step."""
        if message not in self._said:
            sent = asked.message(message, self._place.quirks)
            self._said[message] = (Part.of(sent), sent)
        return self._said[message]

    def _begin(self, body: Mapping[str, Any], said: Sequence[Part]) -> transcripts.Opened:
        # The schema may stand in a message of its own, behind what was said.
        parts = [*said, *(Part.of(each) for each in body["messages"][len(said) :])]
        request = {**body, "messages": [part.digest for part in parts]}
        for name in ("tools", "response_format"):
            if name in body:
                part = Part.of(body[name])
                request[name] = part.digest
                parts.append(part)
        new = {part.digest: part for part in parts if part.digest not in self._kept}
        self._step += 1
        opened = self._keeper.begin(
            self._occasion,
            endpoint=self._place.name,
            model=self._place.model,
            step=self._step,
            request=request,
            parts=new.values(),
        )
        self._kept |= set(new)
        return opened

    def _answered(
        self,
        opened: transcripts.Opened,
        body: Mapping[str, Any],
        sent: replied.Sent,
        on_text: Callable[[str], None] | None,
    ) -> Answered:
        read = partial(self._read, sent)
        try:
            return endpoint.complete(self._place, body, read=read, on_text=on_text)
        except NoReply as error:
            self._keeper.fail(opened, str(error), tries=error.tries, seconds=error.seconds)
            raise EndpointDown(str(error)) from None
        except Exception as error:
            # Whoever is shown the text may end the run in the middle of it.
            self._keeper.fail(opened, f"Given up by us ({type(error).__name__}).", tries=1, seconds=0)
            raise

    def _read(self, sent: replied.Sent, whole: Any) -> Reply:
        return _without(self._place.key, replied.reply(whole, self._place.quirks, sent))

    def _whole(self, answered: Answered, sent: replied.Sent) -> Reply:
        """Return the reply with its time; an error that refuses the content is a refusal like any other."""
        reply = answered.reply
        if reply is not None:
            self._sights.note(self._place, reply, timezone.now())
        if reply is None:
            refused = _without(self._place.key, Reply("", (), Finish.REFUSED, refusal=answered.refused))
            reply = replace(refused, model=self._place.model, spent=sent.prices.of(sent.asked, 0))
        spent = reply.spent
        return replace(
            reply, spent=Spent(spent.tokens_in, spent.tokens_out, spent.micros, round(answered.seconds, 3))
        )


def _without(key: str, reply: Reply) -> Reply:
    """Return the reply without our key, should the server have said it back."""
    if not key or key not in str(reply):
        return reply
    calls = tuple(
        replace(
            call, name=call.name.replace(key, _KEY_MASK), arguments=call.arguments.replace(key, _KEY_MASK)
        )
        for call in reply.calls
    )
    return replace(
        reply,
        text=reply.text.replace(key, _KEY_MASK),
        refusal=reply.refusal.replace(key, _KEY_MASK),
        model=reply.model.replace(key, _KEY_MASK),
        fingerprint=reply.fingerprint.replace(key, _KEY_MASK),
        calls=calls,
    )
