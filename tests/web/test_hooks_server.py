"""The door for senders, through the real web process: bodies that lie about their size, and a storm."""

import http.client
import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from incidents import folding
from incidents.models import Delivery, Incident, Source
from investigations.models import Investigation
from tests.db.sources import NOW, SECRET, an_alert, body_of, make_source

LIMIT = 2 * 1024 * 1024
HEADERS = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}


@pytest.fixture
def web(committed_db: None, start_web: Callable[..., str]) -> tuple[str, int]:
    make_source()
    address = urlsplit(start_web())
    assert address.hostname
    assert address.port
    return address.hostname, address.port


def post(web: tuple[str, int], body: bytes | Iterator[bytes], **headers: str) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection(*web, timeout=20)
    is_chunked = not isinstance(body, bytes)
    connection.request("POST", "/hooks/prometheus/", body, {**HEADERS, **headers}, encode_chunked=is_chunked)
    answer = connection.getresponse()
    told = json.loads(answer.read())
    connection.close()
    return answer.status, told


def test_a_chunked_body_over_the_limit_is_413_and_counted(web: tuple[str, int]) -> None:
    chunks = (b"x" * 65_536 for _ in range(40))
    status, _ = post(web, chunks, **{"Transfer-Encoding": "chunked"})
    assert status == 413
    source = Source.objects.get()
    assert (source.oversized_count, source.oversized_last_bytes) == (1, LIMIT + 1)
    assert source.oversized_last_sender


def test_a_declared_size_over_the_limit_is_413_before_the_body_is_sent(web: tuple[str, int]) -> None:
    with socket.create_connection(web, timeout=10) as raw:
        raw.sendall(
            b"POST /hooks/prometheus/ HTTP/1.1\r\nHost: localhost\r\n"
            + f"Authorization: Bearer {SECRET}\r\nContent-Length: 6000000000\r\n\r\n".encode()
        )
        assert raw.recv(100).startswith(b"HTTP/1.1 413 ")
    assert Source.objects.get().oversized_last_bytes == 6_000_000_000


def test_a_body_that_breaks_off_stores_nothing_and_the_next_is_taken(web: tuple[str, int]) -> None:
    with socket.create_connection(web, timeout=10) as raw:
        raw.sendall(
            b"POST /hooks/prometheus/ HTTP/1.1\r\nHost: localhost\r\n"
            + f"Authorization: Bearer {SECRET}\r\nContent-Length: 1000\r\n\r\nhalf".encode()
        )
    assert post(web, body_of(an_alert()))[0] == 202
    assert Delivery.objects.count() == 1


def test_a_chunked_body_within_the_limit_is_stored_whole(web: tuple[str, int]) -> None:
    body = body_of(an_alert())
    pieces = (body[place : place + 7] for place in range(0, len(body), 7))
    status, told = post(web, pieces, **{"Transfer-Encoding": "chunked"})
    assert status == 202
    assert bytes(Delivery.objects.get(pk=told["delivery"]).body) == body


def test_the_same_body_twenty_times_in_parallel_is_twenty_deliveries_and_one_incident(
    web: tuple[str, int],
) -> None:
    body = body_of(an_alert())
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: post(web, body), range(20)))
    assert [status for status, _ in answers] == [202] * 20
    numbers = [told["delivery"] for _, told in answers]
    assert len(set(numbers)) == 20

    def fold(number: int) -> None:
        from django.db import connection

        try:
            folding.fold(number, NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(fold, numbers))
    assert Delivery.objects.filter(state="folded").count() == 20
    assert Incident.objects.get().signal_count == 20
    assert Investigation.objects.count() == 1
