"""An endpoint on a real socket: repeated within its time, nothing read that is no reply, no key told on."""

import logging
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from investigations import endpoint, quirks, replied
from investigations.endpoint import NoReply
from investigations.named import Endpoint
from investigations.replied import Sent
from investigations.talk import Finish
from tests import scripted
from tests.fakes import tls
from tests.fakes.server import Asked
from tests.fakes.server import Reply as Plain
from tests.scripted import (
    Script,
    Scripted,
    calls,
    cut_off,
    dribbles,
    drops_after,
    garbles,
    raw,
    refuses,
    says,
    slow,
    status,
    whole,
)

KEY = "key-that-nobody-else-may-see"
GENERIC = quirks.named("")
SENT = Sent(asked=10, allowed=500)


class Asking:
    """One scripted endpoint, asked once."""

    def __init__(self, script: Script, **more: Any) -> None:
        self.script, self.more = script, more
        self.requests: list[scripted.Request] = []
        self.shown: list[str] = []

    def answered(self, *, stream: bool = False) -> endpoint.Answered:
        with scripted.endpoint(self.script) as server:
            more = {"backoff": 0.01, "seconds": 5.0, "total_seconds": 10.0, **self.more}
            place = Endpoint("default", server.url, "m", GENERIC, key=KEY, **more)
            body = {"model": "m", "messages": [], **({"stream": True} if stream else {})}
            try:
                return endpoint.complete(
                    place,
                    body,
                    read=lambda said: replied.reply(said, GENERIC, SENT),
                    on_text=self.shown.append,
                )
            finally:
                self.requests = server.requests

    def refusal(self, *, stream: bool = False) -> str:
        with pytest.raises(NoReply) as caught:
            self.answered(stream=stream)
        return str(caught.value)


@pytest.mark.parametrize(
    ("code", "words"),
    [(400, "400"), (401, "check its key"), (403, "check its key"), (404, "base URL and model"), (422, "422")],
)
def test_an_error_that_stays_is_told_at_once(code: int, words: str) -> None:
    asking = Asking([status(code)])
    assert words in asking.refusal()
    assert len(asking.requests) == 1


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 529])
def test_an_error_that_passes_is_waited_out(code: int) -> None:
    answered = Asking([status(code), status(code), says("here")]).answered()
    assert answered.reply is not None
    assert (answered.reply.text, answered.tries) == ("here", 3)


def test_an_error_that_does_not_pass_is_tried_so_often_and_no_more() -> None:
    asking = Asking(lambda _: status(503), tries=3)
    assert "the last of 3 tries" in asking.refusal()
    assert len(asking.requests) == 3


def test_the_pause_that_a_server_asks_for_is_kept() -> None:
    asking = Asking([status(429, retry_after=0.3), says("here")])
    asking.answered()
    assert asking.requests[1].at - asking.requests[0].at >= 0.3


def test_a_pause_longer_than_all_the_time_is_not_begun() -> None:
    began = time.monotonic()
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    for pause in (3600, later, "1" * 400):
        assert "leave no time for another" in Asking([status(429, retry_after=pause)]).refusal()
    assert time.monotonic() - began < 4.5


@pytest.mark.parametrize("pause", ["soon", "-1", "nan", "", "٣"])
def test_a_pause_that_is_none_is_replaced_by_ours(pause: str) -> None:
    assert Asking([status(503, retry_after=pause), says("here")]).answered().tries == 2


BROKEN = [
    raw(b""),
    raw(b"HTTP/1.1 200"),
    raw(b"\x00\x01\x02 this is not HTTP\r\n\r\n"),
    raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
    raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}"),
    raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
    raw(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"),
    drops_after(0),
    drops_after(40),
    garbles(says("never read")),
    whole({"error": {"message": "overloaded", "code": 503}}),
    whole([]),
    whole(b"<html>a gateway's page</html>"),
]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("broken", BROKEN, ids=range(len(BROKEN)))
def test_what_is_no_reply_is_asked_for_again_and_never_read_as_one(broken: Scripted, stream: bool) -> None:
    asking = Asking(lambda request: broken if request.number == 0 else says("here"))
    answered = asking.answered(stream=stream)
    assert answered.reply is not None
    assert (answered.reply.text, answered.tries) == ("here", 2)


