"""Identifiers of an incident beyond the sender's fields: found by pattern, given by a person or a model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from audit import writing
from incidents import patterns
from incidents.models import Identifier, Incident
from incidents.states import Origin
from investigations.rowlists import read

VALUE_MAX = patterns.VALUE_MAX
_PER_INCIDENT = 100


class IdentifierRefused(Exception):
    """An identifier can't be taken; the message says why, for a person."""


@dataclass(frozen=True, slots=True)
class IdentifierLine:
    """One identifier as a page shows it. `counts`: rules may ask about it."""

    name: str
    value: str
    origin: Origin
    counts: bool
    by: str = ""
    row: int | None = None


def lines(incident: Incident) -> tuple[IdentifierLine, ...]:
    """Return the identifiers that count, by name, then those that a model named and nobody confirmed."""
    kept = getattr(incident, "read_found", None)
    rows = list(incident.found_identifiers.all()) if kept is None else read(Identifier, kept)
    counting = {
        name: IdentifierLine(name, value, Origin.SENDER, True) for name, value in incident.identifiers.items()
    }
    for row in sorted(rows, key=_rank):
        if row.counts and (row.origin != Origin.PATTERN or row.name not in incident.identifiers):
            by = row.confirmed_by or row.named_by
            counting[row.name] = IdentifierLine(row.name, row.value, Origin(row.origin), True, by, row.pk)
    waiting = [
        IdentifierLine(row.name, row.value, Origin.MODEL, False, row.named_by, row.pk)
        for row in rows
        if not row.counts
    ]
    return (*(counting[name] for name in sorted(counting)), *waiting)


def counting(incident: Incident) -> dict[str, IdentifierLine]:
    """Return the identifiers that rules may ask about, by name."""
    return {line.name: line for line in lines(incident) if line.counts}


def last_seen(lines: Iterable[IdentifierLine]) -> int:
    """Return the number of the newest row among the lines, as a form carries it along; 0 for none."""
    return max((line.row or 0 for line in lines), default=0)


def give(
    incident: Incident, said: tuple[str, str], *, by: str, now: datetime, seen: int | None = None
) -> Identifier:
    """Store the name and value that a person says, in the caller's transaction.

    Raises IdentifierRefused, also where another has come to count under that name since the page that knew
    of rows up to `seen`: of two who give one thing the second looks first.
    """
    name, value = checked(*said)
    standing = counting(incident).get(name)
    if standing is not None and standing.value == value:
        raise IdentifierRefused(f"{name} is {value} already.")
    if standing is not None and seen is not None and (standing.row or 0) > seen and standing.by != by:
        raise IdentifierRefused(
            f"{standing.by.removeprefix('person:')} has given {name} as {standing.value} since you opened "
            f"this page. Yours, {value}, was not kept: look, then give it again."
        )
    if incident.found_identifiers.count() >= _PER_INCIDENT:
        raise IdentifierRefused(f"An incident takes at most {_PER_INCIDENT} identifiers.")
    return Identifier.objects.create(
        incident=incident, name=name, value=value, origin=Origin.PERSON, named_by=by, named_at=now
    )


def confirm(incident: Incident, row_id: int, *, by: str, now: datetime) -> Identifier:
    """Confirm what a model named, in the caller's transaction. Raises IdentifierRefused."""
    confirmed = Identifier.objects.filter(
        pk=row_id, incident=incident, origin=Origin.MODEL, confirmed_at=None
    ).update(confirmed_by=by, confirmed_at=now)
    if not confirmed:
        raise IdentifierRefused("There is no such identifier that waits to be confirmed.")
    return Identifier.objects.get(pk=row_id)


def name_by_model(incident: Incident, name: str, value: str, *, by: str, now: datetime) -> Identifier:
    """Keep what a model named, in the caller's transaction: shown, and earning nothing until confirmed."""
    name, value = checked(name, value)
    known = Identifier.objects.filter(incident=incident, name=name, value=value).first()
    if known is not None:
        return known
    row = Identifier.objects.create(
        incident=incident, name=name, value=value, origin=Origin.MODEL, named_by=by, named_at=now
    )
    writing.write("identifier.named", {"name": name, "value": value}, actor=by, incident=incident.pk)
    return row


def find(incident: Incident, found_in: Mapping[str, str], texts: Iterable[str], *, now: datetime) -> None:
    """Store what the source's patterns find in the texts, in the caller's transaction."""
    for name, value in patterns.find(found_in, texts).items():
        if name in incident.identifiers or "\0" in value:
            continue
        Identifier.objects.create(
            incident=incident, name=name, value=value, origin=Origin.PATTERN,
            named_by=f"source:{incident.source.slug}", named_at=now,
        )  # fmt: skip
        writing.write(
            "identifier.found",
            {"name": name, "value": value, "pattern": found_in[name]},
            actor=f"source:{incident.source.slug}",
            incident=incident.pk,
        )


def checked(name: str, value: str) -> tuple[str, str]:
    """Return both as they are stored; raise IdentifierRefused."""
    name, value = name.strip(), value.strip()
    if not patterns.is_name(name):
        raise IdentifierRefused("A name is small letters, digits and _, such as order_id.")
    if not value or len(value) > VALUE_MAX:
        raise IdentifierRefused(f"Give the value, in 1 to {VALUE_MAX} characters.")
    if not value.isprintable() or any("\ud800" <= char <= "\udfff" for char in value):
        raise IdentifierRefused("The value holds a character that cannot be seen. Type it again.")
    return name, value


def _rank(row: Identifier) -> tuple[bool, datetime, int]:
    """A person's word counts more than a pattern; of two, the later one."""
    return row.origin != Origin.PATTERN, row.confirmed_at or row.named_at, row.pk
