"""Where attention is missing, and how the agents do: what waits, what was hurried, what brings nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, F, Min, OuterRef, Q

from approvals.models import ActionRequest, Decision
from approvals.states import Choice
from approvals.states import State as RequestState
from incidents.figures.agentdays import Work
from incidents.figures.charts import duration
from incidents.figures.intervals import Rate
from incidents.models import Incident, Opening, PassAudit
from incidents.states import State
from investigations.states import RunResult

LATE = timedelta(days=28)
HURRY = timedelta(seconds=10)
_UNUSABLE = (RunResult.FALLBACK, RunResult.REFUSED, RunResult.CUT_OFF)


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that is counted, with what it means."""

    title: str
    figure: str
    says: str


@dataclass(frozen=True, slots=True)
class ToolLine:
    """How often one tool answered, and how often with nothing."""

    tool: str
    empty: Rate


def attention(now: datetime) -> Sequence[Line]:
    """Return what waits for people now, and how the last 28 days were decided."""
    since = now - LATE
    review = Incident.objects.filter(state=State.REVIEW, acknowledged_at=None).order_by()
    waiting = review.aggregate(count=Count("*"), oldest=Min("first_received_at"))
    requests = ActionRequest.objects.order_by()
    open_ones = requests.filter(state=RequestState.PROPOSED).aggregate(
        count=Count("pk"), oldest=Min("proposed_at")
    )
    decided = Exists(Decision.objects.filter(request=OuterRef("pk")))
    expired = requests.filter(state=RequestState.EXPIRED, proposed_at__gt=since).aggregate(
        count=Count("pk"), unread=Count("pk", filter=~decided)
    )
    unopened = Opening.objects.filter(is_closing=True, at__gt=since, incident__state=State.CLOSED).count()
    late = PassAudit.objects.filter(answered_at=None).aggregate(
        count=Count("pk"),
        overdue=Count("pk", filter=Q(due_at__lt=now)),
        nobody=Count("pk", filter=Q(reviewer=None)),
    )
    return [
        Line("Drafts that nobody has acknowledged", str(waiting["count"]), _oldest(waiting["oldest"], now)),
        Line("Drafts that nobody ever opened", str(unopened), "of incidents that people closed in 28 days"),
        Line(
            "Proposals that nobody has opened",
            str(requests.filter(state=RequestState.PROPOSED, looks=None).count()),
            f"of {open_ones['count']} that wait",
        ),
        Line("Requests that nobody has decided", str(open_ones["count"]), _oldest(open_ones["oldest"], now)),
        Line(
            "Requests that expired undecided",
            Rate(expired["unread"], expired["count"]).text,
            "of those that expired in 28 days",
        ),
        Line(
            "Approvals within ten seconds", _hurried(since).text, "of those whose page was opened, in 28 days"
        ),
        Line(
            "Audits of passes to do",
            str(late["count"]),
            f"{late['overdue']} overdue, {late['nobody']} without a reviewer",
        ),
    ]


def agents(work: Work) -> Sequence[Line]:
    """Return how model runs that ended in the days came to what they handed in, and what runs cost."""
    counts, total = work.outcomes, sum(work.outcomes.values())
    cost = f"{work.micros / work.spoke / 1_000_000:.3f}" if work.spoke else "–"
    return [
        Line(
            "Runs that brought nothing usable",
            Rate(sum(counts.get(each, 0) for each in _UNUSABLE), total).text,
            f"of {total} model runs",
        ),
        Line(
            "Submissions that had to be repaired",
            Rate(counts.get(RunResult.REPAIRED, 0), total).text,
            f"of {total} model runs",
        ),
        Line(
            "Cost of an investigation",
            cost,
            f"in the currency of the prices that are set; {work.spoke} runs began to speak to a model",
        ),
    ]


def tools(work: Work) -> Sequence[ToolLine]:
    """Return how often each tool answered with nothing in the days."""
    return [ToolLine(tool, Rate(*counts)) for tool, counts in sorted(work.tools.items())]


def _hurried(since: datetime) -> Rate:
    approved = Decision.objects.filter(choice=Choice.APPROVE, decided_at__gt=since, opened_at__isnull=False)
    hurried = Count("pk", filter=Q(decided_at__lt=F("opened_at") + HURRY))
    found = approved.aggregate(count=Count("pk"), hurried=hurried)
    return Rate(found["hurried"], found["count"])


def _oldest(at: datetime | None, now: datetime) -> str:
    return f"the oldest waits {duration((now - at).total_seconds())}" if at else "none waits"
