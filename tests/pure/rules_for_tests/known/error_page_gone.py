"""A customer saw an error page, and nobody has seen it since."""

from datetime import timedelta

from verdicts.fact import Fact
from verdicts.rule import Rule


class ErrorPageGone(Rule):
    """A customer saw an error page, and nobody has seen it since."""

    version = 1
    kinds = {"claim"}
    needs = {"service", "tenant"}
    applies_to = {"about": {"error_page"}}

    it_was_logged_here = Fact(
        tool="count_log_matches",
        ask=lambda subject: {
            "query": "error page",
            "service": subject["service"],
            "tenant": subject["tenant"],
            "since": subject.started_at - timedelta(hours=2),
            "until": subject.started_at,
        },
        holds=lambda answer, subject: answer.integer("match_count") > 0,
        covers={"since": "since", "until": "until"},
    )
    not_since = Fact(
        tool="count_log_matches",
        ask=lambda subject: {
            "query": "error page",
            "service": subject["service"],
            "tenant": subject["tenant"],
            "since": subject.started_at,
        },
        holds=lambda answer, subject: (
            answer.integer("match_count") == 0 and answer.integer("lines_scanned") > 0
        ),
        not_before=timedelta(minutes=15),
        max_age=timedelta(minutes=10),
        covers={"since": "since"},
    )
