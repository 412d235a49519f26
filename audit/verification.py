"""Check the whole log against itself and against the rows that cite it, in constant memory.

Other apps register what cites entries, since an entry that is gone can only be missed by somebody:
`register("cases", citations)`, where `citations()` yields `(entry id, leaf in hex, where)`.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeAlias, TypeVar

from django.db import DatabaseError, transaction

from audit import keys, places, rows, sealverify
from audit.examination import faults
from audit.report import Report, Tally
from audit.sealverify import Against

Citations: TypeAlias = Callable[[], Iterable[tuple[int, str, str]]]
Item = TypeVar("Item")
_BATCH = 500
_registered: dict[str, Citations] = {}


def register(name: str, citations: Citations) -> None:
    """Have every verification check these citations. A name registered again is replaced."""
    _registered[name] = citations


def registered() -> tuple[str, ...]:
    """Return the names of what is cross-checked."""
    return tuple(_registered)


def verify(
    *, using: str = "default", first: int = 1, last: int | None = None, against: Against | None = None
) -> Report:
    """Recompute every entry from `first` to `last`, the seal, then look for each cited entry. Writes nothing.

    `against` names keys and copies; without it those of the settings. Raises DatabaseError when the log can't
    be read to its end, which proves neither one nor the other, and KeyUnusable.
    """
    held_against = against or configured()
    tally = Tally(first=first, last=last)
    with transaction.atomic(using=using):
        _examine_entries(tally, using)
        for number in rows.payloads_without_entry(using, first, last):
            tally.fault(number, ["the entry is gone, its payload is still there"])
        sealverify.examine(tally, held_against, using=using)
    for name, citations in _registered.items():
        _examine_citations(tally, name, citations, using)
    return tally.report()


def configured() -> Against:
    """Return the keys and places of the settings. Raises KeyUnusable, PlaceUnknown."""
    return Against(verifiers=keys.verifiers(), places=places.configured())


def _examine_entries(tally: Tally, using: str) -> None:
    erased = rows.recorded_erasures(using)
    before = None
    for row in rows.stream(using, tally.first, tally.last):
        found = faults(row, erased)
        if row.id == before:
            found.append("the id stands in the log twice")
        before = row.id
        tally.entry(row, found)


def _examine_citations(tally: Tally, name: str, citations: Citations, using: str) -> None:
    try:
        with transaction.atomic(using=using):
            for batch in _batched(citations(), _BATCH):
                leaves = rows.leaves(using, [number for number, _, _ in batch])
                for number, leaf, where in batch:
                    if tally.covers(number):
                        tally.citation(number, _broken(leaves.get(number), leaf), where)
    except (DatabaseError, LookupError, TypeError, ValueError, AttributeError) as error:
        tally.leave_out(f"{name} could not be checked: {error}")


def _broken(found: str | None, cited: str) -> str:
    if found is None:
        return "the entry is gone"
    return "" if found == cited else "the entry has another leaf than when it was cited"


def _batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch
