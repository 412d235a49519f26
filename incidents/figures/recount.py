"""Bringing the sums up to date: the records of what changed first, then their days and weeks."""

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import connection, transaction

from incidents.figures import recording, summing
from incidents.models import Incident, Record, Recount, StaleIncident

_LOCK = 7_451_902_311  # of PostgreSQL's advisory locks: one counts at a time
_AT_ONCE = 2_000
_FILLED_AT_ONCE = 5_000
_TAKE = """
DELETE FROM incidents_staleincident
WHERE id IN (SELECT id FROM incidents_staleincident ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED)
RETURNING incident_id
"""
_MARKED = """
UPDATE incidents_record AS held
SET bars = made.bars::smallint[], logs = made.logs::integer[], summed_as = %s
FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS made(incident, bars, logs)
WHERE held.incident_id = made.incident
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
            if not is_ours():
                return done
            changed = _take()
            if changed:
                _renew(changed)
            Recount.objects.update_or_create(pk=1, defaults={"at": now})
        done += len(changed)
        if not changed:
            break
    return done


def fill(*, batches: int) -> int:
    """Put records that are in no sum yet into the sums, those of the newest days first; return how many.

    After an upgrade that is every record. Each batch is a transaction of its own: killed in between, the next
    call goes on where this one was.
    """
    done = 0
    for _ in range(batches):
        with transaction.atomic():
            if not is_ours():
                break
            unsummed = Record.objects.filter(summed_as=0).order_by("-day")
            found = list(unsummed[:_FILLED_AT_ONCE])
            _put_in(found)
        done += len(found)
        if len(found) < _FILLED_AT_ONCE:
            break
    return done


def mark(incident_ids: Iterable[int]) -> None:
    """Have these incidents counted anew, in the caller's transaction."""
    StaleIncident.objects.bulk_create(StaleIncident(incident_id=number) for number in incident_ids)


def is_ours() -> bool:
    """Say whether this transaction is the only one that writes sums, until it ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        return bool(cursor.fetchone()[0])


def _take() -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, [_AT_ONCE])
        return {number for (number,) in cursor.fetchall()}


def _renew(changed: Collection[int]) -> None:
    """Store the records anew, with those of the incidents before; count the old ones out, the new ones in."""
    before = Incident.objects.filter(pk__in=changed, previous__isnull=False)
    numbers = {*changed, *before.values_list("previous_id", flat=True)}
    old = Record.objects.in_bulk(numbers)
    made = [new for new in recording.records(numbers) if not _is_same(old.get(new.pk), new)]
    steps = summing.Steps()
    for new in made:
        was = old.get(new.pk)
        if was is not None and was.summed_as == summing.SHAPE:
            steps.note(was, -1)
        steps.note(new, 1)
    Record.objects.bulk_create(
        made, update_conflicts=True, unique_fields=["incident"], update_fields=_KEPT, batch_size=500
    )
    steps.store()


def _is_same(old: Record | None, new: Record) -> bool:
    return old is not None and all(getattr(old, name) == getattr(new, name) for name in _KEPT)


def _put_in(records: Collection[Record]) -> None:
    steps = summing.Steps()
    for record in records:
        recording.set_marks(record)
        steps.note(record, 1)
    steps.store()
    with connection.cursor() as cursor:
        numbers = [record.pk for record in records]
        bars, logs = [_array(each.bars) for each in records], [_array(each.logs) for each in records]
        cursor.execute(_MARKED, [summing.SHAPE, numbers, bars, logs])


def _array(values: Iterable[int | None]) -> str:
    return "{" + ",".join("NULL" if value is None else str(value) for value in values) + "}"
