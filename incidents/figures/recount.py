"""Bringing the sums up to date: the records of what changed first, then the days that they belong to."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime

from django.db import connection, transaction

from incidents.figures import recording
from incidents.figures.tally import Tally
from incidents.models import DaySum, Incident, Record, Recount, StaleIncident

ALL = "all"
DIMENSIONS = ("source", "team", "service", "rule", "kind")
_LOCK = 7_451_902_311  # of PostgreSQL's advisory locks: one counts at a time
_AT_ONCE = 2_000
_TAKE = """
DELETE FROM incidents_staleincident
WHERE id IN (SELECT id FROM incidents_staleincident ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED)
RETURNING incident_id
"""
Key = tuple[date, str, str]  # day, dimension, value
_KEPT = tuple(field.name for field in Record._meta.fields if field.name not in ("incident", "lot_drawn_for"))


def recount(now: datetime, *, batches: int = 50) -> int:
    """Make the records and sums of all that changed anew; return how many incidents that were.

    Each batch is a transaction of its own: what is taken from the queue is counted, or nothing is. A change
    that commits meanwhile has its own place in the queue and is counted by the next batch.
    """
    done = 0
    for _ in range(batches):
        with transaction.atomic():
            if not _is_ours():
                return done
            changed = _take()
            if changed:
                _renew(changed)
            Recount.objects.update_or_create(pk=1, defaults={"at": now})
        done += len(changed)
        if not changed:
            break
    return done


def value_of(record: Record, dimension: str) -> str:
    """Return a record's value of a dimension as the sums name it; empty where it has none."""
    if dimension == ALL:
        return ""
    value = getattr(record, f"{dimension}_id" if dimension in ("source", "team") else dimension)
    return "" if value is None else str(value)


def mark(incident_ids: Iterable[int]) -> None:
    """Have these incidents counted anew, in the caller's transaction."""
    StaleIncident.objects.bulk_create(StaleIncident(incident_id=number) for number in incident_ids)


def _is_ours() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        return bool(cursor.fetchone()[0])


def _take() -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, [_AT_ONCE])
        return {number for (number,) in cursor.fetchall()}


def _renew(changed: Collection[int]) -> None:
    """Store the records anew, with those of the incidents before; count the old ones out, the new ones in.

    Everything that is summed is a whole number, so that what is counted out leaves nothing behind.
    """
    before = Incident.objects.filter(pk__in=changed, previous__isnull=False)
    numbers = {*changed, *before.values_list("previous_id", flat=True)}
    old = Record.objects.in_bulk(numbers)
    made = [new for new in recording.records(numbers) if not _is_same(old.get(new.pk), new)]
    steps: dict[Key, Tally] = defaultdict(Tally)
    for new in made:
        for record, sign in ((old.get(new.pk), -1), (new, 1)):
            if record is not None:
                _step(steps, record, sign)
    Record.objects.bulk_create(
        made, update_conflicts=True, unique_fields=["incident"], update_fields=_KEPT, batch_size=500
    )
    _add(steps)


def _is_same(old: Record | None, new: Record) -> bool:
    return old is not None and all(getattr(old, name) == getattr(new, name) for name in _KEPT)


def _step(steps: dict[Key, Tally], record: Record, sign: int) -> None:
    one = recording.counted(record)
    for dimension in (ALL, *DIMENSIONS):
        value = value_of(record, dimension)
        if value or dimension == ALL:
            steps[record.day, dimension, value].note(one, sign)


def _add(steps: Mapping[Key, Tally]) -> None:
    gone: list[int] = []
    for row in _standing(steps):
        step = steps.get((row.day, row.dimension, row.value))
        if step is not None:
            step.add(Tally.from_text(row.body))
            gone.append(row.pk)
    DaySum.objects.filter(pk__in=gone).delete()
    sums = ((key, step.without_zeros()) for key, step in steps.items())
    DaySum.objects.bulk_create(
        (
            DaySum(day=day, dimension=dimension, value=value, body=tally.to_text())
            for (day, dimension, value), tally in sums
            if tally.count
        ),
        batch_size=500,
    )


def _standing(steps: Mapping[Key, Tally]) -> Iterable[DaySum]:
    """The stored sums that may have to change."""
    for dimension in (ALL, *DIMENSIONS):
        touched = [(day, value) for day, each, value in steps if each == dimension]
        days, values = {day for day, _ in touched}, {value for _, value in touched}
        yield from DaySum.objects.filter(dimension=dimension, day__in=days, value__in=values).iterator()
