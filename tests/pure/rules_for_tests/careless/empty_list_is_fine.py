"""Every run completed, where no runs at all count as every."""

from verdicts.fact import Fact
from verdicts.rule import Rule


class EmptyListIsFine(Rule):
    """Every run completed, where no runs at all count as every."""

    version = 1
    kinds = {"alert"}

    all_completed = Fact(
        tool="list_job_runs",
        ask=lambda subject: {},
        holds=lambda answer, subject: all(run.text("state") == "completed" for run in answer.items("runs")),
    )
