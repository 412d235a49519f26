"""Bringing the sums up to date: the records of what changed first, then the days that they belong to."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
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
                _count_days(_renew(changed))
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


def _renew(changed: Collection[int]) -> set[date]:
    """Store the records anew, with those of the incidents before them; return the days that this touches."""
    before = Incident.objects.filter(pk__in=changed, previous__isnull=False).values_list(
        "previous_id", flat=True
    )
    numbers = {*changed, *(number for number in before if number is not None)}
    days = set(Record.objects.filter(incident__in=numbers).values_list("day", flat=True))
    made = recording.records(numbers)
    Record.objects.bulk_create(
        made, update_conflicts=True, unique_fields=["incident"], update_fields=_KEPT, batch_size=500
    )
    return days | {record.day for record in made}


def _count_days(days: Collection[date]) -> None:
    for day in sorted(days):
        sums: dict[tuple[str, str], Tally] = defaultdict(Tally)
        for record in Record.objects.filter(day=day).iterator(chunk_size=5_000):
            one = recording.counted(record)
            for dimension in (ALL, *DIMENSIONS):
                value = value_of(record, dimension)
                if value or dimension == ALL:
                    sums[dimension, value].note(one)
        DaySum.objects.filter(day=day).delete()
        DaySum.objects.bulk_create(_rows(day, sums.items()), batch_size=500)


def _rows(day: date, sums: Iterable[tuple[tuple[str, str], Tally]]) -> Sequence[DaySum]:
    return [
        DaySum(day=day, dimension=dimension, value=value, body=tally.to_text())
        for (dimension, value), tally in sums
    ]
