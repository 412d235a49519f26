"""A rule of the tests with its shapes, and a run that earns its pass, to be spoiled in one point."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from assay_core.arguments import ToolShape
from assay_core.results import Status
from verdicts.answer import Answer
from verdicts.case import Case, Entry, Finding, Subject, Submission
from verdicts.fact import Fact
from verdicts.loading import load_rule
from verdicts.rule import Rule, RuleSpec, spec_of
from verdicts.rulebook import Rulebook
from verdicts.verdict import Verdict, verdict

FOLDER = Path(__file__).parent
CARELESS = FOLDER / "careless"

SHAPES = {
    "find_job": ToolShape("find_job", "d1", normalise={"job_id": ("strip",)}),
    "count_log_matches": ToolShape(
        "count_log_matches", "d2", defaults={"until": None}, normalise={"since": ("instant",)}
    ),
    "list_job_runs": ToolShape("list_job_runs", "d3"),
}

BEGAN = datetime(2026, 7, 1, 10, 0, tzinfo=UTC)
JUDGED = BEGAN + timedelta(minutes=21)
RUN = 7

SUBJECT = Subject(
    incident=3,
    kind="alert",
    source="alertmanager",
    title="JobFailed",
    severity="warning",
    started_at=BEGAN,
    received_at=BEGAN + timedelta(seconds=30),
    identifiers={"job_id": "J-7", "error_class": "UpstreamTimeout"},
    labels={},
    annotations={},
)

JOB_ENTRY = Entry(
    id=11,
    leaf="aa" * 32,
    investigation=RUN,
    tool="find_job",
    arguments={"job_id": "J-7"},
    status=Status.OBSERVED,
    result={"job": {"id": "J-7", "state": "completed", "finished_at": "2026-07-01T10:12:00Z"}},
    reason="",
    called_at=BEGAN + timedelta(minutes=20),
    finished_at=BEGAN + timedelta(minutes=20, seconds=1),
    asked_by="playbook",
)
LOG_ENTRY = Entry(
    id=12,
    leaf="bb" * 32,
    investigation=RUN,
    tool="count_log_matches",
    arguments={"query": "UpstreamTimeout", "since": "2026-07-01T10:00:00.000000Z", "until": None},
    status=Status.OBSERVED,
    result={"lines_scanned": 5120, "match_count": 0},
    reason="",
    called_at=BEGAN + timedelta(minutes=20),
    finished_at=BEGAN + timedelta(minutes=20, seconds=1),
    asked_by="playbook",
    covered={"since": "2026-07-01T10:00:00Z", "until": "2026-07-01T10:20:00Z"},
)

RETRY_FINISHED = load_rule(FOLDER / "retry_finished.py", SHAPES)
RULEBOOK = Rulebook(rules={"retry_finished": RETRY_FINISHED.spec}, shapes=SHAPES)


def case_of(run: Iterable[Entry], /, **changes: Any) -> Case:
    """Return a case of the run that lists those of the entries given that are its own."""
    whole = Case(
        investigation=RUN,
        submission=Submission("retry_finished", (), "words"),
        added=(),
        refutations=(),
        judged_at=JUDGED,
        entries=tuple((entry.id, entry.leaf) for entry in run if entry.investigation == RUN),
    )
    return replace(whole, **changes)


def judge(
    *entries: Entry, subject: Subject = SUBJECT, rulebook: Rulebook = RULEBOOK, **changes: Any
) -> Verdict:
    """Judge the entries of a run under the rule of the tests, or another that `changes` names."""
    return verdict(case_of(entries, **changes), subject, {entry.id: entry for entry in entries}, rulebook)


def submitted(*findings: tuple[str, int], hypothesis: str = "retry_finished") -> Submission:
    """Return a submission that cites these entries for these facts."""
    return Submission(hypothesis, tuple(Finding(fact, entry) for fact, entry in findings), "words")


def rule_of(fact: Fact, **attributes: Any) -> RuleSpec:
    """Return a rule with this one fact, for alerts."""
    declared = {"version": 1, "kinds": {"alert"}, "__doc__": "One fact.", "fact": fact, **attributes}
    return spec_of(type("OneFact", (Rule,), declared))


def judge_fact_on(
    entry: Entry, fact: Fact, *, subject: Subject = SUBJECT, judged_at: datetime = JUDGED, **attributes: Any
) -> Verdict:
    """Judge one entry under a rule with one fact."""
    return judge(
        entry,
        subject=subject,
        rulebook=Rulebook(rules={"one_fact": rule_of(fact, **attributes)}, shapes=SHAPES),
        submission=Submission("one_fact", (), ""),
        judged_at=judged_at,
    )


def job_fact(**changes: Any) -> Fact:
    """Return a fact on `find_job` that holds on JOB_ENTRY, but for the changes."""
    whole: dict[str, Any] = {"tool": "find_job", "ask": _job, "holds": _completed, **changes}
    return Fact(**whole)


def _job(subject: Subject) -> Mapping[str, Any]:
    return {"job_id": subject["job_id"]}


def _completed(answer: Answer, subject: Subject) -> bool:
    return answer.text("job.state") == "completed"
