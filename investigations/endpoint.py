"""The one module that speaks HTTP to a model: one chat completion, with repetitions, within its time.

No redirect is followed, no more is read than a reply may hold, and one byte a second does not stretch a
request: a watch shuts its socket. What a server says is shown without its secrets, and never the key.
"""

import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from typing import Any

import httpx

from investigations import failures
from investigations.failures import Failed, Refused
from investigations.named import Endpoint
from investigations.replied import ReplyTooLong, ReplyUnreadable, Stream, loads
from investigations.streamed import Shown, events
from investigations.talk import EndpointDown, Reply
from toolbox import redaction

MOST_BYTES = 8 * 1024 * 1024
_CONNECT_SECONDS = 10.0
_MOST_BACKOFF = 30.0


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply, after how many requests and how long. Without one, `refused` holds the error that refused."""

    reply: Reply | None
    tries: int
    seconds: float
    refused: str = ""


class NoReply(EndpointDown):
    """As its base says; with how often it was tried and how long that took."""

    def __init__(self, sentence: str, *, tries: int, seconds: float) -> None:
        super().__init__(sentence)
        self.tries, self.seconds = tries, seconds


def complete(
    endpoint: Endpoint,
    body: Mapping[str, Any],
    *,
    read: Callable[[Any], Reply],
    on_text: Callable[[str], None] | None = None,
) -> Answered:
    """Ask for one completion; streamed where the body says so, its text then given to `on_text`.

    `read` turns what came into a Reply, or raises ReplyUnreadable.

    Repeats what may pass (429, 5xx, a broken connection or reply) with growing pauses, or those that the
    server asks for, until the endpoint's tries or its time are spent. What was shown before a reply broke
    off is not shown twice. Raises NoReply.
    """
    content = json.dumps(body, separators=(",", ":")).encode("ascii")
    began = time.monotonic()
    end = began + endpoint.total_seconds
    shown = Shown(on_text, endpoint.quirks.thinking)
    for number in range(1, endpoint.tries + 1):
        try:
            reply = _once(_Request(endpoint, content, read, shown, end))
            return Answered(reply, number, time.monotonic() - began)
        except Refused as refused:
            return Answered(None, number, time.monotonic() - began, refused=str(refused))
        except Failed as failed:
            pause = failed.pause if failed.pause is not None else _backoff(endpoint, number)
            reason = _why_no_more(failed, endpoint, number, pause, end)
            if reason:
                sentence = f"The model endpoint {endpoint.name} ({endpoint.host}) gave no reply: {reason}"
                raise NoReply(sentence, tries=number, seconds=time.monotonic() - began) from None
        time.sleep(pause)
        shown.begin_again()
    raise AssertionError("the last try either answers or raises")


def _why_no_more(failed: Failed, endpoint: Endpoint, number: int, pause: float, end: float) -> str:
    """Return why it is not tried again, or an empty text where it is."""
    if not failed.again:
        return f"{failed}."
    if number >= endpoint.tries:
        return f"{failed} (the last of {number} tries)."
    if time.monotonic() + pause >= end:
        return f"{failed}, and {endpoint.total_seconds:g} s for all tries leave no time for another."
    return ""


def _backoff(endpoint: Endpoint, number: int) -> float:
    longest = min(endpoint.backoff * 2.0 ** (number - 1), _MOST_BACKOFF)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 spreads callers, hides nothing


@dataclass(frozen=True, slots=True)
class _Request:
    """What each of the tries has in common."""

    endpoint: Endpoint
    content: bytes
    read: Callable[[Any], Reply]
    shown: Shown
    end: float


def _once(request: _Request) -> Reply:
    endpoint = request.endpoint
    left = min(endpoint.seconds, request.end - time.monotonic())
    until = time.monotonic() + left
    try:
        with (
            _Watch(left) as watch,
            _client(endpoint, left) as client,
            _posted(client, request, watch) as response,
        ):
            _refuse_failures(response, endpoint, until)
            if _is_events(response):
                return request.read(_streamed(response, until, request.shown))
            reply = request.read(loads(_body(response, until)))
            request.shown.add(reply.text)
            return reply
    except ReplyUnreadable as error:
        late = time.monotonic() >= until - 0.01
        sentence = f"it took longer than {left:.3g} s" if late else f"what it sent cannot be read: {error}"
        raise Failed(sentence, again=True) from None
    except (httpx.TimeoutException, httpx.TransportError, httpx.DecodingError, TimeoutError) as error:
        if time.monotonic() >= until - 0.01 or isinstance(error, httpx.ReadTimeout | TimeoutError):
            raise Failed(f"it took longer than {left:.3g} s", again=True) from None
        raise Failed(_in_words(error), again=True) from None
    except (httpx.InvalidURL, UnicodeError):
        raise Failed("its address cannot be used", again=False) from None


def _in_words(error: Exception) -> str:
    if isinstance(error, httpx.ConnectError):
        reason = redaction.text(str(error))[: failures.MOST_SHOWN]
        return f"nobody answers at its address ({reason})"
    return f"the connection broke off ({type(error).__name__})"


@cache
def _tls() -> SSLContext:
    """Return what certificates are checked with; reading the list takes longer than many a reply."""
    return httpx.create_ssl_context()


def _client(endpoint: Endpoint, seconds: float) -> httpx.Client:
    return httpx.Client(
        verify=_tls(),
        follow_redirects=False,
        # A company's proxy leads out; what is on this machine is not sent there.
        trust_env=not endpoint.is_local,
        timeout=httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)),
    )


@contextmanager
def _posted(client: httpx.Client, request: _Request, watch: "_Watch") -> Iterator[httpx.Response]:
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Accept-Encoding": "identity",
        "User-Agent": "assay",
    }
    endpoint = request.endpoint
    if endpoint.key:
        headers[endpoint.quirks.key_header] = f"{endpoint.quirks.key_prefix}{endpoint.key}"
    with client.stream(
        "POST",
        f"{endpoint.base_url}/chat/completions",
        content=request.content,
        headers=headers,
        extensions={"trace": watch.note},
    ) as response:
        yield response


class _Watch:
    """Shuts the sockets of one request when its time is over, wherever it is reading then."""

    def __init__(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._shut)
        self._timer.daemon = True
        self._sockets: list[socket.socket] = []
        self._is_over = False

    def __enter__(self) -> "_Watch":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def note(self, event: str, told: Mapping[str, Any]) -> None:
        """Learn of a new connection; httpx calls this at each stage of a request."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            connection = told["return_value"].get_extra_info("socket")
            if isinstance(connection, socket.socket):
                self._sockets.append(connection)
                if self._is_over:  # looking up the name took all the time
                    self._shut()

    def _shut(self) -> None:
        self._is_over = True
        for connection in self._sockets:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def _chunks(response: httpx.Response, until: float) -> Iterator[bytes]:
    """Yield the body as it comes; raise ReplyUnreadable once it is too long, TimeoutError once it is late."""
    if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("identity", ""):
        raise ReplyUnreadable("it is packed, which nobody asked for")
    size = 0
    for chunk in response.iter_raw():
        size += len(chunk)
        if size > MOST_BYTES:
            raise ReplyTooLong(f"it is longer than {MOST_BYTES} bytes")
        yield chunk
        if time.monotonic() >= until:
            raise TimeoutError


def _body(response: httpx.Response, until: float) -> bytes:
    return b"".join(_chunks(response, until))


def _is_events(response: httpx.Response) -> bool:
    kind: str = response.headers.get("Content-Type", "")
    return kind.partition(";")[0].strip().lower() == "text/event-stream"


def _streamed(response: httpx.Response, until: float, shown: Shown) -> dict[str, Any]:
    stream = Stream()
    try:
        for data in events(_chunks(response, until)):
            shown.add(stream.add(data))
            if stream.ended:
                break
    except ReplyTooLong:
        if not stream.size:
            raise
        stream.cut()  # the server is well, and its model does not stop: asked again it would not either
    return stream.whole()


def _refuse_failures(response: httpx.Response, endpoint: Endpoint, until: float) -> None:
    """Raise Failed, or Refused, for every status but 200."""
    if response.status_code == 200:
        return
    try:
        said = loads(_body(response, until))
    except (ReplyUnreadable, TimeoutError):
        said = None
    failures.refuse(response.status_code, said, response.headers.get("Retry-After", ""), endpoint)
