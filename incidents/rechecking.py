"""A recorded question asked once more by a person, beside what was recorded: it decides nothing."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from accounts.models import User
from accounts.services import actor_name
from audit import reading, writing
from audit.reading import StoredEntry
from incidents import differences, entries
from incidents.differences import Change
from incidents.models import Incident, PersonCheck
from incidents.subjects import subject_of
from toolbox import gateway
from toolbox.scope import CallScope


class CheckRefused(Exception):
    """A recorded question can't be asked again; the message says why."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a new answer says beside the recorded one. `hidden`: they differ in what is masked or cut here."""

    check: PersonCheck
    recorded: StoredEntry
    statuses: tuple[str, str]
    changes: list[Change]
    more: int
    hidden: bool


def again(entry: StoredEntry, *, by: User, once: str, now: datetime) -> PersonCheck:
    """Ask what an entry asked, with the same arguments, and record it as this person's check.

    One form asks once, however often it is sent. Call it outside any transaction. Raises CheckRefused.
    """
    recorded = _recorded(entry)
    form = hashlib.sha256(f"{entry.id} {by.pk} {once[:64] or now}".encode()).hexdigest()
    try:
        with transaction.atomic():
            check = PersonCheck.objects.create(
                of_entry=entry.id, incident=entry.incident, by=by, once=form, asked_at=now
            )
    except IntegrityError:
        return PersonCheck.objects.get(once=form)
    called = gateway.call(recorded["tool"], recorded["arguments"], _scope(entry, by))
    check.entry = called.entry
    check.is_same = (called.status.value, called.result) == (recorded["status"], recorded["result"])
    with transaction.atomic():
        check.save(update_fields=["entry", "is_same"])
        writing.write(
            "answer.checked",
            {"of": entry.id, "entry": called.entry, "same": check.is_same, "tool": recorded["tool"]},
            actor=actor_name(by),
            incident=entry.incident,
        )
    return check


def around(entry_id: int) -> tuple[list[PersonCheck], PersonCheck | None]:
    """Return the checks of an entry, the newest first, and the check whose answer the entry itself is."""
    rows = list(
        PersonCheck.objects.filter(Q(of_entry=entry_id) | Q(entry=entry_id))
        .select_related("by")
        .order_by("-pk")[:50]
    )
    own = next((row for row in rows if row.entry == entry_id), None)
    return [row for row in rows if row.of_entry == entry_id], own


def comparison(check: PersonCheck, after: StoredEntry) -> Comparison | None:
    """Return what differs between a check's answer and the recorded one, masked as readers see both."""
    recorded = reading.entry(check.of_entry)
    if recorded is None or recorded.payload is None or after.payload is None:
        return None
    old, new = entries.copy_of(recorded).value, entries.copy_of(after).value
    changes, more = differences.of_answers(old.get("result"), new.get("result"))
    statuses = (str(old.get("status", "")), str(new.get("status", "")))
    hidden = not check.is_same and not changes and statuses[0] == statuses[1]
    return Comparison(check, recorded, statuses, list(changes), more, hidden)


def _recorded(entry: StoredEntry) -> dict[str, Any]:
    if entry.kind != "tool.called":
        raise CheckRefused(f"Entry {entry.id} records no question to a tool: there is nothing to ask again.")
    if entry.payload is None:
        raise CheckRefused(f"The content of entry {entry.id} was erased: what it asked is not known now.")
    return entry.payload


def _scope(entry: StoredEntry, by: User) -> CallScope:
    """What concerns one customer is asked about the incident's own alone, for a person's check too."""
    incident = Incident.objects.select_related("source").filter(pk=entry.incident or 0).first()
    return CallScope(
        caller=actor_name(by),
        incident=entry.incident,
        via=f"asked again, of entry {entry.id}",
        subject=subject_of(incident).identifiers if incident else None,
    )