def test_a_server_that_says_nothing_is_given_up_in_time() -> None:
    began = time.monotonic()
    assert "longer than 0.2 s" in Asking(lambda _: slow(5, says("x")), seconds=0.2, tries=2).refusal()
    assert time.monotonic() - began < 4.5


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_one_byte_after_the_other_does_not_stretch_a_request(stream: bool) -> None:
    began = time.monotonic()
    words = Asking(lambda _: dribbles(0.05, says("x" * 200)), seconds=0.3, tries=1).refusal(stream=stream)
    assert "longer than 0.3 s" in words
    assert time.monotonic() - began < 4.5


def test_headers_that_come_one_byte_after_the_other_do_not_stretch_a_request() -> None:
    with scripted.endpoint([]) as server:

        def drip(connection: socket.socket, _: Asked) -> None:
            for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 200:
                connection.sendall(bytes([byte]))
                server.sleep(0.05)

        server.answer_with(drip)
        place = Endpoint("default", server.url, "m", GENERIC, seconds=0.3, tries=1)
        began = time.monotonic()
        with pytest.raises(NoReply, match=r"longer than 0\.3 s"):
            endpoint.complete(place, {}, read=lambda said: replied.reply(said, GENERIC, SENT))
        assert time.monotonic() - began < 4.5


def test_all_tries_share_one_time() -> None:
    began = time.monotonic()
    script: Script = lambda _: slow(5, says("x"))  # noqa: E731 a script is a value
    Asking(script, seconds=4.0, total_seconds=0.4, tries=9).refusal()
    assert time.monotonic() - began < 4.5


def test_nobody_at_the_address_is_said_in_words() -> None:
    place = Endpoint("critic", "http://127.0.0.1:9/v1", "m", GENERIC, key=KEY, tries=2, backoff=0.01)
    with pytest.raises(NoReply, match=r"endpoint critic \(127\.0\.0\.1:9\) gave no reply: nobody answers"):
        endpoint.complete(place, {}, read=lambda said: replied.reply(said, GENERIC, SENT))


def test_a_redirect_is_not_followed() -> None:
    with scripted.endpoint([says("stolen")]) as other:
        moved = Scripted(status=307, body={}, headers={"Location": f"{other.url}/chat/completions"})
        assert "redirects (307)" in Asking([moved]).refusal()
        assert other.requests == []


def test_a_packed_reply_is_not_unpacked() -> None:
    packed = raw(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}")
    assert "packed, which nobody asked for" in Asking(lambda _: packed, tries=1).refusal()


def test_more_than_a_reply_may_hold_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "MOST_BYTES", 10_000)
    for stream in (False, True):
        assert "longer than 10000 bytes" in Asking(lambda _: says("x" * 20_000), tries=1).refusal(
            stream=stream
        )


@pytest.fixture
def _logged_at_debug(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.DEBUG):
        yield


@pytest.mark.usefixtures("_logged_at_debug")
@pytest.mark.parametrize("code", [400, 401, 500])
def test_the_key_is_in_no_error_and_no_log_though_the_server_says_it_back(
    code: int, caplog: pytest.LogCaptureFixture
) -> None:
    said = {"error": {"message": f"Incorrect key {KEY}\r\n\x1b[31m provided", "code": [KEY]}}
    asking = Asking(lambda _: status(code, body=said), tries=2)
    words = asking.refusal()
    assert asking.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in words + caplog.text
    assert "\x1b" not in words
    assert "Incorrect key" in words


