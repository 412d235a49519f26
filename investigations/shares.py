"""How model runs come to their submissions: shares by outcome, week by week, and whether they get worse."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, QuerySet

from investigations import models
from investigations.states import RunResult

WEEK = timedelta(days=7)
BEFORE = timedelta(days=28)
SHOWN_WEEKS = 8
_LEAST = 10  # runs, on either side: of fewer, a share says nothing
_Z = 1.6449  # one-sided, one in twenty
UNUSABLE = (RunResult.FALLBACK, RunResult.REFUSED, RunResult.CUT_OFF)


@dataclass(frozen=True, slots=True)
class Tally:
    """How many runs came to each outcome in a span of time."""

    counts: Mapping[str, int]

    @property
    def runs(self) -> int:
        """All runs in which a model had its part."""
        return sum(self.counts.values())

    @property
    def unusable(self) -> int:
        """Those in which it handed in nothing that could be used."""
        return sum(self.counts.get(each, 0) for each in UNUSABLE)

    @property
    def share(self) -> float | None:
        """The share of those, or None where there was no run."""
        return self.unusable / self.runs if self.runs else None

    def lines(self) -> Sequence[tuple[str, int, float]]:
        """Return each outcome with its count and its share, in their order."""
        return [
            (each.value, count, count / self.runs)
            for each in RunResult
            if (count := self.counts.get(each, 0))
        ]


@dataclass(frozen=True, slots=True)
class Trend:
    """The last week against the four before it."""

    now: Tally
    before: Tally

    @property
    def is_rising(self) -> bool:
        """Say whether more runs than before end unusable, by more than chance explains."""
        return is_rising(self.now, self.before)


@dataclass(frozen=True, slots=True)
class WeekLine:
    """One week that ended at `until`."""

    until: datetime
    tally: Tally


def is_rising(now: Tally, before: Tally) -> bool:
    """Say whether the share of unusable runs has risen by more than chance explains. Pure."""
    if now.runs < _LEAST or before.runs < _LEAST or now.share is None or before.share is None:
        return False
    together = (now.unusable + before.unusable) / (now.runs + before.runs)
    spread = math.sqrt(together * (1 - together) * (1 / now.runs + 1 / before.runs))
    return spread > 0 and (now.share - before.share) / spread > _Z


def trend(now: datetime) -> Trend:
    """Return the last week against the four before it."""
    return Trend(_tally(now - WEEK, now), _tally(now - WEEK - BEFORE, now - WEEK))


def weeks(now: datetime) -> Sequence[WeekLine]:
    """Return the last weeks, the newest first; those from before the first run are left out."""
    found = [
        WeekLine(now - WEEK * back, _tally(now - WEEK * (back + 1), now - WEEK * back))
        for back in range(SHOWN_WEEKS)
    ]
    while found and not found[-1].tally.runs:
        found.pop()
    return found


def ever() -> Tally:
    """Return every run that there was."""
    return Tally(_counted(models.Investigation.objects.exclude(outcome="")))


def _tally(since: datetime, until: datetime) -> Tally:
    rows = models.Investigation.objects.exclude(outcome="").filter(
        finished_at__gt=since, finished_at__lte=until
    )
    return Tally(_counted(rows))


def _counted(rows: QuerySet[models.Investigation]) -> Mapping[str, int]:
    return dict(
        rows.order_by().values_list("outcome").annotate(count=Count("*")).values_list("outcome", "count")
    )
