"""The job has some end, whatever that is."""

from verdicts.fact import Fact
from verdicts.rule import Rule


class OnlyNotNull(Rule):
    """The job has some end, whatever that is."""

    version = 1
    kinds = {"alert"}

    has_ended = Fact(
        tool="list_job_runs",
        ask=lambda subject: {},
        holds=lambda answer, subject: not answer.is_null("ended_at"),
    )