def test_the_key_goes_into_the_header_that_the_server_reads_and_an_error_in_a_list_is_shown() -> None:
    with scripted.endpoint([status(400, body=[{"error": {"message": "not like this"}}])]) as server:
        place = Endpoint("default", server.url, "m", quirks.named("azure"), key=KEY)
        with pytest.raises(NoReply, match="not like this"):
            endpoint.complete(place, {}, read=lambda said: replied.reply(said, GENERIC, SENT))
        assert server.requests[0].headers["api-key"] == KEY
        assert "authorization" not in server.requests[0].headers


def test_an_error_that_refuses_the_content_is_a_refusal_and_not_repeated() -> None:
    asking = Asking([status(400, body={"error": {"message": "not that", "code": "content_filter"}})])
    answered = asking.answered()
    assert (answered.reply, answered.refused) == (None, "not that")


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_reply_is_the_same_however_it_comes(stream: bool) -> None:
    script = [
        says("Grüße, 🦊 and more than seven letters"),
        calls(
            ("find_job", '{"job_id": "j-1"}'), ("count", '{"since": "2026-01-01T00:00:00Z"}'), ("bare", None)
        ),
        cut_off('{"hypothesis": "par'),
        refuses("I will not."),
    ]
    found = [Asking([reply]).answered(stream=stream).reply for reply in script]
    assert [(each.text, each.finish) for each in found if each] == [
        ("Grüße, 🦊 and more than seven letters", Finish.STOP),
        ("", Finish.TOOL_CALLS),
        ('{"hypothesis": "par', Finish.CUT_OFF),
        ("", Finish.REFUSED),
    ]
    made = found[1].calls if found[1] else ()
    assert [(call.id, call.name, call.arguments) for call in made] == [
        ("call_1", "find_job", '{"job_id": "j-1"}'),
        ("call_2", "count", '{"since": "2026-01-01T00:00:00Z"}'),
        ("call_3", "bare", ""),
    ]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_the_text_is_shown_as_it_comes(stream: bool) -> None:
    asking = Asking([says("some words that are shown")])
    asking.answered(stream=stream)
    assert "".join(asking.shown) == "some words that are shown"
    assert (len(asking.shown) > 1) is stream


def test_what_was_shown_before_a_reply_broke_off_is_not_shown_twice() -> None:
    words = "<think>hm</think>some words that are shown" * 2
    asking = Asking([drops_after(1_500, says(words)), garbles(says(words)), says(words)])
    answered = asking.answered(stream=True)
    assert answered.tries == 3
    assert answered.reply is not None
    assert "".join(asking.shown) == answered.reply.text == words.partition("</think>")[2]
    assert len(asking.shown) > 2


def test_a_certificate_that_nobody_vouches_for_is_refused_and_one_of_a_named_authority_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tls.make_certificate(tmp_path)
    message = {"choices": [{"message": {"content": "ready"}, "finish_reason": "stop"}]}
    server = tls.TlsServer(lambda _: Plain(body=message), folder)
    place = Endpoint("default", f"{server.url}/v1", "m", GENERIC, key=KEY, tries=1, seconds=5)

    def asked() -> endpoint.Answered:
        endpoint._tls.cache_clear()
        return endpoint.complete(place, {}, read=lambda said: replied.reply(said, GENERIC, SENT))

    try:
        with pytest.raises(NoReply, match="certificate verify failed"):
            asked()
        assert server.asked == []
        monkeypatch.setenv("SSL_CERT_FILE", str(folder / "cert.pem"))
        assert asked().reply is not None
        server.fault = _silent
        began = time.monotonic()
        place = replace(place, seconds=0.3)
        with pytest.raises(NoReply, match=r"longer than 0\.3 s"):
            asked()
        assert time.monotonic() - began < 4.5
    finally:
        server.close()
        endpoint._tls.cache_clear()


def _silent(connection: socket.socket, _: Asked) -> None:
    """Send a header that never ends, one byte after the other, until the other side hangs up."""
    for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 200:
        connection.sendall(bytes([byte]))
        time.sleep(0.05)  # the server's own pace: nobody waits for it
