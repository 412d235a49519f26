"""Watching from a page: events reach it as they happen, and watchers hold no connection to the database."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import psycopg
import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone

from accounts.roles import Role
from incidents.models import Incident
from investigations import questions, watching
from investigations.models import Investigation
from investigations.watching import ENDED, Watching
from tests.db.sources import an_alert, body_of, deliver, make_source

pytestmark = pytest.mark.usefixtures("committed_db")
LINKS = 12


@pytest.fixture
def cookies(make_user: Callable[..., Any]) -> dict[str, str]:
    client = Client()
    client.force_login(make_user("ada", role=Role.MANAGER))
    return {"sessionid": client.cookies["sessionid"].value}


@pytest.fixture
def incident() -> Incident:
    deliver(make_source(), body_of(an_alert("job-7", starts=timezone.now())), timezone.now())
    return Incident.objects.get()


@asynccontextmanager
async def watched(address: str, cookies: dict[str, str], **headers: str) -> AsyncIterator[AsyncIterator[str]]:
    async with (
        httpx.AsyncClient(cookies=cookies, timeout=20) as client,
        client.stream("GET", address, headers=headers) as response,
    ):
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/event-stream"
        assert response.headers["cache-control"] == "no-store"
        yield response.aiter_lines()


async def until(lines: AsyncIterator[str], wanted: str) -> list[str]:
    seen = []
    async for line in lines:
        seen.append(line)
        if line == wanted:
            return seen
    return seen


def test_many_watchers_hold_no_connection_to_the_database_and_all_hear_the_end(
    incident: Incident, cookies: dict[str, str], start_web: Callable[..., str], superuser_dsn: str
) -> None:
    run = Investigation.objects.get(incident_id=incident.pk)
    told = Watching(watching.of_run(run.pk))
    told.note("asked", {"tool": "find_job", "entry": 7})
    address = f"{start_web(DATABASE_POOL='1', DATABASE_POOL_SIZE='2')}/incidents/{incident.pk}/live/"

    async def watch() -> list[list[str]]:
        async def one(ready: asyncio.Event) -> list[str]:
            async with watched(address, cookies) as lines:
                seen = await until(lines, "event: told")
                ready.set()
                return [*seen, *await until(lines, "event: ended")]

        events = [asyncio.Event() for _ in range(LINKS)]
        tasks = [asyncio.create_task(one(event)) for event in events]
        await asyncio.wait_for(asyncio.gather(*(event.wait() for event in events)), 30)
        busy = await asyncio.to_thread(_busy, superuser_dsn)
        assert busy == 0, "a link that is open holds a connection"
        await asyncio.to_thread(told.note, ENDED, {"state": "judged"})
        return await asyncio.wait_for(asyncio.gather(*tasks), 20)

    seen = asyncio.run(watch())
    assert len(seen) == LINKS
    for lines in seen:
        assert any('"words": "Asks \\u201cfind job\\u201d."' in line for line in lines)
        assert lines[-1] == "event: ended"


def _busy(dsn: str) -> int:
    """Count transactions that web holds; a pool of two could not have served twelve links at all."""
    with psycopg.connect(dsn) as link:
        row = link.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND state <> 'idle'"
        ).fetchone()
    return int(row[0]) if row else -1


def test_a_browser_that_comes_back_reads_on_and_a_stranger_reads_nothing(
    incident: Incident, cookies: dict[str, str], start_web: Callable[..., str]
) -> None:
    from incidents.subjects import subject_of

    row = questions.ask(subject_of(incident), "Since when?", by="person:ada", now=timezone.now())
    told = Watching(watching.of_question(row.pk))
    told.note("began", {})
    told.note("asked", {"tool": "find_job"})
    first = watching.so_far(told.stream)[0].id
    site = start_web(LIVE_LINKS="1")
    address = f"{site}/incidents/{incident.pk}/questions/{row.pk}/live/"

    def stop() -> None:
        questions.stop(incident.pk, row.pk, by="person:ada", now=timezone.now())
        connections.close_all()  # those of this thread

    async def watch() -> list[str]:
        async with watched(address, cookies, **{"Last-Event-ID": first}) as lines:
            seen = await until(lines, "event: told")
            async with httpx.AsyncClient(cookies=cookies) as other:
                assert (await other.get(address)).status_code == 503, "one link is all that is allowed"
            await asyncio.to_thread(stop)
            return [*seen, *await until(lines, "event: ended")]

    seen = asyncio.run(asyncio.wait_for(watch(), 30))
    assert not any("Began." in line for line in seen)
    assert any("Asks" in line for line in seen)
    assert seen[-1] == "event: ended"
    assert httpx.get(address).status_code == 302, "who is not signed in is led to the sign-in"
    over = httpx.get(address, cookies=cookies)
    assert over.status_code == 200
    assert over.text.rstrip().endswith("event: ended\ndata: {}")
