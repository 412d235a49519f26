"""Golden sets as they are stored: versions that are opened, confirmed row by row, and frozen by digest."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from audit import writing
from trials.golden.privacy import masked
from trials.golden.rows import Row, digest_of
from trials.models import GoldenRow, GoldenSet
from trials.states import Origin


class GoldenSetRefused(ValueError):
    """Something cannot be done to a golden set; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class NewRow:
    """A row that is to be kept: whose issue it is, and when that was written."""

    row: Row
    written_at: datetime
    incident: int | None = None


@dataclass(frozen=True, slots=True)
class Added:
    """What came of adding rows: how many are new, and the sentences on those that are not."""

    count: int
    left_out: tuple[str, ...]


def named(name: str) -> GoldenSet:
    """Return the newest version of a set. Raises GoldenSetRefused."""
    found = GoldenSet.objects.filter(name=name).order_by("-version").first()
    if found is None:
        known = ", ".join(GoldenSet.objects.values_list("name", flat=True).distinct().order_by("name"))
        raise GoldenSetRefused(f"There is no golden set {name!r}. There are: {known or 'none yet'}.")
    return found


def frozen_rows(name: str) -> tuple[Row, ...] | None:
    """Return the rows of the newest frozen version of a set, or None where there is none."""
    golden = GoldenSet.objects.filter(name=name).exclude(frozen_at=None).order_by("-version").first()
    return None if golden is None else rows_of(golden)


def rows_of(golden: GoldenSet) -> tuple[Row, ...]:
    """Return the confirmed rows of a version."""
    return tuple(plain(row) for row in golden.rows.exclude(confirmed_at=None).order_by("pk"))


def candidates_of(golden: GoldenSet) -> Sequence[GoldenRow]:
    """Return the rows of a version that nobody has confirmed or dropped."""
    return list(golden.rows.filter(confirmed_at=None, dropped_by="").order_by("pk"))


def plain(row: GoldenRow) -> Row:
    """Return a stored row as a plain value."""
    return Row(
        id=row.row_id,
        label=row.label,
        title=row.title,
        body=row.body,
        target=row.target,
        hard=row.hard,
        origin=Origin(row.origin),
        is_frozen=row.is_frozen,
    )


def opened(name: str, *, contract: str, by: str, now: datetime) -> GoldenSet:
    """Return the open version of a set, in the caller's transaction; after a frozen one the next begins.

    It begins with every row of the frozen one, as the part that stays comparable, and takes over what nobody
    has confirmed. Raises GoldenSetRefused where the set is of another contract.
    """
    last = GoldenSet.objects.select_for_update().filter(name=name).order_by("-version").first()
    if last is not None and last.contract != contract:
        raise GoldenSetRefused(
            f"{name} has the labels of contract {last.contract}, not of {contract}. Begin another set."
        )
    if last is not None and last.frozen_at is None:
        return last
    number = 1 if last is None else last.version + 1
    golden = GoldenSet.objects.create(
        name=name, version=number, contract=contract, created_by=by, created_at=now
    )
    if last is not None:
        _carry_over(last, golden)
    return golden


def _carry_over(last: GoldenSet, golden: GoldenSet) -> None:
    rows = list(last.rows.exclude(confirmed_at=None).order_by("pk"))
    for row in rows:
        row.pk, row.of, row.is_frozen = None, golden, True
        row._state.adding = True
    GoldenRow.objects.bulk_create(rows)
    last.rows.filter(confirmed_at=None).update(of=golden)


def add(golden: GoldenSet, new: Sequence[NewRow], *, confirmed_by: str, now: datetime) -> Added:
    """Add rows to an open version, masked, in the caller's transaction.

    Without `confirmed_by` they are candidates. What is there already, says the same or contradicts stays out.
    """
    rows = [plain(row) for row in golden.rows.all()]
    ids = {row.id: row for row in rows}
    texts = {row.text: row for row in rows}
    left_out, kept = [], []
    for each in new:
        row = masked(each.row)
        if complaint := _complaint(row, ids, texts):
            left_out.append(complaint)
            continue
        ids[row.id] = texts[row.text] = row
        kept.append(_stored(golden, replace(each, row=row), confirmed_by, now))
    GoldenRow.objects.bulk_create(kept)
    return Added(len(kept), tuple(filter(None, left_out)))


