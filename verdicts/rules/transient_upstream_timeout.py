"""A job failed because an upstream call timed out, and its retry finished.

Earned when the job itself completed after the incident began, the timeout was logged in the very
place that is searched, and it has not been logged there since.
"""

from datetime import timedelta

from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule

TIMEOUTS = {"UpstreamTimeout", "GatewayTimeout", "ConnectTimeout", "ReadTimeout"}


def _completed_on_retry(answer: Answer, subject: Subject) -> bool:
    return (
        answer.text("job.state") == "completed"
        and answer.instant("job.finished_at") > subject.started_at
        and answer.integer("job.attempts") >= 2
        and answer.text("job.last_error_class") == subject["error_class"]
        and answer.text("job.tenant") == subject["tenant"]
        and answer.text("job.id") == subject["job_id"]
    )


class TransientUpstreamTimeout(Rule):
    """A job failed because an upstream call timed out, and its retry finished."""

    version = 1
    kinds = {"alert"}
    needs = {"job_id", "error_class", "service", "tenant"}
    applies_to = {"alertname": {"JobFailed"}, "error_class": TIMEOUTS}
    draft_pass = (
        "Job {job_id} failed with {error_class} and was tried again by itself. The retry completed after the "
        "alert began, and {service} has not logged {error_class} for {tenant} since. Nothing has to be done."
    )

    job_completed_on_retry = Fact(
        tool="find_job",
        ask=lambda subject: {"job_id": subject["job_id"]},
        holds=_completed_on_retry,
        sentence="The job completed on a retry, after the incident began, and that error was its last",
    )
    # The positive control: a search that finds the timeout from before is one that would find the next.
    timeout_was_logged_here = Fact(
        tool="count_log_matches",
        ask=lambda subject: {
            "query": subject["error_class"],
            "service": subject["service"],
            "tenant": subject["tenant"],
            "since": subject.started_at - timedelta(minutes=30),
            "until": subject.started_at,
        },
        holds=lambda answer, subject: (
            answer.integer("match_count") > 0 and answer.integer("lines_scanned") > 0
        ),
        covers={"since": "since", "until": "until"},
        sentence="The timeout that the alert names stands in the log of that service and tenant",
    )
    no_recurrence_since = Fact(
        tool="count_log_matches",
        ask=lambda subject: {
            "query": subject["error_class"],
            "service": subject["service"],
            "tenant": subject["tenant"],
            "since": subject.started_at,
        },
        holds=lambda answer, subject: (
            answer.integer("match_count") == 0 and answer.integer("lines_scanned") > 0
        ),
        not_before=timedelta(minutes=10),
        max_age=timedelta(minutes=10),
        covers={"since": "since"},
        sentence="The same timeout has not been logged since the incident began",
    )
