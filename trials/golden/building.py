"""Golden rows of closed issues: sampled by the label that people gave them; each override is one, marked."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256

from django.db import transaction

from incidents import labelled
from incidents.labelled import HumanLabelled
from investigations.classification import Contract
from trials.golden import keeping
from trials.golden.keeping import Added, NewRow
from trials.golden.rows import Row
from trials.models import GoldenSet
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


def overrides(names: Sequence[str], *, since: datetime, bound: Contract, now: datetime) -> int:
    """Add each override since then as a candidate to these sets; return how many are new."""
    return sum(
        build(name, since=since, most=0, bound=bound, by="system:golden", now=now)[1].count for name in names
    )
