"""Whether an endpoint can do what the agent needs: it is asked for a few small things, and timed."""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from investigations import endpoints, terms
from investigations.contract import parsing
from investigations.named import Endpoint
from investigations.quirks import Tools
from investigations.states import Purpose
from investigations.talk import EndpointDown, EndpointRefused, Finish, Message, Model, Reply, Role, ToolOffer
from toolbox import schemas

_SLOW_SECONDS = 20.0
_TOKENS = 300
_FEW_TOKENS = 16
_NAMES = "LLM_BASE_URL, MODEL_ID and LLM_API_KEY"
_HOW = "docs/howto/connect-a-model.md"
_READY = "Answer with the one word: ready."
_TOOL = ToolOffer(
    "find_job",
    "Finds a job by its id and returns its state.",
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["job_id"],
        "properties": {"job_id": {"type": "string", "maxLength": 20}},
    },
)
_SHAPE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["color"],
    "properties": {"color": {"type": "string", "enum": ["red", "green"]}},
}
# As long as a run's draft may be: some servers end at such a shape, whatever the answer would have been.
_LONG_SHAPE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["draft"],
    "properties": {"draft": {"type": "string", "maxLength": 20_000}},
}


@dataclass(frozen=True, slots=True)
class Probed:
    """What one thing that was tried came to. `level` is `well`, `warning` or `failing`."""

    what: str
    level: str
    seen: str
    cure: str = ""

    def plain(self) -> dict[str, str]:
        """Return it as JSON holds it."""
        return asdict(self)


def silence(name: str) -> str:
    """Return in words why a named endpoint gives no reply now; nothing where it gives one.

    It is asked one thing. Never raises for what it does.
    """
    try:
        place = endpoints.endpoint_named(name)
        if obstacle := terms.obstacle(place.host, is_local=place.is_local):
            return f"The model endpoint {name} may not be used: {obstacle}."
        model = endpoints.model_for(Purpose.PROBE, investigation=None, incident=None, endpoint=name)
        _say(model, _READY)
    except (EndpointDown, EndpointRefused) as error:
        return str(error)
    return ""


def probe(name: str) -> list[Probed]:
    """Try a named endpoint: whether it answers and how fast, calls a tool, keeps to a schema.

    Each try is an exchange of its own, kept and paid for like any other. Never raises for what it does.
    """
    try:
        place = endpoints.endpoint_named(name)
        model = endpoints.model_for(Purpose.PROBE, investigation=None, incident=None, endpoint=name)
    except EndpointRefused as error:
        return [
            Probed("settings", "failing", str(error), "Correct it; docs/settings.md lists what it takes.")
        ]
    if obstacle := terms.obstacle(place.host, is_local=place.is_local):
        return [Probed("terms", "failing", obstacle, f"manage.py endpointterms record {place.host}")]
    return [_whose(place), *_tried(model, by_schema=place.quirks.tools is Tools.BY_SCHEMA)]


def _whose(place: Endpoint) -> Probed:
    word = None if place.is_local else terms.standing(place.host)
    if word is None:
        return Probed("terms", "well", "it is on this machine, so none are needed")
    return Probed("terms", "well", f"hosted by {word.hosted_by}, recorded by {word.recorded_by}")


def _tried(model: Model, *, by_schema: bool) -> Iterator[Probed]:
    answers, reply = _timed("reachable", lambda: _say(model, _READY))
    yield answers
    if reply is None:
        return
    yield _latency(reply)
    yield _seen("tools", lambda: _tool(model, by_schema=by_schema))
    yield _seen("schema", lambda: _shape(model))


def _timed(what: str, ask: Callable[[], Reply]) -> tuple[Probed, Reply | None]:
    began = time.monotonic()
    try:
        reply = ask()
    except (EndpointDown, EndpointRefused) as error:
        return Probed(what, "failing", str(error), f"Start it, or correct {_NAMES} ({_HOW})."), None
    seconds = time.monotonic() - began
    return Probed(what, "well", f"{reply.model or 'a model'} answers in {seconds:.1f} s"), reply


def _latency(reply: Reply) -> Probed:
    seconds = reply.spent.seconds
    seen = f"{seconds:.1f} s for {reply.spent.tokens_out} tokens"
    if seconds > _SLOW_SECONDS:
        return Probed(
            "latency",
            "warning",
            seen,
            "A run takes 10 to 30 replies: raise LLM_SECONDS, or use a faster one.",
        )
    return Probed("latency", "well", seen)


def _seen(what: str, look: Callable[[], Probed]) -> Probed:
    try:
        return look()
    except (EndpointDown, EndpointRefused) as error:
        cure = f"If it has ended, start it again. Set LLM_QUIRKS to the section for its kind ({_HOW})."
        return Probed(what, "failing", str(error), cure)


def _tool(model: Model, *, by_schema: bool) -> Probed:
    reply = _say(model, "Find the job j-17 with the tool find_job.", tools=[_TOOL])
    how = "by schema" if by_schema else "natively"
    if any(call.name == _TOOL.name and not _complaint(call.arguments, _TOOL.input) for call in reply.calls):
        return Probed("tools", "well", f"it calls a tool {how}, with arguments that fit")
    seen = f"it called {', '.join(call.name for call in reply.calls)[:100] or 'no tool'} ({reply.finish})"
    other = "" if by_schema else f", or the LLM_QUIRKS of such a server without tools ({_HOW})"
    return Probed("tools", "warning", seen, f"Runs may end as fallback. Use another model{other}.")


def _shape(model: Model) -> Probed:
    _say(model, 'Write a word on grass as JSON: {"draft": …}.', schema=_LONG_SHAPE, tokens=_FEW_TOKENS)
    reply = _say(model, 'Name the color of grass as JSON: {"color": …}.', schema=_SHAPE)
    wrong = _complaint(reply.text, _SHAPE)
    if not wrong and reply.finish is Finish.STOP:
        return Probed("schema", "well", "it answers in the shape that it is asked for")
    seen = wrong if reply.finish is Finish.STOP else f"its answer ended as {reply.finish}"
    return Probed(
        "schema",
        "warning",
        seen,
        "Runs may need repair or end as fallback. Set LLM_QUIRKS, or use another model.",
    )


def _complaint(text: str, schema: Any) -> str:
    try:
        return schemas.complaint(parsing.one_object(text), schema)
    except parsing.Unparsable as error:
        return str(error)


def _say(model: Model, words: str, *, tokens: int = _TOKENS, **more: Any) -> Reply:
    said = [Message(Role.SYSTEM, "You answer tersely and exactly."), Message(Role.USER, words)]
    return model.reply(said, tokens=tokens, **more)
