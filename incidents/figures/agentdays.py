"""What agents did, day by day: how runs ended, what they cost, which answers were empty.

Nothing of a day that is over changes, but for the cost of a run that went on after it. So today and
yesterday are counted anew each time, with the days on which runs began that have spent since.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Min, Q, QuerySet, Sum

from incidents.figures import recount
from incidents.models import AgentDay
from investigations.models import Exchange, Investigation
from toolbox.models import Call

_DAY = timedelta(days=1)
_ANSWERED = ("observed", "empty", "truncated")
_FILLED = 30  # days at once, where many are missing


@dataclass(slots=True)
class Work:
    """What agents did in some days. A run's cost is counted whole, on the day of its first exchange."""

    outcomes: dict[str, int] = field(default_factory=dict)
    spoke: int = 0
    micros: int = 0
    tools: dict[str, list[int]] = field(default_factory=dict)  # empty answers, all answers
    counted_from: date | None = None  # where earlier days were asked for and are not counted yet

    def add(self, text: str) -> None:
        """Add a stored day."""
        outcomes, spoke, micros, tools = json.loads(text)
        for name, count in outcomes.items():
            self.outcomes[name] = self.outcomes.get(name, 0) + count
        self.spoke += spoke
        self.micros += micros
        for tool, (empty, answered) in tools.items():
            counts = self.tools.setdefault(tool, [0, 0])
            counts[0] += empty
            counts[1] += answered

    def to_text(self) -> str:
        """Return it as stored text."""
        return json.dumps([self.outcomes, self.spoke, self.micros, self.tools], separators=(",", ":"))


def read(first: date, last: date) -> Work:
    """Return what was done in these days, both included."""
    work = Work()
    days = dict(AgentDay.objects.filter(day__range=(first, last)).values_list("day", "body"))
    for body in days.values():
        work.add(body)
    # They are filled backwards: from a counted day on there is no gap.
    work.counted_from = None if first in days else counted_from(first)
    return work


def count(now: datetime) -> int:
    """Count the days anew that may have changed, and some that never were; return how many.

    Repeating is safe.
    """
    today = now.astimezone(UTC).date()
    with transaction.atomic():
        if not recount.is_ours():
            return 0
        days = _to_count(today)
        for day in days:
            AgentDay.objects.update_or_create(day=day, defaults={"body": _counted(day).to_text()})
    return len(days)


def counted_from(first: date) -> date | None:
    """Return from which day on is counted, where days from `first` on are not yet; else None."""
    oldest = AgentDay.objects.aggregate(day=Min("day"))["day"]
    if oldest is None or oldest <= first:
        return None
    began = _began()
    return oldest if began is not None and began < oldest else None


def _to_count(today: date) -> Collection[date]:
    known = AgentDay.objects.aggregate(oldest=Min("day"), newest=Max("day"))
    since = min(today, known["newest"] or today) - _DAY
    days = {today - number * _DAY for number in range((today - since).days + 1)}
    oldest = min(known["oldest"] or today, since)
    began = _began()
    if began is not None:
        days |= {day for number in range(1, _FILLED + 1) if (day := oldest - number * _DAY) >= began}
    # Days before the oldest are not counted out of turn: what lies between would be taken for counted.
    return days | {day for day in _spent_on(since) if day >= oldest}


def _began() -> date | None:
    firsts = [
        _runs().aggregate(at=Min("finished_at"))["at"],
        Exchange.objects.aggregate(at=Min("created_at"))["at"],
        Call.objects.aggregate(at=Min("recorded_at"))["at"],
    ]
    return min((at.astimezone(UTC).date() for at in firsts if at is not None), default=None)


def _spent_on(since: date) -> Collection[date]:
    """The days before, on which runs began that have spent on this one or later."""
    earlier = _spenders(_midnight(since), None).filter(first__lt=_midnight(since))
    return {at.astimezone(UTC).date() for at in earlier.values_list("first", flat=True)}


def _counted(day: date) -> Work:
    start, end = _midnight(day), _midnight(day + _DAY)
    ended = _runs().filter(finished_at__gte=start, finished_at__lt=end).order_by().values_list("outcome")
    spent = (
        _spenders(start, end)
        .filter(first__gte=start)
        .aggregate(spoke=Count("investigation"), micros=Sum("spent"))
    )
    calls = Call.objects.filter(recorded_at__gte=start, recorded_at__lt=end, status__in=_ANSWERED).order_by()
    tools = calls.values_list("tool").annotate(empty=Count("pk", filter=Q(status="empty")), all=Count("pk"))
    return Work(
        outcomes=dict(ended.annotate(count=Count("*")).values_list("outcome", "count")),
        spoke=spent["spoke"],
        micros=int(spent["micros"] or 0),
        tools={tool: [empty, answered] for tool, empty, answered in tools},
    )


def _runs() -> QuerySet[Investigation]:
    return Investigation.objects.exclude(outcome="")


def _spenders(start: datetime, end: datetime | None) -> QuerySet[Any, Any]:
    """The runs that spoke to a model in this time, each with its first exchange and all that it spent."""
    then = Exchange.objects.filter(created_at__gte=start, investigation__isnull=False)
    if end is not None:
        then = then.filter(created_at__lt=end)
    whole = Exchange.objects.filter(investigation__in=then.order_by().values("investigation")).order_by()
    return whole.values("investigation").annotate(first=Min("created_at"), spent=Sum("micros"))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)
