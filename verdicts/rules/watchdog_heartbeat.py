"""A heartbeat alert fires as it is meant to, and its beat arrives.

Earned when the alerting rule is the constant one, it feeds the heartbeat that the alert names, and
that heartbeat is fresh and has missed nothing for a day. It is only news when it stops.
"""

from datetime import timedelta

from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule


def _is_fresh(answer: Answer, subject: Subject) -> bool:
    every = answer.integer("heartbeat.every_seconds")
    return (
        0 <= answer.integer("heartbeat.age_seconds") <= 2 * every
        and every > 0
        and answer.integer("heartbeat.missed_24h") == 0
        and answer.integer("heartbeat.beats_24h") > 0
        and answer.text("heartbeat.name") == subject["heartbeat"]
    )


class WatchdogHeartbeat(Rule):
    """A heartbeat alert fires as it is meant to, and its beat arrives."""

    version = 1
    kinds = {"alert"}
    needs = {"alertname", "heartbeat"}
    applies_to = {"alertname": {"Watchdog", "DeadMansSwitch"}}
    draft_pass = (
        "{alertname} fires all the time by design; it proves that alerts reach people. Its heartbeat "
        "{heartbeat} is fresh and has missed nothing for a day. Nothing has to be done."
    )

    rule_always_fires = Fact(
        tool="find_alert_rule",
        ask=lambda subject: {"alertname": subject["alertname"]},
        holds=lambda answer, subject: (
            answer.text("rule.expression") == "vector(1)"
            and answer.text("rule.heartbeat") == subject["heartbeat"]
            and answer.text("rule.name") == subject["alertname"]
        ),
        sentence="The alerting rule is vector(1) and feeds this heartbeat",
    )
    heartbeat_is_fresh = Fact(
        tool="heartbeat_status",
        ask=lambda subject: {"name": subject["heartbeat"]},
        holds=_is_fresh,
        max_age=timedelta(minutes=5),
        sentence="The last beat is at most two intervals old, and none is missing from the last day",
    )
