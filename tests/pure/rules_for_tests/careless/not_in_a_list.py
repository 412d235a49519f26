"""No run failed, as far as a list that may be renamed or reworded tells."""

from verdicts.fact import Fact
from verdicts.rule import Rule


class NotInAList(Rule):
    """No run failed, as far as a list that may be reworded tells."""

    version = 1
    kinds = {"alert"}

    none_failed = Fact(
        tool="list_job_runs",
        ask=lambda subject: {},
        holds=lambda answer, subject: "failed" not in [run.text("state") for run in answer.items("runs")],
    )
