"""Telling people: one notice with a message for each address, in the transaction of what happened."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from accounts.models import User
from notices import matching, waking
from notices.events import Event, MessageState
from notices.models import Message, Notice, Route


@dataclass(frozen=True, slots=True)
class News:
    """What happened, to which thing, and where its page is. `severity` is empty where there is none."""

    event: Event
    about: str
    about_id: int
    title: str
    words: str
    path: str
    team_id: int | None = None
    severity: str = ""


def tell(news: News, *, now: datetime) -> Notice | None:
    """Tell everybody whom a route reaches, once the caller's transaction has committed.

    What they were told of already and is not over yet is not told anew; None then, and where no route leads
    to anybody.
    """
    return _tell(news, matching.routes_for(news.event, team_id=news.team_id, severity=news.severity), now)


def tell_people(news: News, people: Sequence[User], *, now: datetime) -> Notice | None:
    """Tell these people alone, each by what they chose to hear of; otherwise as `tell` does."""
    return _tell(news, matching.own_routes(news.event, people, team_id=news.team_id), now)


def _tell(news: News, routes: Sequence[Route], now: datetime) -> Notice | None:
    if not routes:
        return None
    notice = _noted(news, now)
    if notice is not None:
        send_along(notice, routes, now)
    return notice


def send_along(notice: Notice, routes: Sequence[Route], now: datetime) -> None:
    """Make the first messages of a notice on these routes, and wake a worker for those that are due."""
    messages = [message for route in routes for message in _first(notice, route, now)]
    Message.objects.bulk_create(messages)
    waking.after_commit([message.pk for message in messages if message.due_at <= now])


def end(about: str, about_id: int, *, now: datetime) -> None:
    """Say that a thing is over: should it come up again, people are told anew."""
    Notice.objects.filter(about=about, about_id=about_id, ended_at=None).update(ended_at=now)


def again(message: Message, now: datetime) -> None:
    """Make the next message of the same round trip, due after the route's repeat."""
    Message.objects.get_or_create(
        notice=message.notice,
        route=message.route,
        address=message.address,
        round=message.round + 1,
        defaults={
            "key": new_key(),
            "due_at": now + timedelta(minutes=message.route.repeat_minutes),
            "created_at": now,
        },
    )


def new_key() -> str:
    """Return a message's key: a receiver knows by it what it had before."""
    return f"msg_{secrets.token_hex(16)}"


def _noted(news: News, now: datetime) -> Notice | None:
    """Insert the notice unless there is one of the same thing that is not over."""
    told = Notice.objects.filter(event=news.event, about=news.about, about_id=news.about_id, ended_at=None)
    if told.exists():
        return None
    notice = Notice(
        event=news.event,
        about=news.about,
        about_id=news.about_id,
        team_id=news.team_id,
        severity=news.severity,
        title=news.title[:300],
        words=news.words[:4_000],
        path=news.path,
        created_at=now,
    )
    try:
        with transaction.atomic():
            notice.save(force_insert=True)
    except IntegrityError:
        return None  # somebody told of it at the same moment
    return notice


def _first(notice: Notice, route: Route, now: datetime) -> list[Message]:
    addresses, why_nobody = matching.addresses_of(route, notice)
    due_at = now + timedelta(minutes=route.wait_minutes)
    made = [
        Message(
            notice=notice, route=route, address=address[:500], key=new_key(), due_at=due_at, created_at=now
        )
        for address in addresses
    ]
    if made:
        return made
    nobody = Message(notice=notice, route=route, address="", key=new_key(), due_at=now, created_at=now)
    nobody.state, nobody.said = MessageState.FAILED, why_nobody
    return [nobody]
