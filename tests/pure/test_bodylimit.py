"""The limit on request bodies."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from triage.bodylimit import Message, Receive, Send, limit_bodies

LIMIT = 10


def seen_by_application(
    *pieces: bytes, path: str = "/hooks/a/", headers: tuple[tuple[bytes, bytes], ...] = ()
) -> tuple[bytes, str, int]:
    """Return the body that arrives, the type of the message after it, and how many messages were read."""
    messages: list[Message] = [
        {"type": "http.request", "body": piece, "more_body": place < len(pieces) - 1}
        for place, piece in enumerate(pieces)
    ]
    messages.append({"type": "http.disconnect"})
    count = len(messages)
    arrived: dict[str, Any] = {}

    async def application(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body += message["body"]
            more = message["more_body"]
        arrived["read"] = count - len(messages)
        arrived["body"] = body
        arrived["after"] = (await receive())["type"]

    async def receive() -> Message:
        return messages.pop(0)

    async def send(message: Message) -> None:
        raise AssertionError(message)

    scope = {"type": "http", "path": path, "headers": headers}

    async def run() -> None:
        await limit_bodies(application, prefix="/hooks/", limit=LIMIT)(scope, receive, send)

    asyncio.run(run())
    return arrived["body"], arrived["after"], arrived["read"]


def test_a_stream_without_end_is_read_to_one_byte_over_the_limit() -> None:
    assert seen_by_application(*[b"xxxx"] * 1_000) == (b"x" * (LIMIT + 1), "http.disconnect", 3)


def test_one_huge_piece_is_cut() -> None:
    assert seen_by_application(b"x" * 1_000)[0] == b"x" * (LIMIT + 1)


def test_a_body_that_declares_itself_too_large_is_not_read_at_all() -> None:
    declared = ((b"content-length", b"11"),)
    assert seen_by_application(b"xxxx", b"xxxx", b"xxx", headers=declared) == (b"", "http.disconnect", 0)


@pytest.mark.parametrize("declared", [b"10", b"3", b"-1", b"nonsense", b""])
def test_a_body_within_the_limit_arrives_whole_whatever_it_declares(declared: bytes) -> None:
    headers = ((b"content-length", declared),)
    assert seen_by_application(b"xxxxx", b"", b"yyyyy", headers=headers)[:2] == (
        b"xxxxxyyyyy",
        "http.disconnect",
    )


def test_other_addresses_are_left_alone() -> None:
    assert seen_by_application(b"x" * 1_000, path="/incidents/1/close/")[0] == b"x" * 1_000
