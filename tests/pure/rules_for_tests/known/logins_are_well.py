"""Logins failed, and the service says of itself, since then, that it is well."""

from datetime import timedelta

from verdicts.fact import Fact
from verdicts.rule import Rule


class LoginsAreWell(Rule):
    """Logins failed, and the service says of itself, since then, that it is well."""

    version = 1
    kinds = {"alert"}
    needs = {"service"}
    applies_to = {"alertname": {"LoginFailures"}}

    it_says_so_since = Fact(
        tool="health_summary",
        ask=lambda subject: {"service": subject["service"]},
        holds=lambda answer, subject: (
            answer.text("summary.status") == "ok"
            and answer.instant("summary.generated_at") > subject.started_at
            and answer.text("summary.service") == subject["service"]
        ),
        max_age=timedelta(minutes=10),
    )
