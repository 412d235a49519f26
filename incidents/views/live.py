"""What goes on right now, as server-sent events: a run's steps, an answer as it is written.

The view looks who asks and which stream it is, gives its database connection back, and relays a Redis stream
from there on. A link lasts a few minutes at the most; the browser comes back by itself, and who may watch is
looked at anew.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import cast

import redis
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.permissions import Permission
from incidents.livewords import line_of, words_so_far
from incidents.views.incident import unveiled
from investigations import queries, questions, watching
from investigations.states import OPEN, Asking
from investigations.watching import ENDED, TEXT, Event

_EVENT_ID = re.compile(r"[0-9]{1,20}-[0-9]{1,20}", re.ASCII)
_LASTS_SECONDS = 240
_AGAIN_MS = 2_000
_open_links = 0  # of this process


@require_safe
@requires(Permission.SEE_INCIDENTS)
def run(request: HttpRequest, number: int) -> HttpResponse:
    """Relay what the incident's newest investigation does."""
    incident = unveiled(request, number)
    latest = queries.latest(incident.pk)
    if latest is None:
        raise Http404(f"Nobody has investigated incident {number} yet.")
    return _relayed(request, watching.of_run(latest.pk), is_over=latest.state not in OPEN)


@require_safe
@requires(Permission.SEE_INCIDENTS)
def question(request: HttpRequest, number: int, question: int) -> HttpResponse:
    """Relay how a question is being answered."""
    incident = unveiled(request, number)
    row = questions.of_incident(incident.pk, question)
    if row is None:
        raise Http404(f"There is no question {question} about incident {number}.")
    is_over = row.state not in (Asking.QUEUED, Asking.RUNNING)
    return _relayed(request, watching.of_question(row.pk), is_over=is_over)


def _relayed(request: HttpRequest, stream: str, *, is_over: bool) -> HttpResponse:
    if _open_links >= settings.LIVE_LINKS:
        # The page goes on without: it asks every few seconds instead.
        return HttpResponse("Too many pages watch at once.\n", status=503, content_type="text/plain")
    last = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    after = last if _EVENT_ID.fullmatch(last) else "0"
    response = StreamingHttpResponse(
        _told(stream, after, is_over=is_over),
        content_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
    return cast("HttpResponse", response)  # the guards know no other kind; none of them reads the content


async def _told(stream: str, after: str, *, is_over: bool) -> AsyncIterator[str]:
    with _counted():
        # In the thread that served the request; what it held would stay taken as long as the link is open.
        await sync_to_async(connections.close_all)()
        yield f"retry: {_AGAIN_MS}\n\n"
        if is_over:
            for event in await sync_to_async(watching.so_far)(stream):
                yield _framed(event)
            yield "event: ended\ndata: {}\n\n"
            return
        try:
            async for event_or_none in watching.follow(stream, after, seconds=_LASTS_SECONDS):
                yield _framed(event_or_none) if event_or_none else ": still here\n\n"
        except redis.RedisError:
            return  # the browser comes back


@contextmanager
def _counted() -> Iterator[None]:
    global _open_links
    _open_links += 1
    try:
        yield
    finally:
        _open_links -= 1


def _framed(event: Event) -> str:
    if event.kind == TEXT:
        said = {"text": words_so_far(str(event.payload.get("text", "")))}
        return f"id: {event.id}\nevent: text\ndata: {json.dumps(said)}\n\n"
    told = line_of(event.kind, event.payload).plain()
    name = "ended" if event.kind == ENDED else "told"
    return f"id: {event.id}\nevent: {name}\ndata: {json.dumps(told)}\n\n"
