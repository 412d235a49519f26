"""The sessions that a person has open, and their ends."""

from dataclasses import dataclass

from allauth.usersessions.models import UserSession
from django.db import transaction
from django.http import HttpRequest

from accounts import useragents
from accounts.models import User
from audit import writing


@dataclass(frozen=True, slots=True)
class Line:
    """One session as a page shows it."""

    session: UserSession
    browser: str


def lines(person: User) -> list[Line]:
    """Return the person's open sessions with their browsers in words."""
    return [Line(one, useragents.in_words(one.user_agent)) for one in of_person(person)]


def of_person(person: User) -> list[UserSession]:
    """Return the person's open sessions, the one seen last first; those that are over are dropped."""
    listed: list[UserSession] = UserSession.objects.purge_and_list(person)
    return sorted(listed, key=lambda session: session.last_seen_at, reverse=True)


def end(person: User, session_id: int, *, by: User) -> bool:
    """End one session of a person and write `session.ended`; False where they have no such session."""
    with transaction.atomic():
        session = UserSession.objects.select_for_update().filter(user_id=person.pk, pk=session_id).first()
        if session is None:
            return False
        _end([session], person, by)
    return True


def end_all(person: User, *, by: User, but: str | None = None) -> int:
    """End all sessions of a person but the one with this key, and return how many they were."""
    with transaction.atomic():
        others = list(
            UserSession.objects.select_for_update().filter(user_id=person.pk).exclude(session_key=but or "")
        )
        if others:
            _end(others, person, by)
    return len(others)


def _end(sessions: list[UserSession], person: User, by: User) -> None:
    for session in sessions:
        session.end()
    writing.write("session.ended", {"username": person.username, "sessions": len(sessions)}, actor=by.actor)


def list_under_new_key(request: HttpRequest, person: User, *, old_key: str | None) -> None:
    """List the request's own session again after its key changed, as it does with a new password."""
    UserSession.objects.filter(session_key=old_key).delete()
    UserSession.objects.create_from_request(request, user=person)
