"""Every alert of a group is over, and none was cut off."""

from datetime import timedelta

from verdicts.fact import Fact
from verdicts.rule import Rule


class GroupIsOver(Rule):
    """Every alert of a group is over, and none was cut off."""

    version = 1
    kinds = {"alert"}
    needs = {"group_key"}
    applies_to = {"alertname": {"DiskFull"}}

    every_one_is_over = Fact(
        tool="alert_group",
        ask=lambda subject: {"group_key": subject["group_key"]},
        holds=lambda answer, subject: (
            all(alert.text("status") == "resolved" for alert in answer.items("alerts"))
            and answer.count("alerts") > 0
            and answer.integer("truncated_alerts") == 0
            and answer.text("group_key") == subject["group_key"]
        ),
        max_age=timedelta(minutes=10),
    )
