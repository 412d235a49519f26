"""What a model server sent, read into a Reply: strict where it matters, patient where they differ. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay_core import strictjson
from investigations.budget import Prices, tokens_of
from investigations.quirks import Quirks
from investigations.talk import Finish, Reply, Spent, ToolCall

_MOST_TOKENS = 10**9
_MOST_CALLS = 64
#: More than this of one reply is not listened to: at most half of it could be read (see contract.parsing).
MOST_TEXT = 400_000


class ReplyUnreadable(ValueError):
    """What came is no chat completion; the message says what is wrong with it."""


class ReplyTooLong(ReplyUnreadable):
    """What came goes on for longer than anything that is read of a reply."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What must be known of a request: about how many tokens it had, and how many it allowed."""

    asked: int
    allowed: int
    prices: Prices = field(default_factory=Prices)


def loads(raw: bytes) -> Any:
    """Return the JSON value of a body; raise ReplyUnreadable. NaN and Infinity are no JSON."""
    try:
        return json.loads(raw, parse_constant=strictjson.no_number)
    except (ValueError, RecursionError) as error:
        raise ReplyUnreadable(f"it is not JSON ({type(error).__name__})") from None


def reply(whole: Any, quirks: Quirks, sent: Sent, *, seconds: float = 0.0) -> Reply:
    """Read one completion; raise ReplyUnreadable for what is none.

    Reasoning beside the answer is not kept. A reply that used all the tokens it was allowed counts as cut
    off whatever it says of itself. Calls get ids of ours where they have none, or one that was there before.
    """
    if not isinstance(whole, Mapping):
        raise ReplyUnreadable("it is no JSON object")
    choices = whole.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, Mapping) or not isinstance(first.get("message"), Mapping):
        raise ReplyUnreadable("it has no choices[0].message")
    said = first["message"]
    text = _without_thinking(_text(said.get("content")), quirks)
    refusal = _text(said.get("refusal"))
    calls = _calls(said)
    spent, counted = _spent(whole, quirks, sent, answer=f"{text}{refusal}{calls}")
    finish = _finish(quirks.finish_of(first.get("finish_reason")), calls, refusal)
    is_cut = (counted and spent.tokens_out >= sent.allowed) or len(text) > MOST_TEXT
    if is_cut and finish is not Finish.REFUSED:
        finish = Finish.CUT_OFF
    return Reply(
        text=text[:MOST_TEXT],
        calls=calls,
        finish=finish,
        refusal=refusal,
        model=_name(whole.get("model")),
        fingerprint=_name(whole.get("system_fingerprint")),
        spent=Spent(spent.tokens_in, spent.tokens_out, spent.micros, seconds),
    )


def _finish(told: Finish, calls: Sequence[ToolCall], refusal: str) -> Finish:
    if refusal.strip():
        return Finish.REFUSED
    # Some servers say `stop` of a reply that calls tools.
    return Finish.TOOL_CALLS if told is Finish.STOP and calls else told


def _text(value: Any) -> str:
    """Return a text, or the texts of a list of parts; anything else is no text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = (
            part.get("text") for part in value if isinstance(part, Mapping) and part.get("type") == "text"
        )
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _name(value: Any) -> str:
    """Return a name that fits into a column: no NUL, no half of a character, not too long."""
    return "".join(each for each in _text(value)[:200] if each.isprintable())


def _without_thinking(text: str, quirks: Quirks) -> str:
    """Return the text after the reasoning that stands before it; what is never closed is all reasoning."""
    if len(quirks.thinking) != 2 or not text.lstrip().startswith(quirks.thinking[0]):
        return text
    return text.partition(quirks.thinking[1])[2].lstrip()


def _calls(said: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    made = said.get("tool_calls")
    if made is None and isinstance(said.get("function_call"), Mapping):
        made = [{"function": said["function_call"]}]  # the older form, which some servers still send
    if made is None:
        return ()
    if not isinstance(made, list) or len(made) > _MOST_CALLS:
        raise ReplyUnreadable(f"its tool_calls are no list of at most {_MOST_CALLS}")
    found: list[ToolCall] = []
    taken: set[str] = set()
    for each in made:
        call = _call(each, taken, len(found) + 1)
        taken.add(call.id)
        found.append(call)
    return tuple(found)


def _call(each: Any, taken: set[str], number: int) -> ToolCall:
    function = each.get("function") if isinstance(each, Mapping) else None
    if not isinstance(function, Mapping):
        raise ReplyUnreadable("one of its tool_calls has no function")
    given = _text(each.get("id"))[:200]
    while not given or given in taken:
        given = f"call_{number}"
        number += 1
    return ToolCall(given, _text(function.get("name")), _arguments(function.get("arguments")))


def _arguments(value: Any) -> str:
    """Return the arguments as text; a server that sends them as an object is taken at its word."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)


