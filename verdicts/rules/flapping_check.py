"""A check goes on and off while the service that it watches answers as usual.

Earned when the check came at least three times within the hour before the alert or since, never for more than
three minutes, has been quiet for ten, and the service's own figures over all that time show hardly an error.
"""

from datetime import timedelta

from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule

BEFORE = timedelta(hours=1)


def _flapped(answer: Answer, subject: Subject) -> bool:
    return (
        answer.integer("record.episodes") >= 3
        and not answer.flag("record.is_firing")
        and answer.integer("record.quiet_seconds") >= 600
        # It is evaluated each minute: a gap could hide an outage, and a sample that counts twice a gap.
        and abs(answer.integer("record.samples") - answer.integer("record.samples_due")) <= 1
        and 1 <= answer.integer("record.longest_episode") <= 3
        and 0 <= answer.integer("record.newest_age_seconds") <= 180
        and answer.text("record.alertname") == subject["alertname"]
        and answer.text("record.instance") == subject["instance"]
    )


def _answered(answer: Answer, subject: Subject) -> bool:
    return (
        answer.integer("health.errors") >= 0
        and answer.integer("health.errors") * 200 <= answer.integer("health.requests")
        and answer.integer("health.requests") > 0
        and answer.integer("health.probes_ok_last_five") == answer.integer("health.probes_last_five") > 0
        and abs(answer.integer("health.samples") - answer.integer("health.samples_due")) <= 1
        and 0 <= answer.integer("health.newest_age_seconds") <= 180
        and answer.text("health.service") == subject["service"]
        # Whoever sends the alert names both: a service that is well says nothing of another one's instance.
        and subject["instance"].rpartition("-")[0] == subject["service"]
    )


class FlappingCheck(Rule):
    """A check goes on and off while the service that it watches answers as usual."""

    version = 3
    kinds = {"alert"}
    needs = {"alertname", "instance", "service"}
    applies_to = {"alertname": {"CheckFlapping", "ProbeFailed"}}
    draft_pass = (
        "{alertname} on {instance} came and went several times, for minutes only, while requests to "
        "{service} were answered as usual; it is quiet now. The check itself deserves a look."
    )

    check_flapped = Fact(
        tool="alert_record",
        ask=lambda subject: {
            "alertname": subject["alertname"],
            "instance": subject["instance"],
            "since": subject.started_at - BEFORE,
        },
        holds=_flapped,
        not_before=timedelta(minutes=10),
        max_age=timedelta(minutes=10),
        sentence="The check came at least three times, never for long, and has been quiet for ten minutes",
    )
    requests_are_answered = Fact(
        tool="service_health",
        ask=lambda subject: {"service": subject["service"], "since": subject.started_at - BEFORE},
        holds=_answered,
        not_before=timedelta(minutes=10),
        max_age=timedelta(minutes=10),
        sentence="In all that time at most one request in two hundred failed, and each late probe answered",
    )