_SAME = " "


def _complaint(row: Row, ids: dict[str, Row], texts: dict[str, Row]) -> str:
    """Return why a row stays out; a blank where it is there already, just so."""
    there = ids.get(row.id)
    if there is not None:
        if digest_of([there]) == digest_of([row]):
            return _SAME
        return f"{row.id} is there already and says something else. Give the new one another id."
    twin = texts.get(row.text)
    if twin is None:
        return ""
    if twin.label == row.label:
        return f"{row.id} says the same as {twin.id}."
    return (
        f"{row.id} says the same as {twin.id}, which is labelled {twin.label} and this {row.label}: "
        "they contradict each other."
    )


def _stored(golden: GoldenSet, new: NewRow, confirmed_by: str, now: datetime) -> GoldenRow:
    row = new.row
    return GoldenRow(
        of=golden,
        row_id=row.id,
        label=row.label,
        title=row.title,
        body=row.body,
        target=row.target,
        hard=row.hard,
        origin=row.origin,
        incident_id=new.incident,
        written_at=new.written_at,
        confirmed_by=confirmed_by,
        confirmed_at=now if confirmed_by else None,
    )


def confirm(golden: GoldenSet, ids: Collection[str], *, by: str, now: datetime) -> int:
    """Confirm candidates by their ids; return how many. Audited. Raises GoldenSetRefused."""
    return _settle(
        golden,
        ids,
        ("golden.confirmed", by),
        lambda rows: rows.update(confirmed_by=by, confirmed_at=now),
    )


def drop(golden: GoldenSet, ids: Collection[str], *, by: str) -> int:
    """Drop candidates by their ids, for good; return how many. Audited. Raises GoldenSetRefused."""
    return _settle(golden, ids, ("golden.dropped", by), lambda rows: rows.update(dropped_by=by))


def _settle(golden: GoldenSet, ids: Collection[str], act: tuple[str, str], settle: Callable[..., int]) -> int:
    _refuse_frozen(golden)
    with transaction.atomic():
        rows = golden.rows.filter(row_id__in=ids, confirmed_at=None, dropped_by="")
        there = set(rows.values_list("row_id", flat=True))
        if missing := sorted(set(ids) - there):
            raise GoldenSetRefused(f"{missing[0]} is no candidate of {golden}.")
        count = settle(rows)
        payload = {"set": golden.name, "version": golden.version, "rows": sorted(ids)[:200]}
        writing.write(act[0], payload, actor=f"person:{act[1]}")
    return count


def freeze(golden: GoldenSet, *, by: str, now: datetime) -> str:
    """Freeze a version and return the digest of its confirmed rows. Audited. Raises GoldenSetRefused."""
    _refuse_frozen(golden)
    with transaction.atomic():
        rows = rows_of(golden)
        if not rows:
            raise GoldenSetRefused(f"{golden} has no confirmed row. Confirm some first.")
        digest = digest_of(rows)
        count = GoldenSet.objects.filter(pk=golden.pk, frozen_at=None).update(
            frozen_at=now, frozen_by=by, digest=digest
        )
        if not count:
            raise GoldenSetRefused(f"{golden} was frozen meanwhile.")
        payload = {"set": golden.name, "version": golden.version, "digest": digest, "rows": len(rows)}
        writing.write("golden.frozen", payload, actor=f"person:{by}")
    return digest


def _refuse_frozen(golden: GoldenSet) -> None:
    if golden.frozen_at is not None:
        raise GoldenSetRefused(
            f"{golden} is frozen and never changes. `golden build` or `golden load` begins the next version."
        )
