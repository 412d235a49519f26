"""A job failed because an upstream call timed out, and its retry finished."""

from verdicts.fact import Fact, Refutation
from verdicts.rule import Rule


class RetryFinished(Rule):
    """A job failed because an upstream call timed out, and its retry finished."""

    version = 1
    kinds = {"alert"}
    needs = {"job_id", "error_class"}

    job_completed = Fact(
        tool="find_job",
        ask=lambda subject: {"job_id": subject["job_id"]},
        holds=lambda answer, subject: (
            answer.text("job.state") == "completed" and answer.instant("job.finished_at") > subject.started_at
        ),
        sentence="the job completed after the incident began",
    )
    no_recurrence = Fact(
        tool="count_log_matches",
        ask=lambda subject: {"query": subject["error_class"], "since": subject.started_at},
        holds=lambda answer, subject: (
            answer.integer("lines_scanned") > 0 and answer.integer("match_count") == 0
        ),
        covers={"since": "since"},
    )
    job_failed_again = Refutation(
        tool="list_job_runs",
        when=lambda answer, subject: any(run.text("state") == "failed" for run in answer.items("runs")),
        sentence="a later run of the job failed",
    )