def _spent(whole: Mapping[str, Any], quirks: Quirks, sent: Sent, *, answer: str) -> tuple[Spent, bool]:
    """Return the tokens and their price, and whether the server counted what it gave out."""
    usage = whole.get("usage")
    told = usage if isinstance(usage, Mapping) else {}
    tokens_in, tokens_out = _count(told.get(quirks.usage_in)), _count(told.get(quirks.usage_out))
    counted = tokens_out > 0
    return sent.prices.of(tokens_in or sent.asked, tokens_out or tokens_of(answer)), counted


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MOST_TOKENS else 0


@dataclass(slots=True)
class Stream:
    """A completion that comes in events, put together again into one."""

    head: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, list[str]] = field(default_factory=lambda: {"content": [], "refusal": []})
    calls: list[dict[str, Any]] = field(default_factory=list)
    places: dict[Any, int] = field(default_factory=dict)
    finish: Any = None
    ended: bool = False
    size: int = 0  # of what was said, in characters

    def add(self, data: bytes) -> str:
        """Take in one event's data and return the text that it adds; raise ReplyUnreadable."""
        if data == b"[DONE]":
            self.ended = True
            return ""
        event = loads(data)
        if not isinstance(event, Mapping):
            raise ReplyUnreadable("one of its events is no JSON object")
        if event.get("error"):
            raise ReplyUnreadable("an error came in the middle of it")
        self.head |= {
            name: event[name] for name in ("model", "system_fingerprint", "usage") if event.get(name)
        }
        choices = event.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else {}
        if not isinstance(first, Mapping):
            raise ReplyUnreadable("one of its events has a choice that is no object")
        # The first word stands: what was cut off is not whole because another event says so.
        self.finish = self.finish or first.get("finish_reason")
        delta = first.get("delta")
        said = self._take(delta) if isinstance(delta, Mapping) else ""
        if self.size > MOST_TEXT:
            self.cut()
        return said

    def cut(self) -> None:
        """End it here, as a reply that was cut off: what came is more than is read of one."""
        self.finish, self.ended = "length", True

    def _take(self, delta: Mapping[str, Any]) -> str:
        for name, texts in self.parts.items():
            texts.append(_text(delta.get(name)))
            self.size += len(texts[-1])
        pieces = delta.get("tool_calls")
        for piece in pieces if isinstance(pieces, list) else ():
            if not isinstance(piece, Mapping):
                raise ReplyUnreadable("one of its events has a tool call that is no object")
            self._take_call(piece)
        return self.parts["content"][-1]

    def _take_call(self, piece: Mapping[str, Any]) -> None:
        """Add a piece to its call: that of its index, unless it names another id, which begins a call."""
        index, given = piece.get("index"), piece.get("id")
        if not isinstance(index, int | str | None):
            raise ReplyUnreadable("one of its events has a tool call whose place is no number")
        place = self.places.get(index) if index is not None else (len(self.calls) - 1 if self.calls else None)
        if place is None or (given and self.calls[place]["id"] not in (None, given)):
            self.calls.append({"id": given, "function": {"name": "", "arguments": None}})
            place = len(self.calls) - 1
        self.places[index] = place
        call = self.calls[place]
        call["id"] = call["id"] or given
        function = piece.get("function")
        if isinstance(function, Mapping):
            told, more = call["function"]["name"], _text(function.get("name"))
            # Some say the name again with each piece, and some in pieces: what begins a name is not the tool.
            call["function"]["name"] = told if more == told else told + more
            if function.get("arguments") is not None:
                more = _arguments(function["arguments"])
                self.size += len(more)
                call["function"]["arguments"] = (call["function"]["arguments"] or "") + more

    def whole(self) -> dict[str, Any]:
        """Return the completion; raise ReplyUnreadable where the stream broke off before its end."""
        if self.finish is None and not self.ended:
            raise ReplyUnreadable("it broke off in the middle")
        message = {name: "".join(texts) for name, texts in self.parts.items()}
        if self.calls:
            message["tool_calls"] = self.calls  # type: ignore[assignment]  # one key holds a list
        return {**self.head, "choices": [{"message": message, "finish_reason": self.finish}]}
