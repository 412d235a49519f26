"""What pages read of how a run went: its outcome, its cost by purpose, its steps, who said what meanwhile."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, OuterRef, Q, Subquery, Sum
from django.db.models.functions import JSONObject

from investigations import models
from investigations.rowlists import listed, read
from investigations.states import Exchanged, Purpose, RunResult

OUTCOMES: Mapping[str, str] = {
    RunResult.FIRST_PASS: "Its first submission was valid.",
    RunResult.REPAIRED: "Its submission was valid after one repair.",
    RunResult.FALLBACK: "It handed in nothing valid. A person looks, with all that was gathered.",
    RunResult.REFUSED: "The model refused. A person looks, with all that was gathered.",
    RunResult.CUT_OFF: "Its answer was cut off twice. A person looks, with all that was gathered.",
    RunResult.ENDPOINT_DOWN: "The model was out of reach. The playbook gathered instead.",
}
_OWN = OuterRef("pk")
_STEPS_OF = models.Step.objects.filter(investigation=_OWN).order_by().values("investigation")
_SPENT = {
    "exchanges": Count("pk"),
    "failed": Count("pk", filter=Q(outcome=Exchanged.DOWN)),
    "read": Sum("tokens_in"),
    "written": Sum("tokens_out"),
    "spent": Sum("micros"),
    "took": Sum("seconds"),
}
_TOLD = {
    "step_count": Subquery(_STEPS_OF.annotate(count=Count("pk")).values("count")),
    "entry_count": Subquery(_STEPS_OF.filter(entry__gt=0).annotate(count=Count("pk")).values("count")),
    "submission": Subquery(
        models.Submitted.objects.filter(investigation=_OWN).order_by("-pk").values("body")[:1]
    ),
    "spent": ArraySubquery(
        models.Exchange.objects.filter(investigation=_OWN)
        .order_by()
        .values("purpose")
        .annotate(row=JSONObject(purpose="purpose", **_SPENT))
        .values("row")
    ),
    "told": listed(models.RunNote.objects.filter(investigation=_OWN).order_by("pk")),
}
_QUOTED = 4_000
_STEPS = 200
_MICROS = 1_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """What was spent on models for one purpose, or for all together. `money` is in the prices' currency."""

    purpose: str
    exchanges: int
    failed: int
    tokens_in: int
    tokens_out: int
    money: float
    seconds: float


@dataclass(frozen=True, slots=True)
class StepLine:
    """One step in words: what was said, by whom, to which calls it led, which entry it brought."""

    number: int
    attempt: int
    kind: str
    text: str
    cut: int  # characters left off
    calls: Sequence[tuple[str, str]]  # tool, arguments as they were sent
    finish: str
    entry: int | None
    exchange: int | None
    tokens: int
    at: datetime


@dataclass(frozen=True, slots=True)
class NoteLine:
    """What a person told the run, and whether the model has heard it."""

    by: str
    text: str
    at: datetime
    is_heard: bool


@dataclass(frozen=True, slots=True)
class Ran:
    """How a model's run went, in short: for the incident's page."""

    investigation: int
    outcome: str
    words: str
    model: str
    steps: int
    entries: int
    total: Cost | None
    notes: Sequence[NoteLine]
    proposed: Sequence[Mapping[str, Any]]
    hypothesis: str  # that it proposes where no rule has one; else empty


@dataclass(frozen=True, slots=True)
class RunPage:
    """How a run went, in full: for its own page."""

    ran: Ran | None
    row: models.Investigation
    costs: Sequence[Cost]
    steps: Sequence[StepLine]
    steps_left_out: int
    exchanges: Sequence[models.Exchange]
    digests: Mapping[str, str] = field(default_factory=dict)


def ran(row: models.Investigation) -> Ran | None:
    """Return how a model's run went; None for one that a model did not run."""
    if row.investigator != "model":
        return None
    told: Any = models.Investigation.objects.filter(pk=row.pk).values(**_TOLD)[0]
    proposed, hypothesis = _proposed(told["submission"])
    return Ran(
        investigation=row.pk,
        outcome=row.outcome,
        words=OUTCOMES.get(row.outcome, ""),
        model=row.model,
        steps=told["step_count"] or 0,
        entries=told["entry_count"] or 0,
        total=_together(_sorted_costs(told["spent"])),
        notes=[
            NoteLine(each.made_by, each.text, each.made_at, each.step > 0)
            for each in read(models.RunNote, told["told"])
        ],
        proposed=proposed,
        hypothesis=hypothesis,
    )


def page(row: models.Investigation) -> RunPage:
    """Return all that a run's own page shows."""
    steps = list(row.steps.order_by("number")[: _STEPS + 1])
    count = row.steps.count()
    digests = {
        "prompts": row.prompt_digest, "contract": row.contract_digest, "rulebook": row.rulebook_digest,
    }  # fmt: skip
    return RunPage(
        ran=ran(row),
        row=row,
        costs=_costs(row.pk),
        steps=[_step(each) for each in steps[:_STEPS]],
        steps_left_out=max(0, count - _STEPS),
        exchanges=list(row.exchanges.order_by("pk")[:_STEPS]),
        digests={name: value for name, value in digests.items() if value},
    )


def _costs(investigation_id: int) -> Sequence[Cost]:
    own = models.Exchange.objects.filter(investigation=investigation_id)
    return _sorted_costs(own.order_by().values("purpose").annotate(**_SPENT))


def _sorted_costs(rows: Iterable[Mapping[str, Any]]) -> Sequence[Cost]:
    costs = [
        Cost(
            each["purpose"], each["exchanges"], each["failed"], each["read"], each["written"],
            each["spent"] / _MICROS, each["took"],
        )
        for each in rows
    ]  # fmt: skip
    return sorted(costs, key=lambda cost: (cost.purpose != Purpose.INVESTIGATOR, cost.purpose))


def _together(costs: Sequence[Cost]) -> Cost | None:
    if not costs:
        return None
    return Cost(
        "all",
        sum(each.exchanges for each in costs),
        sum(each.failed for each in costs),
        sum(each.tokens_in for each in costs),
        sum(each.tokens_out for each in costs),
        sum(each.money for each in costs),
        sum(each.seconds for each in costs),
    )


def _proposed(last: str | None) -> tuple[Sequence[Mapping[str, Any]], str]:
    """Return the actions and the hypothesis that the last submission proposes; nothing comes of them here."""
    if last is None:
        return (), ""
    body = json.loads(last)
    actions = body.get("proposed_actions")
    return actions if isinstance(actions, list) else (), str(body.get("proposed_hypothesis") or "")


def _step(row: models.Step) -> StepLine:
    plain = json.loads(row.body)
    text = str(plain.get("text") or "")
    return StepLine(
        number=row.number,
        attempt=row.attempt,
        kind=row.kind,
        text=text[:_QUOTED],
        cut=max(0, len(text) - _QUOTED),
        calls=[(str(call[1]), str(call[2])) for call in plain.get("calls") or ()],
        finish=str((plain.get("reply") or {}).get("finish", "")),
        entry=row.entry or None,
        exchange=row.exchange or None,
        tokens=row.tokens_in + row.tokens_out,
        at=row.created_at,
    )


def last_unusable(count: int) -> Sequence[models.Investigation]:
    """Return the last runs in which a model handed in nothing usable, or could not be reached."""
    good = (RunResult.FIRST_PASS.value, RunResult.REPAIRED.value, "")
    return list(models.Investigation.objects.exclude(outcome__in=good).order_by("-pk")[:count])
