"""Payments were declined, and none has been since."""

from datetime import timedelta

from verdicts.fact import Fact
from verdicts.rule import Rule


class DeclinesStopped(Rule):
    """Payments were declined, and none has been since."""

    version = 1
    kinds = {"alert"}
    needs = {"index", "error_type"}
    applies_to = {"alertname": {"PaymentDeclinedError"}}

    declines_stand_here = Fact(
        tool="count_documents",
        ask=lambda subject: {
            "index": subject["index"],
            "error_type": subject["error_type"],
            "since": subject.started_at - timedelta(hours=1),
            "until": subject.started_at,
        },
        holds=lambda answer, subject: answer.integer("match_count") > 0,
        covers={"since": "since", "until": "until"},
    )
    none_since = Fact(
        tool="count_documents",
        ask=lambda subject: {
            "index": subject["index"],
            "error_type": subject["error_type"],
            "since": subject.started_at,
        },
        holds=lambda answer, subject: (
            answer.integer("match_count") == 0 and answer.integer("documents_in_window") > 0
        ),
        not_before=timedelta(minutes=15),
        max_age=timedelta(minutes=10),
        covers={"since": "since"},
    )
