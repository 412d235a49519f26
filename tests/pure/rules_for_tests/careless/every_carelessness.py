"""Each fact reads its answer in one careless way, and none of its bounds stands at an edge."""

from datetime import datetime

from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact, Refutation
from verdicts.rule import Rule


def _state(answer: Answer) -> str:
    try:
        return answer.text("job.state")
    except LookupError:
        return "completed"


def _job(subject: Subject) -> dict[str, str]:
    return {"job_id": subject["job_id"]}


class EveryCarelessness(Rule):
    """Each fact reads its answer in one careless way."""

    version = 1
    kinds = {"alert"}
    needs = {"job_id"}

    missing_counts_as_zero = Fact(
        tool="count_log_matches",
        ask=lambda subject: {"query": subject["job_id"], "since": subject.started_at},
        holds=lambda answer, subject: answer.is_null("match_count") or answer.integer("match_count") == 0,
    )
    not_in_a_list_that_may_be_cut = Fact(
        tool="list_job_runs",
        ask=lambda subject: {},
        holds=lambda answer, subject: "failed" not in [run.text("state") for run in answer.items("runs")],
        truncation_harmless_because="The newest come first.",
    )
    broad_except = Fact(
        tool="find_job",
        ask=_job,
        holds=lambda answer, subject: (
            answer.text("job.id") == subject["job_id"] and _state(answer) == "completed"
        ),
    )
    default = Fact(
        tool="list_retries",
        ask=lambda subject: {},
        holds=lambda answer, subject: (
            next((run.text("state") for run in answer.items("runs")), "completed") == "completed"
        ),
    )
    clock = Fact(
        tool="find_end",
        ask=_job,
        holds=lambda answer, subject: (
            subject.started_at < answer.instant("finished_at") < datetime.now(subject.started_at.tzinfo)
        ),
    )
    untested_bound = Fact(
        tool="count_attempts",
        ask=_job,
        holds=lambda answer, subject: answer.integer("attempts") >= 2,
    )
    untested_refutation = Refutation(
        tool="list_stops", when=lambda answer, subject: answer.count("stops") > 0
    )
