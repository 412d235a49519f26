"""What is done with routes: made, changed, given a new secret, tried out, ended. Each leaves an entry."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from accounts.models import User
from audit import reading, writing
from notices import keys, signing, telling
from notices.events import WORDS, Event, Kind
from notices.models import Message, Notice, Route

_BOTH_SECRETS_FOR = timedelta(days=1)
_FIELDS = ("title", "kind", "address", "events", "least_rank", "wait_minutes", "repeat_minutes")


class RouteRefused(Exception):
    """A route cannot be made or changed as asked; the message says why and what to do."""


def make(values: Mapping[str, Any], *, by: User, now: datetime) -> tuple[Route, str]:
    """Make a route; return it with a webhook's secret, which is shown this once. Raises RouteRefused."""
    route = Route(made_by=by.actor, made_at=now, team=values.get("team"))
    for name in _FIELDS:
        setattr(route, name, values[name])
    alike = {name: values[name] for name in _FIELDS}
    if Route.objects.filter(ended_at=None, person=None, team=route.team, **alike).exists():
        raise RouteRefused("There is a route that is like this one in everything. It is in the list.")
    with transaction.atomic():
        secret = _given_secret(route)
        route.save(force_insert=True)
        _write("route.made", route, by)
    return route, secret


def mark(route: Route) -> str:
    """Return what a form carries along to say on which state of the route it was made."""
    state = [*(getattr(route, name) for name in _FIELDS), route.team_id, route.nonce]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()[:16]


def change(route: Route, values: Mapping[str, Any], *, by: User, now: datetime, made_on: str = "") -> str:
    """Change a route; return a new secret where it has become a webhook.

    Raises RouteRefused, also where somebody has changed it since the state that the form was `made_on`.
    """
    with transaction.atomic():
        locked = _locked(route, made_on, values)
        locked.team = values.get("team")
        for name in _FIELDS:
            setattr(locked, name, values[name])
        secret = "" if locked.nonce else _given_secret(locked)
        locked.save()
        _write("route.changed", locked, by)
    return secret


def new_secret(route: Route, *, by: User, now: datetime, made_on: str = "") -> str:
    """Give a webhook a new secret; for a day each message is signed with both. Raises RouteRefused.

    Of two who ask at once the second is refused: theirs would end the one that the receiver still knows.
    """
    with transaction.atomic():
        locked = _locked(route, made_on)
        if locked.kind != Kind.WEBHOOK:
            raise RouteRefused("Only a webhook has a secret.")
        locked.previous_nonce, locked.previous_until = locked.nonce, now + _BOTH_SECRETS_FOR
        secret = _given_secret(locked)
        locked.save()
        _write("route.secret_changed", locked, by)
    return secret


def end(route: Route, *, by: User, because: str, now: datetime) -> None:
    """End a route for good; what still waits on it is dropped."""
    with transaction.atomic():
        locked = _locked(route)
        locked.ended_at, locked.ended_because = now, because[:300]
        locked.save(update_fields=["ended_at", "ended_because"])
        _write("route.ended", locked, by)


def choose(person: User, values: Mapping[str, Any], *, now: datetime) -> Route | None:
    """Keep what a person wants to hear of; without any event their route ends."""
    with transaction.atomic():
        # Their row is the lock: two forms at once must not make two routes.
        User.objects.select_for_update().get(pk=person.pk)
        route = Route.objects.filter(person=person, ended_at=None).first()
        if not values["events"]:
            if route is not None:
                end(route, by=person, because="chose to hear of nothing", now=now)
            return None
        if route is None:
            route = Route(kind=Kind.PERSON, person=person, made_by=person.actor, made_at=now)
        route.title = f"{person.username}'s own"[:80]
        for name in ("events", "least_rank", "repeat_minutes"):
            setattr(route, name, values[name])
        route.save()
        _write("route.chosen", route, person)
    return route


def test(route: Route, *, by: User, now: datetime) -> Notice:
    """Send a test message on one route; its outcome stands on the page of messages. Raises RouteRefused."""
    with transaction.atomic():
        route = _locked(route)  # of two tests at once the second ends the first's notice
        telling.end("route", route.pk, now=now)
        notice = Notice.objects.create(
            event=Event.TEST,
            about="route",
            about_id=route.pk,
            team_id=route.team_id,
            title=f"A test of the route “{route.title}”",
            words=f"{by.username} asked for it. Nothing has to be done.",
            path="/notices/",
            created_at=now,
        )
        telling.send_along(notice, [route], now)
        Message.objects.filter(notice=notice).update(due_at=now)
        _write("route.tested", route, by)
    return notice


def _given_secret(route: Route) -> str:
    if route.kind != Kind.WEBHOOK:
        return ""
    route.nonce = keys.new_nonce()
    try:
        return signing.shown_secret(keys.key_of(route.nonce))
    except keys.NoKey as missing:
        raise RouteRefused(f"Not made: {missing}.") from None


def _locked(route: Route, made_on: str = "", wanted: Mapping[str, Any] | None = None) -> Route:
    found = Route.objects.select_for_update().filter(pk=route.pk, ended_at=None).first()
    if found is None:
        raise RouteRefused("This route was ended. Make a new one.")
    if made_on and made_on != mark(found):
        raise RouteRefused(_overtaken(found, wanted or {}))
    return found


def _overtaken(now: Route, wanted: Mapping[str, Any]) -> str:
    told = reading.latest_about("route.", "route", now.pk)
    who = told.actor.removeprefix("person:") if told else "somebody"
    other = [name for name in (*_FIELDS, "team") if name in wanted and wanted[name] != getattr(now, name)]
    stands = "; ".join(f"{name.replace('_', ' ')}: {_in_words(getattr(now, name))}" for name in other)
    return (
        f"{who} has changed this route since you opened this page, and nothing of yours was saved. "
        f"{f'Unlike yours it says now: {stands}. ' if stands else ''}Look, then do it again."
    )


def _in_words(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(WORDS[Event(each)] for each in value) or "none"
    return "none" if value in (None, "") else str(value)


def _write(kind: str, route: Route, by: User) -> None:
    told = {name: getattr(route, name) for name in _FIELDS}
    writing.write(kind, {"route": route.pk, "team": route.team_id, **told}, actor=by.actor)
