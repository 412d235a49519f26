"""The backup ended well, is as large as the day before, and could be read back."""

from datetime import timedelta

from verdicts.fact import Fact
from verdicts.rule import Rule


class BackupIsWhole(Rule):
    """The backup ended well, is as large as the day before, and could be read back."""

    version = 1
    kinds = {"alert"}
    needs = {"backup"}
    applies_to = {"alertname": {"NightlyBackup"}}

    the_job_ended_well = Fact(
        tool="backup_job",
        ask=lambda subject: {"name": subject["backup"]},
        holds=lambda answer, subject: (
            answer.integer("job.exit_code") == 0 and answer.text("job.name") == subject["backup"]
        ),
        max_age=timedelta(minutes=10),
    )
    it_is_as_large_as_before = Fact(
        tool="backup_object",
        ask=lambda subject: {"name": subject["backup"]},
        holds=lambda answer, subject: (
            answer.integer("backup.bytes") * 2 >= answer.integer("backup.bytes_the_day_before") > 0
            and answer.flag("backup.was_read_back")
            and answer.instant("backup.made_at") > subject.started_at
            and answer.text("backup.name") == subject["backup"]
        ),
        max_age=timedelta(minutes=10),
    )
