"""An alert fell into work that had been announced, and the service is back.

Earned when the alert began inside a window that was announced before it opened and was not cancelled, and
every probe of the last five samples, all of them since the alert, answered. The work may still be going
on: what it breaks next is another alert. A slow service is for a person: that it answers says not how fast.
"""

from datetime import timedelta

from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule


def _was_planned(answer: Answer, subject: Subject) -> bool:
    windows = answer.items("windows")
    return any(_covers(window, subject) for window in windows) and answer.integer("row_count") == len(windows)


def _covers(window: Answer, subject: Subject) -> bool:
    return (
        window.text("state") in {"running", "finished"}
        and window.instant("announced_at") < window.instant("starts_at") <= subject.started_at
        and subject.started_at <= window.planned("ends_at")
        and window.text("service") == subject["service"]
    )


def _is_back(answer: Answer, subject: Subject) -> bool:
    return (
        answer.integer("health.probes_ok_last_five") == answer.integer("health.probes_last_five") > 0
        # With fewer since the alert began, the last five are from before it.
        and answer.integer("health.samples") >= 5
        and 0 <= answer.integer("health.newest_age_seconds") <= 180
        and answer.text("health.service") == subject["service"]
    )


class PlannedMaintenance(Rule):
    """An alert fell into work that had been announced, and the service is back."""

    version = 3
    kinds = {"alert"}
    needs = {"service"}
    applies_to = {"alertname": {"TargetDown"}}
    draft_pass = (
        "The alert began while announced work on {service} was going on. Probes reach {service} again. "
        "Nothing has to be done."
    )

    work_was_announced = Fact(
        tool="maintenance_at",
        ask=lambda subject: {"service": subject["service"], "moment": subject.started_at},
        holds=_was_planned,
        sentence="The alert began inside a window of work that was announced beforehand and not cancelled",
    )
    service_is_back = Fact(
        tool="service_health",
        ask=lambda subject: {"service": subject["service"], "since": subject.started_at},
        holds=_is_back,
        max_age=timedelta(minutes=10),
        sentence="Every probe of the last five samples answered",
    )
