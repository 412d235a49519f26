"""The figures page as plain values: each table once, which the page, its charts and the CSV all read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from accounts.models import Team
from incidents.figures import audits, reading
from incidents.figures.asking import Wanted
from incidents.figures.blocks import monday_of
from incidents.figures.charts import duration
from incidents.figures.intervals import Change, Interval, Rate, Stratum, change, percent, weighted
from incidents.figures.parts import WEEK, parts_of
from incidents.figures.plan import Standing
from incidents.figures.reading import Freshness
from incidents.figures.stages import RESOLVE, STAGES, Judged
from incidents.figures.tally import PERCENTILES, Tally, Times
from incidents.models import Source
from investigations.models import RuleSuspension


@dataclass(frozen=True, slots=True)
class TimeLine:
    """One row of times: percentiles with their count, beside what keeps them honest."""

    name: str
    value: str  # of the dimension, for a link; empty where there is none
    count: int
    p50: float | None
    p75: float | None
    p90: float | None
    skewed: int
    change: Change | None
    tally: Tally
    rates: Sequence[Rate] = ()  # reopened, overridden, covered

    @property
    def texts(self) -> tuple[str, str, str]:
        """The three percentiles as text."""
        return duration(self.p50), duration(self.p75), duration(self.p90)


@dataclass(frozen=True, slots=True)
class AuditLine:
    """How the audits of one rule stand."""

    rule: str
    standing: Standing
    passes: int
    is_suspended: bool
    is_stopped: bool  # it was the audits that stopped it

    @property
    def interval_text(self) -> str:
        """The interval in words: without a false pass it is one-sided."""
        return interval_text(self.standing.interval, self.standing.false_passes, self.standing.audited)

    @property
    def rate(self) -> Rate:
        """False passes of those audited."""
        return Rate(self.standing.false_passes, self.standing.audited)


@dataclass(frozen=True, slots=True)
class Board:
    """Everything that the page shows."""

    wanted: Wanted
    whole: Tally
    resolve: TimeLine
    stages: Sequence[TimeLine]
    weeks: Sequence[TimeLine]
    groups: Sequence[TimeLine]
    rules: Sequence[tuple[str, Tally]]
    audits: Sequence[AuditLine]
    false_rate: float | None
    false_interval: Interval
    audited: int
    stopped: Sequence[str]
    today: date
    fresh: Freshness

    @property
    def is_whole(self) -> bool:
        """Whether each day of the span, and of the one before it, is in the sums."""
        return self.fresh.filled_after is None or self.fresh.filled_after < self.wanted.before[0]

    @property
    def reopened(self) -> Rate:
        """The reopen rate of closings that are old enough."""
        return self.whole.reopened(self.today)

    @property
    def young(self) -> Rate:
        """Closings too young to tell."""
        return self.whole.too_young(self.today)

    @property
    def false_span(self) -> str:
        """The interval over all rules in words."""
        hits = sum(each.standing.false_passes for each in self.audits)
        return interval_text(self.false_interval, hits, self.audited)

    @property
    def false_text(self) -> str:
        """The false-pass rate as text; a dash where a rule that passes has never been audited."""
        if self.false_rate is None:
            return "–"
        return percent(self.false_rate)


def interval_text(interval: Interval, hits: int, of: int) -> str:
    """Return an interval as text; a dash where nothing was audited."""
    if not of:
        return "–"
    if not hits:
        return f"up to {percent(interval.high)}"
    return f"{percent(interval.low)} to {percent(interval.high)}"


def board(wanted: Wanted, now: datetime) -> Board:
    """Read the sums and lay them out. `now` says which closings are old enough to have been reopened."""
    by_week, by_nothing, by_rule, now_by, before_by = reading.read(
        wanted.filters, parts_of(wanted), now.date()
    )
    earlier, whole = reading.together(by_nothing), reading.together(by_week)
    audited = _audits(by_rule, now)
    strata = [Stratum(each.standing.false_passes, each.standing.audited, each.passes) for each in audited]
    rate, interval = weighted(strata)
    return Board(
        wanted=wanted,
        whole=whole,
        resolve=_line("all", "", whole, earlier, RESOLVE),
        stages=[_line(stage.title, "", whole, earlier, stage.name) for stage in STAGES],
        weeks=[_line(monday, "", by_week.get(monday, Tally()), None, RESOLVE) for monday in _mondays(wanted)],
        groups=_groups(wanted, now_by, before_by, now.date()),
        rules=sorted(by_rule.items()),
        audits=audited,
        false_rate=rate,
        false_interval=interval,
        audited=sum(each.standing.audited for each in audited),
        stopped=[each.rule for each in audited if each.is_stopped],
        today=now.date(),
        fresh=reading.freshness(),
    )


def names_of(dimension: str) -> Mapping[str, str]:
    """Return what people call the values of a dimension that is kept by number."""
    if dimension == "source":
        return {str(pk): title for pk, title in Source.objects.values_list("pk", "title")}
    if dimension == "team":
        return {str(pk): name for pk, name in Team.objects.values_list("pk", "name")}
    return {}


def _mondays(wanted: Wanted) -> Sequence[str]:
    """The weeks of the span, also those in which nothing was detected."""
    monday = monday_of(wanted.first)
    weeks = (wanted.last - monday).days // 7 + 1
    return [(monday + timedelta(days=7 * number)).isoformat() for number in range(weeks)]


def _groups(
    wanted: Wanted, now: Mapping[str, Tally], before: Mapping[str, Tally], today: date
) -> Sequence[TimeLine]:
    if wanted.group == WEEK:
        return []
    names = names_of(wanted.group)
    lines = [
        _line(names.get(value, value.replace("_", " ") if wanted.group == "rule" else value), value, tally,
              before.get(value, Tally()), RESOLVE)
        for value, tally in now.items()
    ]  # fmt: skip
    rated = (
        replace(line, rates=(line.tally.reopened(today), line.tally.overridden, line.tally.covered))
        for line in lines
    )
    return sorted(rated, key=lambda line: (-line.tally.count, line.name))


def _line(name: str, value: str, tally: Tally, before: Tally | None, stage: str) -> TimeLine:
    times: Times = tally.stage(stage)
    p50, p75, p90 = (times.percentile(wanted) for wanted in PERCENTILES)
    changed = change(before.stage(stage).logs, times.logs) if before is not None else None
    return TimeLine(name, value, times.count, p50, p75, p90, times.skewed, changed, tally)


def _audits(by_rule: Mapping[str, Tally], now: datetime) -> Sequence[AuditLine]:
    """Every rule that earned a pass in the span or was ever audited; audits count whenever they were done."""
    standings = audits.standings(now)
    passes = {rule: tally.judged.get(Judged.PASS, 0) for rule, tally in by_rule.items()}
    rules = sorted(set(standings) | {rule for rule, count in passes.items() if count})
    suspended = {row.rule: row for row in RuleSuspension.objects.filter(lifted_at=None)}
    return [
        AuditLine(
            rule,
            standings.get(rule, Standing(())),
            passes.get(rule, 0),
            rule in suspended,
            rule in suspended and suspended[rule].made_by == audits.ACTOR,
        )
        for rule in rules
    ]
