"""Golden rows of closed issues: sampled by the label that people gave them; each override is one, marked."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256

from django.db import transaction

from incidents import labelled
from incidents.labelled import HumanLabelled
from investigations.classification import Contract, contract
from trials.golden import keeping
from trials.golden.keeping import Added, NewRow
from trials.golden.rows import Row
from trials.models import GoldenRow, GoldenSet
from trials.states import Origin


def build(
    name: str, *, since: datetime, most: int, bound: Contract, by: str, now: datetime
) -> tuple[GoldenSet, Added]:
    """Add candidates to a set's open version: so many closed issues of each label, and every override.

    They are candidates until a person confirms them. Raises GoldenSetRefused.
    """
    closed = [each for each in labelled.human_labels(since) if each.label_set == bound.label_set]
    chosen = [each for each in closed if each.is_override]
    chosen += sampled([each for each in closed if not each.is_override], most)
    with transaction.atomic():
        golden = keeping.opened(name, contract=bound.version, by=by, now=now)
        added = keeping.add(golden, [_new(each) for each in chosen], confirmed_by="", now=now)
    return golden, added


def sampled(closed: Iterable[HumanLabelled], most: int) -> Iterator[HumanLabelled]:
    """Yield at most so many of each label, drawn evenly and always alike: by a digest of what each is."""
    by_label: dict[str, list[HumanLabelled]] = defaultdict(list)
    for each in closed:
        by_label[each.label].append(each)
    for _, rows in sorted(by_label.items()):
        yield from sorted(rows, key=_draw)[:most]


def _draw(each: HumanLabelled) -> str:
    return sha256(f"{each.source} {row_id(each)}".encode()).hexdigest()


def row_id(each: HumanLabelled) -> str:
    """Return the id of a closed issue's row: as its repository names it, else the incident's number."""
    if each.repository and each.number:
        return f"{each.repository}#{each.number}"
    return f"incident-{each.incident}"


def _new(each: HumanLabelled) -> NewRow:
    row = Row(
        id=row_id(each),
        label=each.label,
        title=each.title,
        body=each.body.replace("\0", "\ufffd"),
        target=each.target,
        origin=Origin.OVERRIDE if each.is_override else Origin.CLOSED,
    )
    return NewRow(row, written_at=each.at, incident=each.incident)


def collect_overrides(*, since: datetime, now: datetime) -> int:
    """Add each override since then to every set of its labels, as a candidate; return how many are new.

    A set that has them all is left as it is: no version is begun for nothing.
    """
    bound = contract()
    found = [
        each
        for each in labelled.human_labels(since)
        if each.is_override and each.label_set == bound.label_set
    ]
    names = GoldenSet.objects.filter(contract=bound.version).values_list("name", flat=True).distinct()
    return sum(_collect(name, found, bound, now) for name in sorted(names)) if found else 0


def _collect(name: str, found: Sequence[HumanLabelled], bound: Contract, now: datetime) -> int:
    there = set(GoldenRow.objects.filter(of__name=name).values_list("row_id", flat=True))
    fresh = [_new(each) for each in found if row_id(each) not in there]
    if not fresh:
        return 0
    with transaction.atomic():
        golden = keeping.opened(name, contract=bound.version, by="system:golden", now=now)
        return keeping.add(golden, fresh, confirmed_by="", now=now).count
