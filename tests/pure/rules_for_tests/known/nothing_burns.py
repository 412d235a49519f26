"""Nothing fires but the alert that always does, and its beat arrives."""

from datetime import timedelta

from verdicts.fact import Fact
from verdicts.rule import Rule


class NothingBurns(Rule):
    """Nothing fires but the alert that always does, and its beat arrives."""

    version = 1
    kinds = {"alert"}
    needs = {"heartbeat"}
    applies_to = {"alertname": {"AnythingBurning"}}

    only_the_watchdog_fires = Fact(
        tool="firing_alerts",
        ask=lambda subject: {},
        holds=lambda answer, subject: (
            answer.count("alerts") == answer.integer("row_count") == 1
            and answer.text("alerts.0.name") == "Watchdog"
        ),
        max_age=timedelta(minutes=10),
    )
    its_beat_arrives = Fact(
        tool="heartbeat_status",
        ask=lambda subject: {"name": subject["heartbeat"]},
        holds=lambda answer, subject: (
            0 <= answer.integer("heartbeat.age_seconds") <= 2 * answer.integer("heartbeat.every_seconds")
            and answer.integer("heartbeat.missed_24h") == 0
            and answer.text("heartbeat.name") == subject["heartbeat"]
        ),
        max_age=timedelta(minutes=10),
    )
