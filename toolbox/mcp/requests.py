"""One HTTP request to the MCP address as the door looks at it: headers, a bounded body, what it asks for."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from pydantic import ValidationError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIScope = MutableMapping[str, Any]
App = Callable[[ASGIScope, Receive, Send], Awaitable[None]]


_REQUEST = frozenset({"jsonrpc", "id", "method", "params"})


class TooLarge(Exception):
    """The body is, or says that it is, longer than what is taken."""


class Vanished(Exception):
    """The client went away, or sent its body too slowly."""


class Malformed(Exception):
    """The body is no message. `code` is JSON-RPC's; the words are for whoever sent it."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said)
        self.code = code


class _Doubled(ValueError):
    """An object names one thing twice."""


@dataclass(frozen=True, slots=True)
class Headers:
    """The headers of a request. One that stands there twice has no value that could be trusted."""

    values: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, scope: ASGIScope) -> "Headers":
        """Read a request's headers."""
        found: dict[str, tuple[str, ...]] = {}
        for raw_name, raw_value in scope["headers"]:
            name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1").strip()
            found[name] = (*found[name], value) if name in found else (value,)
        return cls(found)

    def one(self, name: str) -> str:
        """Return the value of a header that stands there once; an empty text otherwise."""
        values = self.values.get(name, ())
        return values[0] if len(values) == 1 else ""

    def stands(self, name: str) -> bool:
        """Say whether the header is there at all."""
        return name in self.values

    def twice(self, names: Iterable[str]) -> str:
        """Return the first of these headers that stands there more than once, or an empty text."""
        return next((name for name in names if len(self.values.get(name, ())) > 1), "")

    def bearer(self) -> str:
        """Return the bearer token, or an empty text."""
        scheme, _, token = self.one("authorization").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else ""


async def body_of(receive: Receive, headers: Headers, *, most: int, seconds: float) -> bytes:
    """Read the whole body. Raises TooLarge and Vanished."""
    declared = headers.one("content-length")
    if declared.isdecimal() and int(declared) > most:
        raise TooLarge
    try:
        async with asyncio.timeout(seconds):
            return await _read(receive, most)
    except TimeoutError:
        raise Vanished from None


async def _read(receive: Receive, most: int) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Vanished
        body += message.get("body", b"")
        if len(body) > most:
            raise TooLarge
        if not message.get("more_body", False):
            return bytes(body)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a stream that gives the body at once, and then what still comes."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def message_in(body: bytes) -> Mapping[str, Any]:
    """Return the one JSON-RPC message of a body. Raises Malformed.

    A name that stands twice in an object means one thing here and another elsewhere, so it is refused.
    """
    try:
        whole = _DECODER.decode(body.decode(json.detect_encoding(body), "surrogatepass"))
    except _Doubled as doubled:
        raise Malformed(types.INVALID_REQUEST, f"An object names {doubled} twice.") from None
    except (ValueError, RecursionError):
        raise Malformed(types.PARSE_ERROR, "The body is not JSON.") from None
    try:
        if not _is_plainly_a_request(whole):
            types.jsonrpc_message_adapter.validate_python(whole, by_name=False)
            _refuse_strange_id(whole)
    except (ValidationError, TypeError):
        said = "The body is not one JSON-RPC 2.0 message: an object with jsonrpc, id, method and params."
        raise Malformed(types.INVALID_REQUEST, said) from None
    message: Mapping[str, Any] = whole
    return message


def _is_plainly_a_request(whole: Any) -> bool:
    """Say yes to what most messages are; no says nothing."""
    return (
        type(whole) is dict
        and whole.keys() == _REQUEST
        and whole["jsonrpc"] == "2.0"
        and type(whole["id"]) in (int, str)
        and type(whole["method"]) is str
        and type(whole["params"]) is dict
    )


def _refuse_strange_id(message: Mapping[str, Any]) -> None:
    """A request whose id is no id would be taken for a notification, which nobody answers."""
    given = message.get("id", "")
    if "method" in message and (isinstance(given, bool) or not isinstance(given, str | int)):
        raise TypeError


def called_tool(message: Mapping[str, Any]) -> str:
    """Return the name of the tool that a `tools/call` names; an empty text for anything else."""
    if message.get("method") != "tools/call":
        return ""
    params = message.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    return name if isinstance(name, str) else ""


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole = dict(pairs)
    if len(whole) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Doubled(ascii(twice[:60]))
    return whole


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON's")


# One for all: json.loads would make one for every message.
_DECODER = json.JSONDecoder(object_pairs_hook=_without_doubles, parse_constant=_no_number)


async def answer(send: Send, status: int, told: Mapping[str, Any], **headers: str) -> None:
    """Send a small JSON answer. Header names are written with _ for -."""
    body = json.dumps(told).encode()
    whole = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "cache-control": "no-store",
    }
    whole |= {name.replace("_", "-"): value for name, value in headers.items()}
    raw = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in whole.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
