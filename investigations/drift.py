"""Counting, as each verdict is stored, the facts that could not be answered; a jump is told once."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, Q

from investigations.models import FactTrouble, Verdict
from investigations.outcomes import Jump
from investigations.troubles import CLEAN_FOR, JUMP, WITHIN, Counted, Trouble, is_jump, troubles_of
from verdicts import outcomes
from verdicts.frozen import Frozen
from verdicts.rulebook import Rulebook

SHOWN_DAYS = 14


def note(stored: Verdict, frozen: Frozen, decided: outcomes.Verdict, rulebook: Rulebook) -> tuple[Jump, ...]:
    """Store each trouble of a verdict in the caller's transaction; return those that are a jump."""
    found = list(troubles_of(frozen, decided, rulebook))
    if not found:
        return ()
    now = stored.created_at
    rows = FactTrouble.objects.bulk_create(
        FactTrouble(
            verdict=stored,
            rule=stored.hypothesis,
            fact=trouble.fact[:120],
            tool=trouble.tool[:120],
            path=trouble.path[:200].replace("\0", "\ufffd"),
            kind=trouble.kind,
            created_at=now,
        )
        for trouble in found
    )
    jumps = [jump for row, trouble in zip(rows, found, strict=True) if (jump := _jump(row, trouble, now))]
    return tuple(jumps)


@dataclass(frozen=True, slots=True)
class DayLine:
    """How often one trouble was met on one day."""

    day: date
    fact: str
    tool: str
    path: str
    kind: str
    count: int


def by_day(rule: str, *, now: datetime) -> tuple[DayLine, ...]:
    """Return how often each trouble of a rule was met on each of the last days, the newest day first."""
    since = now - timedelta(days=SHOWN_DAYS)
    rows = (
        FactTrouble.objects.filter(rule=rule, created_at__gt=since)
        .values_list("created_at__date", "fact", "tool", "path", "kind")
        .annotate(count=Count("pk"))
        .order_by("-created_at__date", "fact", "path", "kind")[:400]
    )
    return tuple(DayLine(*row) for row in rows)


def _jump(row: FactTrouble, trouble: Trouble, now: datetime) -> Jump | None:
    hour, since = now - WITHIN, now - WITHIN - CLEAN_FOR
    same = FactTrouble.objects.filter(
        rule=row.rule, fact=row.fact, tool=row.tool, path=row.path, kind=row.kind
    )
    counted = same.filter(created_at__gt=since).aggregate(
        before=Count("pk", filter=Q(created_at__lte=hour)),
        within=Count("pk", filter=Q(created_at__gt=hour)),
        told=Count("pk", filter=Q(opened_incident=True)),
    )
    if counted["before"] or counted["told"] or counted["within"] < JUMP:
        return None  # no verdicts have to be counted to know
    judged = Verdict.objects.filter(hypothesis=row.rule, created_at__gt=since, created_at__lte=hour).count()
    if not is_jump(Counted(judged, counted["before"], counted["within"], bool(counted["told"]))):
        return None
    FactTrouble.objects.filter(pk=row.pk).update(opened_incident=True)
    first = same.filter(created_at__gt=hour).earliest("created_at")
    return Jump(
        row.rule, row.fact, row.tool, row.path, trouble.kind.value, counted["within"], first.created_at
    )
