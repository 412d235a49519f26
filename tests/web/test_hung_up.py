"""Who sends a form and hangs up, as a browser does at the second of two clicks, has sent it all the same."""

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from asgiref.sync import sync_to_async
from django.db import connections

from accounts.models import SentForm, User
from accounts.roles import Role
from tests.web.pages import signed_in
from toolbox.models import ToolRule
from triage.asgi import application

SECRET = "s" * 32
MILLISECONDS = (0, 1, 2, 3, 5, 8, 12, 16, 20, 30)


def request(cookies: str, body: bytes) -> dict[str, Any]:
    return {
        "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http", "path": "/tools/rules/",
        "raw_path": b"/tools/rules/", "query_string": b"", "root_path": "", "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
        "headers": [
            (b"host", b"localhost"), (b"cookie", cookies.encode()),
            (b"content-type", b"application/x-www-form-urlencoded"), (b"content-length", b"%d" % len(body)),
        ],
    }  # fmt: skip


async def posted(cookies: str, fields: dict[str, str], hangs_up_after: float = 3_600) -> list[int]:
    """Send the form and hang up after so many seconds; return the status that is answered."""
    body = urlencode({"csrfmiddlewaretoken": SECRET, **fields}).encode()
    told = [{"type": "http.request", "body": body, "more_body": False}]
    statuses: list[int] = []

    async def receive() -> Any:
        if told:
            return told.pop()
        await asyncio.sleep(hangs_up_after)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await application(request(cookies, body), receive, send)
    return statuses


def _made(tool: str) -> int:
    try:
        return ToolRule.objects.filter(tool=tool).count()
    finally:
        connections.close_all()  # of a thread that ends with the loop


def test_a_form_whose_sender_hung_up_is_carried_out_once(
    committed_db: None, make_user: Callable[..., User]
) -> None:
    client = signed_in(make_user("oskar", role=Role.ADMINISTRATOR))
    cookies = "; ".join(
        [f"csrftoken={SECRET}", *(f"{name}={morsel.value}" for name, morsel in client.cookies.items())]
    )

    async def each_in_turn() -> None:
        for milliseconds in MILLISECONDS:
            fields = {"tool": f"x{milliseconds}_*", "effect": "deny", "because": "They hang up."}
            await posted(cookies, fields, milliseconds / 1_000)
            assert await sync_to_async(_made)(fields["tool"]) == 1
            assert await posted(cookies, fields) == [302]

    asyncio.run(each_in_turn())
    assert ToolRule.objects.count() == len(MILLISECONDS)
    assert not SentForm.objects.filter(is_done=False).exists()


def test_who_hangs_up_before_all_is_sent_has_sent_nothing(
    committed_db: None, make_user: Callable[..., User]
) -> None:
    client = signed_in(make_user("oskar", role=Role.ADMINISTRATOR))
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    told = [{"type": "http.request", "body": b"tool=x", "more_body": True}, {"type": "http.disconnect"}]

    async def receive() -> Any:
        return told.pop(0)

    async def send(message: Any) -> None:
        raise AssertionError(f"{message} was answered to nobody")

    asyncio.run(asyncio.wait_for(application(request(cookies, b"tool=x&effect=deny"), receive, send), 5))
    assert not ToolRule.objects.exists()
