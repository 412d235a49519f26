"""A volume was almost full and has room again.

Earned when the volume was as full as the alert says, has been below four fifths for its last five samples,
can be written, and is still being measured.
"""

from datetime import timedelta

from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule


def _has_room(answer: Answer, subject: Subject) -> bool:
    size, used = answer.integer("disk.size_bytes"), answer.integer("disk.used_bytes")
    return (
        used >= 0
        # The newest sample is one of the five.
        and answer.integer("disk.most_used_of_last_five") >= used
        and answer.integer("disk.most_used_of_last_five") * 10 <= size * 8
        # It has been as full as the alert says: this is the volume, and the window, that it fired about.
        and answer.integer("disk.peak_used_bytes") * 10 >= size * 9
        and size > 0
        and answer.flag("disk.is_writable")
        and answer.integer("disk.samples") >= 5
        and 0 <= answer.integer("disk.age_seconds") <= 300
        and answer.text("disk.instance") == subject["instance"]
        and answer.text("disk.mount") == subject["mountpoint"]
    )


class DiskSpaceRecovered(Rule):
    """A volume was almost full and has room again."""

    version = 2
    kinds = {"alert"}
    needs = {"instance", "mountpoint"}
    applies_to = {"alertname": {"DiskAlmostFull"}}
    draft_pass = (
        "{mountpoint} on {instance} was almost full and has been below four fifths since. It can be written. "
        "Nothing has to be done; if it happens again, look at what grew."
    )

    volume_has_room_again = Fact(
        tool="disk_status",
        ask=lambda subject: {
            "instance": subject["instance"],
            "mount": subject["mountpoint"],
            "since": subject.started_at,
        },
        holds=_has_room,
        max_age=timedelta(minutes=10),
        sentence="After a peak of nine tenths its last five samples are below four fifths; it can be written",
    )
