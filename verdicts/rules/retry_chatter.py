"""A service logged more warnings than usual, and every retry behind them succeeded.

Earned when the warnings are where the alert says, not one error was logged there in the hour before the alert
or since, and the service answered with hardly any errors, measured without a gap.
"""

from datetime import timedelta

from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule

BEFORE = timedelta(hours=1)


def _is_healthy(answer: Answer, subject: Subject) -> bool:
    return (
        answer.integer("health.errors") >= 0
        and answer.integer("health.errors") * 200 <= answer.integer("health.requests")
        and answer.integer("health.requests") > 0
        and answer.integer("health.probes_ok") == answer.integer("health.probes") > 0
        # Samples come each minute: a gap could hide what the alert is about, and one that counts twice a gap.
        and abs(answer.integer("health.samples") - answer.integer("health.samples_due")) <= 1
        and answer.integer("health.samples_due") >= 10
        and answer.text("health.service") == subject["service"]
    )


class RetryChatter(Rule):
    """A service logged more warnings than usual, and every retry behind them succeeded."""

    version = 2
    kinds = {"alert"}
    needs = {"service"}
    applies_to = {"alertname": {"WarnLogRateHigh"}}
    draft_pass = (
        "{service} logged many warnings about retries, and not one error: every retry succeeded, and its "
        "requests are answered as usual. Nothing has to be done."
    )

    # The positive control: the warnings of the alert stand in the very log that is searched for errors.
    warnings_were_logged_here = Fact(
        tool="count_log_level",
        ask=lambda subject: {
            "service": subject["service"],
            "level": "warning",
            "since": subject.started_at - BEFORE,
            "until": subject.started_at,
        },
        holds=lambda answer, subject: (
            answer.integer("match_count") > 0 and answer.integer("lines_scanned") > 0
        ),
        covers={"since": "since", "until": "until"},
        sentence="The warnings that the alert counts stand in the log of that service",
    )
    no_error_was_logged = Fact(
        tool="count_log_level",
        ask=lambda subject: {
            "service": subject["service"],
            "level": "error",
            "since": subject.started_at - BEFORE,
        },
        holds=lambda answer, subject: (
            answer.integer("match_count") == 0 and answer.integer("lines_scanned") > 0
        ),
        not_before=timedelta(minutes=10),
        max_age=timedelta(minutes=10),
        covers={"since": "since"},
        sentence="Not one error was logged there in the hour before the alert or since",
    )
    requests_are_answered = Fact(
        tool="service_health",
        ask=lambda subject: {"service": subject["service"], "since": subject.started_at},
        holds=_is_healthy,
        max_age=timedelta(minutes=10),
        sentence="Since the alert every probe answered and at most one request in two hundred failed",
    )
