"""Notes of people on an incident, and whom they name in them."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.services import actor_name
from audit import writing
from incidents.models import Incident, Note
from incidents.queries import visible_incidents
from incidents.veiling import is_veiled
from notices import telling
from notices.events import Event
from toolbox import redaction
from toolbox.values import Cleaner

LONGEST = 4_000
_MENTIONED = 10
# An address such as ada@example.org names nobody.
_MENTION = re.compile(r"(?<![\w@.+-])@([\w.@+-]{1,150})")


_A_MOMENT = timedelta(minutes=10)


class NoteRefused(Exception):
    """A note can't be kept; the message says why."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A note that is kept, and the names in it that reach nobody: unknown, or of who may not see it."""

    note: Note
    unreached: Sequence[str] = ()


def write(incident: Incident, text: str, *, by: User, once: str, now: datetime) -> Kept:
    """Keep a note; sent twice from one form it is kept once. Secrets in it are masked. Raises NoteRefused."""
    said = _kept(text)
    if not said:
        raise NoteRefused("Nothing was kept: write the note first.")
    if len(said) > LONGEST:
        raise NoteRefused(f"The note has {len(said)} characters; {LONGEST} is the most. Shorten it.")
    reached, unreached = _mentioned(incident, said)
    form = hashlib.sha256(f"{incident.pk} {by.pk} {once[:64]} {now if not once else ''} {said}".encode())
    try:
        with transaction.atomic():
            note = Note.objects.create(
                incident=incident, by=by, text=said, once=form.hexdigest(), created_at=now
            )
            note.mentioned.set(reached)
            writing.write(
                "note.written",
                {"note": note.pk, "words": said, "mentioned": [each.username for each in reached]},
                actor=actor_name(by),
                incident=incident.pk,
            )
            _tell(note, reached, now)
    except IntegrityError:
        note = Note.objects.get(once=form.hexdigest())
    return Kept(note, unreached)


def kept_a_moment_ago(incident: Incident, text: str, *, by: User, now: datetime) -> Note | None:
    """Return the person's last note here where it says the same and is minutes old: they went back to it."""
    last = Note.objects.filter(incident=incident, by=by).order_by("-pk").first()
    said = _kept(text)
    return last if last is not None and last.text == said and last.created_at > now - _A_MOMENT else None


def _kept(text: str) -> str:
    """Return what is kept of a text as it was typed: what can be stored, secrets masked."""
    return redaction.text(Cleaner().clean(text.replace("\0", "")).strip())


def _tell(note: Note, reached: Sequence[User], now: datetime) -> None:
    """Tell whom the note names, but for its writer, and for who audits the pass and must not read of it."""
    incident = note.incident
    people = [each for each in reached if each != note.by and not is_veiled(each, incident.pk)]
    news = telling.News(
        event=Event.MENTIONED,
        about="note",
        about_id=note.pk,
        title=f"#{incident.pk} {incident.title}",
        words=note.text,
        path=f"/incidents/{incident.pk}/#note-{note.pk}",
        team_id=incident.team_id,
    )
    telling.tell_people(news, people, now=now)


def _mentioned(incident: Incident, said: str) -> tuple[list[User], list[str]]:
    names = list(dict.fromkeys(found.rstrip(".-+@") for found in _MENTION.findall(said)))[:_MENTIONED]
    known = {user.username.lower(): user for user in User.objects.filter(username__in=names, is_active=True)}
    reached, unreached = [], []
    for name in names:
        user = known.get(name.lower())
        if user is not None and visible_incidents(user).filter(pk=incident.pk).exists():
            reached.append(user)
        else:
            unreached.append(name)
    return reached, unreached
