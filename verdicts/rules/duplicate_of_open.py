"""Somebody works on the same alert already: an older ticket about the very same thing is open.

Earned when a ticket with exactly this alert's name and instance was opened before it, at most a week before,
is still open, and has somebody who took it. A ticket that nobody took is no answer to anybody.
"""

from datetime import timedelta

from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule

OLDEST = timedelta(days=7)


def _is_worked_on(answer: Answer, subject: Subject) -> bool:
    tickets = answer.items("tickets")
    return (
        all(_is_about_it(ticket, subject) for ticket in tickets)
        and any(_is_taken(ticket, subject) for ticket in tickets)
        and answer.integer("row_count") == len(tickets)
    )


def _is_about_it(ticket: Answer, subject: Subject) -> bool:
    return (
        ticket.text("state") == "open"
        and ticket.text("alertname") == subject["alertname"]
        and ticket.text("instance") == subject["instance"]
    )


def _is_taken(ticket: Answer, subject: Subject) -> bool:
    return (
        subject.started_at - OLDEST <= ticket.instant("opened_at") < subject.started_at
        and ticket.text("taken_by").strip() != ""
        and ticket.instant("taken_at") > ticket.instant("opened_at")
    )


class DuplicateOfOpen(Rule):
    """Somebody works on the same alert already: an older ticket about the very same thing is open."""

    version = 2
    kinds = {"alert"}
    needs = {"alertname", "instance"}
    applies_to = {"alertname": {"ConnectionsHigh", "InstanceDown"}}
    draft_pass = (
        "An older ticket about {alertname} on {instance} is open, and somebody has taken it. This incident "
        "says nothing new: close it as a duplicate of that one."
    )

    same_alert_is_worked_on = Fact(
        tool="open_alerts",
        ask=lambda subject: {"alertname": subject["alertname"], "instance": subject["instance"]},
        holds=_is_worked_on,
        max_age=timedelta(minutes=10),
        sentence="An older ticket about the same alert on the same instance is open, and somebody took it",
    )
