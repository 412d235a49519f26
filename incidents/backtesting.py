"""Every stored incident judged again from its recorded entries, a few hundred at a time."""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from multiprocessing import get_context
from typing import NamedTuple

from django.db import connections
from django.db.models import Max

from incidents.endings import Ended, ended
from investigations.models import Verdict as VerdictRow
from verdicts.case import CaseUnreadable
from verdicts.closings import Actual
from verdicts.comparison import Ending, decided_by, ending
from verdicts.frozen import Frozen
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

_AT_ONCE = 250
#: How many parts wait for a process: enough to keep it busy, few enough to keep the memory.
_AHEAD = 4
_rulebook: Rulebook | None = None  # of a process that judges; rules are code and can't be sent to it


@dataclass(frozen=True, slots=True)
class Judged:
    """One incident whose verdict flipped, or which passes falsely, beside what people decided."""

    incident: int
    hypothesis: str
    passed: bool
    now_passes: bool
    decided_by: str
    reason: str
    outcome: str
    by: str
    ending: Ending

    @property
    def is_flip(self) -> bool:
        """Say whether the verdict is another than the one that was stored."""
        return self.passed is not self.now_passes


@dataclass(slots=True)
class Part:
    """What came of some incidents: all that a person must see, and how many ended how."""

    shown: list[Judged] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def backtest(rulebook: Rulebook, *, since: datetime | None = None, processes: int = 1) -> Iterator[Part]:
    """Yield what comes of every incident's last verdict, judged again by these rules; in order of verdicts.

    With more than one process, each opens a connection of its own: the caller is in no transaction.
    """
    if processes < 2:
        for numbers in _parts(since):
            yield judged_again(numbers, rulebook)
        return
    global _rulebook
    _rulebook = rulebook
    # Processes begin as copies of this one: they have the rules, and must not share its connection.
    parts = list(_parts(since))
    _let_go()
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        waiting: list[Future[Part]] = []
        for numbers in parts:
            waiting.append(pool.submit(_in_a_process, numbers))
            if len(waiting) > processes * _AHEAD:
                yield waiting.pop(0).result()
        for each in waiting:
            yield each.result()


class _Stored(NamedTuple):
    """A verdict with its case, and nothing that is not compared."""

    incident: int
    passed: bool
    case: int
    body: str
    digest: str


def judged_again(verdicts: Sequence[int], rulebook: Rulebook) -> Part:
    """Judge the cases of these verdicts again and compare each with what was stored and what was so."""
    rows = VerdictRow.objects.filter(pk__in=verdicts).order_by("pk")
    columns = ("investigation__incident_id", "passed", "case_id", "case__body", "case__digest")
    found, part = [_Stored(*row) for row in rows.values_list(*columns)], Part()
    ends = ended(row.incident for row in found)
    for row in found:
        try:
            frozen = Frozen.from_text(row.body, row.digest, f"case {row.case}")
        except (CaseUnreadable, ValueError) as error:
            part.unreadable.append(f"Incident {row.incident}: {error}.")
            continue
        _compare(part, row, frozen, rulebook, ends.get(row.incident))
    return part


def _compare(part: Part, row: _Stored, frozen: Frozen, rulebook: Rulebook, end: Ended | None) -> None:
    again = verdict(frozen.case, frozen.subject, frozen.entries, rulebook)
    came = ending(again.passed, end.actual if end else Actual.NOT_COMPARABLE)
    part.counts["judged"] += 1
    part.counts[came] += 1
    if again.passed is row.passed and came is not Ending.FALSE_PASS:
        return
    part.shown.append(
        Judged(
            incident=row.incident,
            hypothesis=again.hypothesis,
            passed=row.passed,
            now_passes=again.passed,
            decided_by=decided_by(again),
            reason=again.reason,
            outcome=end.outcome if end else "",
            by=end.by if end else "",
            ending=came,
        )
    )


def _parts(since: datetime | None) -> Iterator[list[int]]:
    """Yield the last verdict of each incident, a part at a time, through a cursor on the server."""
    stored = VerdictRow.objects.order_by()
    if since is not None:
        stored = stored.filter(created_at__gte=since)
    rows = stored.values("investigation__incident_id").annotate(last=Max("pk"))
    numbers: list[int] = []
    for last in rows.order_by("last").values_list("last", flat=True).iterator(chunk_size=5_000):
        numbers.append(last)
        if len(numbers) == _AT_ONCE:
            yield numbers
            numbers = []
    if numbers:
        yield numbers


def _let_go() -> None:
    """Close every connection, those of a pool too: two processes that talk on one get each other's rows."""
    connections.close_all()
    for each in connections.all():
        close_pool = getattr(each, "close_pool", None)
        if close_pool is not None:
            close_pool()


def _in_a_process(verdicts: list[int]) -> Part:
    assert _rulebook is not None  # set before the process was made
    return judged_again(verdicts, _rulebook)
