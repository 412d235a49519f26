"""A queue grew longer than usual and was worked off.

Earned when the queue is short now and stays so, somebody still takes from it, and its jobs
completed: none was thrown away, failed or given up since the incident began.
"""

from datetime import timedelta

from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule


def _is_short(answer: Answer, subject: Subject) -> bool:
    normal = answer.integer("queue.normal_depth")
    waits = timedelta(seconds=answer.integer("queue.oldest_seconds"))
    return (
        0 <= answer.integer("queue.depth") <= normal < answer.integer("queue.warn_depth")
        and 0 <= answer.integer("queue.deepest_of_last_five") <= normal
        and answer.integer("queue.consumers") > 0
        # It has been as long as the alert says: this is the queue, and the window, that it fired about.
        and answer.integer("queue.peak_depth") >= answer.integer("queue.warn_depth")
        and 0 <= answer.integer("queue.age_seconds") <= 180
        # What waits in it came after the alert: a job that nobody takes is no everyday depth.
        and waits >= timedelta(0)
        and answer.instant("queue.sampled_at") - waits > subject.started_at
        and answer.text("queue.name") == subject["queue"]
    )


def _worked_off(answer: Answer, subject: Subject) -> bool:
    return (
        answer.integer("jobs.purged") == 0
        and answer.integer("jobs.dead") == 0
        and answer.integer("jobs.failed") == 0
        and answer.integer("jobs.completed") > 0
        and answer.text("jobs.queue") == subject["queue"]
    )


class QueueDrained(Rule):
    """A queue grew longer than usual and was worked off."""

    version = 2
    kinds = {"alert"}
    needs = {"queue"}
    applies_to = {"alertname": {"QueueBacklog"}}
    draft_pass = (
        "The queue {queue} was longer than usual and has been worked off: it is at its everyday depth, its "
        "consumers are at work, and no job was lost on the way. Nothing has to be done."
    )

    queue_is_short_again = Fact(
        tool="queue_status",
        ask=lambda subject: {"queue": subject["queue"], "since": subject.started_at},
        holds=_is_short,
        max_age=timedelta(minutes=10),
        sentence="After a peak the last five samples are at the everyday depth, and consumers are at work",
    )
    jobs_were_worked_off = Fact(
        tool="count_jobs",
        ask=lambda subject: {"queue": subject["queue"], "since": subject.started_at},
        holds=_worked_off,
        max_age=timedelta(minutes=10),
        sentence="Jobs of the queue completed since the incident began, and none failed, died or was purged",
    )
