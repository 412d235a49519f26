"""A replica was behind and has caught up."""

from datetime import timedelta

from verdicts.fact import Fact
from verdicts.rule import Rule


class ReplicaCaughtUp(Rule):
    """A replica was behind and has caught up."""

    version = 1
    kinds = {"alert"}
    needs = {"instance"}
    applies_to = {"alertname": {"ReplicaLagHigh"}}

    it_is_within_its_limit = Fact(
        tool="replica_status",
        ask=lambda subject: {"instance": subject["instance"]},
        holds=lambda answer, subject: (
            0 <= answer.integer("replica.lag_seconds") <= answer.integer("replica.limit_seconds")
            and answer.integer("replica.open_errors") == 0
            and answer.text("replica.instance") == subject["instance"]
        ),
        max_age=timedelta(minutes=10),
    )
