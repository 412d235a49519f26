"""Evaluations, drills and golden sets as pages show them, written down without a model being asked."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from investigations.classification import contract
from investigations.states import RunResult
from trials.drills import booking, deciding, policy
from trials.drills.answers import Answer
from trials.drills.plan import Plan
from trials.golden import keeping
from trials.golden.keeping import NewRow
from trials.golden.rows import Row
from trials.models import (
    Drill,
    DrillRun,
    Evaluation,
    EvaluationCase,
    EvaluationRun,
    EvaluationTranscript,
    GoldenSet,
)
from trials.states import Origin

LABELS = ("bug", "docs", "question", "feature", "duplicate", "spam")
SAID = "I hold this for {label}: the text says so."


def golden_rows(rows: int, title: str = "The page stays white") -> tuple[Row, ...]:
    """Return so many rows, every label among them."""
    return tuple(
        Row(
            f"ours/tool#{n}",
            LABELS[n % 6],
            f"{title} {n}",
            f"Open a parcel.\n{title}.",
            hard="Both." * (n == 5),
        )
        for n in range(1, rows + 1)
    )


def drilled(
    changed: Mapping[int, str], *, rows: int = 12, title: str = "The page stays white", lenient: bool = False
) -> Drill:
    """Record a drill whose candidate gave the rows of these numbers another label ("" for none)."""
    now = timezone.now()
    plan = Plan("examples/golden/issues.jsonl", golden_rows(rows, title), contract())
    runs = (_run("default", "old-1", plan, {}, now), _run("candidate", "new-1", plan, changed, now))
    text = Path("drills/policy.toml").read_text(encoding="utf-8")
    if lenient:
        text = text.replace("power = 0.5", "power = 0.000001")
    by = policy.parsed(text, labels=plan.contract.labels)
    return deciding.record(plan, runs, by, asked_by="mia", now=now)


def _run(endpoint: str, model: str, plan: Plan, changed: Mapping[int, str], now: datetime) -> DrillRun:
    said = plan.digests
    run = DrillRun.objects.create(
        name=f"{endpoint}-{DrillRun.objects.count()}", endpoint=endpoint, model=model,
        base_url=f"http://localhost:8080/{endpoint}", rows_in_all=len(plan.rows), golden_digest=said.golden,
        contract_digest=said.contract, prompt_digest=said.prompt, rules_digest=said.rules,
        started_by="mia", started_at=now, finished_at=now,
    )  # fmt: skip
    booking.book_all(run, [_answer(n, row, changed) for n, row in enumerate(plan.rows, start=1)], now=now)
    return run


def _answer(number: int, row: Row, changed: Mapping[int, str]) -> Answer:
    got = changed.get(number, row.label)
    said = json.dumps({"label": got, "note": f"{SAID.format(label=got)} {row.title}"})
    return Answer(
        row_id=row.id,
        expected=row.label,
        got=got,
        status=RunResult.FIRST_PASS if got else RunResult.FALLBACK,
        needs_human=not got,
        reasons=("no_actionable_detail",) if got else ("unparseable",),
        found=1,
        needed=2,
        replies=(said, said) if not got else (said,),
        is_hard=bool(row.hard),
        why="" if got else "The reply is no JSON.",
    )


def evaluated(*, endpoint: str = "default", wrong: int = 0, title: str = "Job failed") -> Evaluation:
    """Write down an evaluation of six cases, each run twice; `wrong` of them once passed wrongly."""
    now = timezone.now()
    row = Evaluation.objects.create(
        chosen="closed since 2026-01-01", endpoint=endpoint, model="scripted-1", runs=2, set_digest="a" * 64,
        prompt_digest="b" * 64, contract_digest="c" * 64, rulebook_digest="d" * 64,
        endpoint_digest=endpoint[:1] * 64, asked_by="person:mia", created_at=now - timedelta(hours=1),
        finished_at=now,
    )  # fmt: skip
    for place in range(6):
        is_pass = place % 2 == 0
        case = EvaluationCase.objects.create(
            evaluation=row, position=place, key=str(place), title=f"{title} {place}", kind="alert",
            actual="pass" if is_pass else "fail", rule="job_finished_on_retry", needs=["job_completed"],
            answers=3, world_digest="e" * 64, recorded_passed=is_pass, playbook_passed=is_pass,
            playbook_gathered=["job_completed"], title_passed=True,
        )  # fmt: skip
        for number in (1, 2):
            _evaluation_run(case, number, passed=is_pass or (number == 1 and place < 2 * wrong), title=title)
    return row


def _evaluation_run(case: EvaluationCase, number: int, *, passed: bool, title: str) -> None:
    run = EvaluationRun.objects.create(
        evaluation=case.evaluation, case=case, number=number, state="done", outcome="first_pass",
        hypothesis="job_finished_on_retry", passed_before=passed, passed=passed, decided_by="a rule",
        gathered=["job_completed"], calls=4, own_calls=3, not_recorded=1, exchanges=3, tokens_in=900,
        tokens_out=120, seconds=1.5, model_seconds=1.2, finished_at=case.evaluation.finished_at,
    )  # fmt: skip
    steps = [
        _step("opening", "user", f"An incident: {title}"),
        {**_step("reply", "assistant", title), "calls": [["1", "find_job", '{"job_id": "job-7"}']],
         "reply": {"finish": "tool_calls", "refusal": "", "model": "scripted-1"}},
        _step("answer", "tool", '{"state": "completed"}'),
    ]  # fmt: skip
    answer = {"number": 1, "tool": "find_job", "arguments": {"job_id": "job-7"}, "status": "observed",
              "source": "not_recorded", "entry": 0, "by": "model", "own": True}  # fmt: skip
    EvaluationTranscript.objects.create(run=run, body=json.dumps({"steps": steps, "answers": [answer]}))


def _step(kind: str, role: str, text: str) -> dict[str, object]:
    return {"kind": kind, "entry": 0, "role": role, "text": text, "calls": [], "answers": "", "reply": None}


def golden(*, title: str = "The page stays white", waiting: int = 2) -> GoldenSet:
    """Store an open golden set: twelve confirmed rows, and so many that wait for a person's word."""
    now = timezone.now()
    with transaction.atomic():
        made = keeping.opened("issues", contract=contract().version, by="mia", now=now)
    known = [NewRow(row, written_at=now - timedelta(days=40)) for row in golden_rows(12, title)]
    keeping.add(made, known, confirmed_by="mia", now=now)
    new = [
        Row(
            f"ours/tool#{n}",
            "docs",
            f"{title}, said {n}",
            f"Text {n} of it.",
            origin=Origin.OVERRIDE,
        )
        for n in range(100, 100 + waiting)
    ]
    keeping.add(made, [NewRow(row, written_at=now) for row in new], confirmed_by="", now=now)
    return made
