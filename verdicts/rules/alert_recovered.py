"""An alert was over by itself and has stayed over.

Earned when the monitoring's own record shows that it fired once since it began, has not for a quarter of an
hour, and was looked at each minute without a gap; and every late probe of the service answered.
"""

from datetime import timedelta

from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule


def _stayed_over(answer: Answer, subject: Subject) -> bool:
    return (
        not answer.flag("record.is_firing")
        # Null if it never fired in this record: then this is not the alert that was reported.
        and answer.integer("record.quiet_seconds") > 900
        and answer.integer("record.episodes") == 1
        # It is evaluated each minute: a gap could hide that it fired again, and a doubled sample a gap.
        and abs(answer.integer("record.samples") - answer.integer("record.samples_due")) <= 1
        and 0 <= answer.integer("record.newest_age_seconds") <= 180
        and answer.text("record.alertname") == subject["alertname"]
        and answer.text("record.instance") == subject["instance"]
    )


def _is_reached(answer: Answer, subject: Subject) -> bool:
    return (
        answer.integer("health.probes_ok_last_five") == answer.integer("health.probes_last_five") > 0
        # With fewer since the alert began, the last five are from before it.
        and answer.integer("health.samples") >= 5
        and 0 <= answer.integer("health.newest_age_seconds") <= 180
        and answer.text("health.service") == subject["service"]
        # Whoever sends the alert names both: a service that is well says nothing of another one's instance.
        and subject["instance"].rpartition("-")[0] == subject["service"]
    )


class AlertRecovered(Rule):
    """An alert was over by itself and has stayed over."""

    version = 3
    kinds = {"alert"}
    needs = {"alertname", "instance", "service"}
    applies_to = {"alertname": {"CpuHigh", "ErrorRateHigh"}}
    draft_pass = (
        "{alertname} on {instance} fired once, and has been over for more than a quarter of an hour. Every "
        "probe of {service} is answered. Nothing has to be done now; if it comes again, look for what recurs."
    )

    alert_stayed_over = Fact(
        tool="alert_record",
        ask=lambda subject: {
            "alertname": subject["alertname"],
            "instance": subject["instance"],
            "since": subject.started_at,
        },
        holds=_stayed_over,
        not_before=timedelta(minutes=15),
        max_age=timedelta(minutes=10),
        sentence="It fired once, has not for a quarter of an hour, and was looked at without a gap",
    )
    service_is_reached = Fact(
        tool="service_health",
        ask=lambda subject: {"service": subject["service"], "since": subject.started_at},
        holds=_is_reached,
        max_age=timedelta(minutes=10),
        sentence="Every probe of the last five samples answered",
    )
