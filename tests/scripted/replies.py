"""What a scripted endpoint answers, as small values."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Scripted:
    """One reply. `message` is the assistant's; what is set further down changes how it is sent."""

    message: Mapping[str, Any] = field(default_factory=dict)
    finish: str | None = "stop"
    usage: Mapping[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    )
    model: str = "scripted-1"
    fingerprint: str = "fp_scripted"
    status: int = 200
    body: Any = None  # sent in place of a completion
    raw: bytes | None = None  # sent in place of everything, status line included
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0  # waited before the first byte
    between: float = 0.0  # waited before each further byte
    until: threading.Event | None = None  # waited for in the middle, where there are waits between bytes
    drop_after: int | None = None  # bytes of the body, after which the connection is closed
    garbage: bytes = b""  # put in the middle: of the body, or of the stream of events


def says(text: str | None, **more: Any) -> Scripted:
    """Answer with a text."""
    return Scripted({"role": "assistant", "content": text}, **more)


def calls(*wanted: tuple[str, str | None], text: str | None = None, **more: Any) -> Scripted:
    """Ask for tools: each a name and the text of its arguments; None leaves the arguments out."""
    made = []
    for number, (name, arguments) in enumerate(wanted, start=1):
        function = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
        made.append({"id": f"call_{number}", "type": "function", "function": function})
    sent = {"role": "assistant", "content": text, "tool_calls": made}
    return Scripted(sent, **{"finish": "tool_calls", **more})


def message(sent: Mapping[str, Any], *, finish: str | None = "stop", **more: Any) -> Scripted:
    """Answer with an assistant's message exactly as it is given here."""
    return Scripted(sent, finish=finish, **more)


def cut_off(text: str, *, finish: str = "length") -> Scripted:
    """Answer with a text that the token limit cut; the servers have several words for it."""
    return says(text, finish=finish)


def finishing(reply: Scripted, finish: str | None) -> Scripted:
    """Give another reason for the end of a reply."""
    return replace(reply, finish=finish)


def refuses(text: str, *, finish: str = "stop") -> Scripted:
    """Refuse, in the field that is meant for it."""
    return Scripted({"role": "assistant", "content": None, "refusal": text}, finish=finish)


def status(code: int, *, retry_after: float | str | None = None, body: Any = None) -> Scripted:
    """Answer with an HTTP status and an error's body."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    said = {"error": {"message": f"scripted {code}", "type": "scripted"}} if body is None else body
    return Scripted(status=code, body=said, headers=headers)


def slow(seconds: float, reply: Scripted) -> Scripted:
    """Wait before the first byte."""
    return replace(reply, seconds=seconds)


def dribbles(between: float, reply: Scripted) -> Scripted:
    """Send it byte by byte, waiting before each."""
    return replace(reply, between=between)


def halts(until: threading.Event, between: float, reply: Scripted) -> Scripted:
    """Send half of it byte by byte; the rest once something has happened, or after a minute."""
    return replace(reply, until=until, between=between)


def drops_after(count: int, reply: Scripted | None = None) -> Scripted:
    """Close the connection after so many bytes of the body."""
    return replace(reply or says("This answer never comes to its end."), drop_after=count)


def garbles(
    reply: Scripted, garbage: bytes = b'data: {"choices": [{"delta": {"content": "br\n\n'
) -> Scripted:
    """Put bytes in the middle that no reader can make sense of."""
    return replace(reply, garbage=garbage)


def raw(content: bytes) -> Scripted:
    """Send exactly these bytes, status line included, and close."""
    return Scripted(raw=content)


def whole(body: Any, *, code: int = 200) -> Scripted:
    """Answer with this JSON in place of a completion."""
    return Scripted(body=body, status=code)
