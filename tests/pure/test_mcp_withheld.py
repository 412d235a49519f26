"""An answer that is made before its entry is there: no byte of it is sent before, and none without it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from toolbox.mcp.requests import Message
from toolbox.mcp.withheld import Coming, Withheld

MADE = '{{"id":7,"result":{{"entry":{0},"text":"{0}"}}}}'
INSTEAD = {"error": {"code": -32603, "message": "told in its place"}}


def told_instead(_: Exception) -> Mapping[str, Any]:
    return INSTEAD


async def made_for(
    entry: Awaitable[int],
    sent: list[Message],
    body_of: Callable[[int], str] = lambda number: (
        f'{{"id":7,"result":{{"entry":{number},"text":"{number}"}}}}'
    ),
) -> None:
    """Make an answer in two pieces, as a server may."""

    async def way(message: Message) -> None:
        sent.append(message)

    withheld = Withheld(way)
    coming = Coming(entry, told_instead)
    withheld.expect(coming)
    body = body_of(coming.number).encode()
    headers = [(b"content-type", b"application/json"), (b"Content-Length", b"%d" % len(body))]
    await withheld.send({"type": "http.response.start", "status": 200, "headers": headers})
    await withheld.send({"type": "http.response.body", "body": body[:9], "more_body": True})
    await withheld.send({"type": "http.response.body", "body": body[9:]})


def body_and_length(sent: list[Message]) -> tuple[Any, int]:
    start, whole = sent
    lengths = [int(value) for name, value in start["headers"] if name.lower() == b"content-length"]
    assert lengths == [len(whole["body"])]
    assert (b"content-type", b"application/json") in start["headers"]
    return json.loads(whole["body"]), start["status"]


def test_nothing_is_sent_before_the_entry_and_then_its_number_stands_there() -> None:
    async def main() -> None:
        sent: list[Message] = []
        entry: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        making = asyncio.create_task(made_for(entry, sent))
        for _ in range(5):
            await asyncio.sleep(0)
        assert sent == []
        entry.set_result(42)
        await making
        assert body_and_length(sent) == ({"id": 7, "result": {"entry": 42, "text": "42"}}, 200)

    asyncio.run(main())


async def _fails() -> int:
    raise RuntimeError("the disk is full")


async def _comes() -> int:
    return 42


@pytest.mark.parametrize(
    ("entry", "body_of"),
    [
        (_fails, lambda number: f'{{"id":7,"result":[{number},{number}]}}'),
        (_comes, lambda number: f'{{"id":7,"result":[{number}]}}'),
        (_comes, lambda number: f'{{"id":7,"result":[{number},{number},{number}]}}'),
    ],
    ids=["no entry", "named once", "named three times"],
)
def test_what_has_no_entry_or_does_not_name_it_as_an_answer_does_is_not_sent(
    entry: Callable[[], Awaitable[int]], body_of: Callable[[int], str]
) -> None:
    sent: list[Message] = []
    asyncio.run(made_for(entry(), sent, body_of))
    assert body_and_length(sent) == ({"jsonrpc": "2.0", "id": 7, **INSTEAD}, 200)


def test_two_answers_never_stand_for_one_entry() -> None:
    numbers = {Coming(_comes, told_instead).number for _ in range(200)}  # type: ignore[arg-type]  # never awaited
    assert len(numbers) == 200
    assert all(10**15 <= number < 2**53 for number in numbers)


def test_what_expects_no_entry_goes_on_as_it_comes() -> None:
    sent: list[Message] = []

    async def main() -> None:
        async def way(message: Message) -> None:
            sent.append(message)

        withheld = Withheld(way)
        for message in ({"type": "http.response.start"}, {"type": "http.response.body", "more_body": True}):
            await withheld.send(message)

    asyncio.run(main())
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
