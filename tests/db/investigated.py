"""A small world for the tests of runs: two tools that a scripted connector answers, and rules over them."""

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from assay_core.results import Status
from investigations import rulebook, services
from investigations.models import Investigation
from toolbox import registry
from toolbox.connectors.base import Outcome
from toolbox.definitions import Limits, SqlQuestion, Statement, ToolDefinition
from toolbox.registry import Toolbox
from verdicts.case import Subject
from verdicts.fact import Fact, Refutation
from verdicts.rule import Rule, spec_of
from verdicts.rulebook import Rulebook

STARTED = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
LATE = timedelta(days=2)  # after STARTED; no run of the tests lasts that long


class JobFinishedOnRetry(Rule):
    """The job failed once and finished on its retry."""

    version = 1
    kinds = {"alert"}
    needs = {"job_id"}
    draft_pass = "Job {job_id} finished on its retry."

    job_completed = Fact(
        tool="find_job",
        ask=lambda subject: {"job_id": subject["job_id"]},
        holds=lambda answer, subject: answer.text("job.state") == "completed",
        sentence="The job is completed.",
    )
    no_recurrence = Fact(
        tool="count_errors",
        ask=lambda subject: {"query": subject["job_id"], "since": subject.started_at},
        holds=lambda answer, subject: answer.integer("match_count") == 0,
        sentence="The error has not come back.",
    )
    lost_again = Refutation(
        tool="find_job",
        when=lambda answer, subject: answer.text("job.state") == "lost",
        sentence="The job is lost.",
    )


class JobWasCancelled(Rule):
    """The job was cancelled by a person."""

    version = 1
    kinds = {"alert"}
    needs = {"job_id"}

    job_cancelled = Fact(
        tool="find_job",
        ask=lambda subject: {"job_id": subject["job_id"]},
        holds=lambda answer, subject: answer.text("job.state") == "cancelled",
        sentence="The job is cancelled.",
    )


class ReportArrivedLate(Rule):
    """The report arrived, later than usual."""

    version = 1
    kinds = {"alert"}
    needs = {"report_id"}

    arrived = Fact(
        tool="find_job",
        ask=lambda subject: {"job_id": subject["report_id"]},
        holds=lambda answer, subject: answer.text("job.state") == "completed",
        not_before=LATE,
        sentence="The report has arrived.",
    )


RULES = (JobFinishedOnRetry, JobWasCancelled, ReportArrivedLate)


class Scripted:
    """A connector that answers from a script and notes what it was asked."""

    name, kind, title = "scripted", "postgres", "Scripted answers"

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, Outcome] = {
            "find_job": job("completed"),
            "count_errors": Outcome(Status.OBSERVED, {"match_count": 0}),
        }
        self.before_answer: Callable[[str], object] = lambda tool: None

    def ask(self, tool: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime) -> Outcome:
        """Return what the script says now."""
        self.asked.append((tool.name, dict(arguments)))
        self.before_answer(tool.name)
        return self.answers[tool.name]

    def close(self) -> None:
        """Nothing is held open."""


def job(state: str) -> Outcome:
    """Return the answer to find_job."""
    return Outcome(Status.OBSERVED, {"job": {"state": state}})


def subject(incident: int = 1, **identifiers: str) -> Subject:
    """Return an alert that began an hour ago."""
    return Subject(
        incident=incident,
        kind="alert",
        source="prometheus",
        title="A job failed",
        severity="warning",
        started_at=STARTED,
        received_at=STARTED,
        identifiers=identifiers or {"job_id": "job-7"},
        labels={},
        annotations={},
    )


def queued(incident: int = 1, **identifiers: str) -> Investigation:
    """Open an investigation of an incident."""
    return services.open_investigation(incident, subject(incident, **identifiers), now=timezone.now())


def never(_: Any) -> None:
    """Stand for a callback that must not be called."""
    raise AssertionError("this must not be called")


def ignore(_: Any) -> None:
    """Stand for a callback that has nothing to do."""


def world(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """Serve the two tools and the rules of this module."""
    connector = Scripted()
    tools = {
        "find_job": a_tool("find_job", {"job_id": {"type": "string"}}),
        "count_errors": a_tool("count_errors", {"query": {"type": "string"}, "since": {"type": "string"}}),
    }
    toolbox = Toolbox(tools, {"scripted": connector})
    specs = {spec.name: spec for spec in map(spec_of, RULES)}
    book = Rulebook(rules=specs, shapes=toolbox.shapes(), suspended=frozenset(), broken={})
    monkeypatch.setattr(registry, "current", lambda: toolbox)
    monkeypatch.setattr(rulebook, "loaded_rulebook", lambda: book)
    return connector


def a_tool(name: str, properties: Mapping[str, Any]) -> ToolDefinition:
    """Return a tool of the scripted connector that takes these."""
    given = {
        "type": "object",
        "additionalProperties": False,
        "required": sorted(properties),
        "properties": properties,
    }
    return ToolDefinition(
        name=name,
        title=name,
        description=name,
        connector="scripted",
        input=given,
        output={"type": "object"},
        shape="one",
        key="job",
        question=SqlQuestion(Statement("SELECT 1")),
        limits=Limits(),
        normalise={},
        defaults={},
        covers={},
        plain={"name": name, "input": given},
    )


def together(*jobs: Callable[[], Any]) -> list[Any]:
    """Run the jobs at the same moment in threads of their own; return results or exceptions in order."""
    from django.db import connections

    gate = threading.Barrier(len(jobs))
    results: list[Any] = [None] * len(jobs)

    def work(place: int, job_: Callable[[], Any]) -> None:
        try:
            gate.wait(10)
            results[place] = job_()
        except Exception as error:  # noqa: BLE001 the test looks at it
            results[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=each) for each in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return results
