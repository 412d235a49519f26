"""A customer sees two charges, and money was taken once.

Earned when the order is the customer's own, one capture settled and no other can, every authorization was
used or released, what was taken is what was invoiced, and no second order like it was charged.
"""

from assay_core.arguments import upper
from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule

# A pending capture can still take money, and an open hold may: neither is here.
DEAD_CAPTURES = {"declined", "voided", "expired"}
CLOSED_HOLDS = {"captured", "voided", "expired"}


def _is_theirs(answer: Answer, subject: Subject) -> bool:
    return answer.flag("ownership.is_theirs") and answer.text("ownership.order_id") == upper(
        subject["order_id"].strip()
    )


def _taken_once(answer: Answer, subject: Subject) -> bool:
    payments = answer.items("payments")
    order = upper(subject["order_id"].strip())
    captures = [each.text("state") for each in payments if each.text("kind") == "capture"]
    holds = [each.text("state") for each in payments if each.text("kind") == "authorization"]
    return (
        captures.count("settled") == 1
        and all(state == "settled" or state in DEAD_CAPTURES for state in captures)
        and all(state == "declined" or state in CLOSED_HOLDS for state in holds)
        and any(state in CLOSED_HOLDS for state in holds)
        and len(captures) + len(holds) == len(payments) == answer.integer("row_count")
        and all(each.text("order_id") == order for each in payments)
    )


def _taken_as_invoiced(answer: Answer, subject: Subject) -> bool:
    return (
        answer.integer("invoice.settled_cents") == answer.integer("invoice.total_cents") > 0
        and answer.integer("invoice.settled_captures") == 1
        and answer.integer("invoice.other_currency_captures") == 0
        and answer.text("invoice.order_id") == upper(subject["order_id"].strip())
    )


class SingleChargeShownTwice(Rule):
    """A customer sees two charges, and money was taken once."""

    version = 2
    kinds = {"claim"}
    needs = {"order_id", "email"}
    applies_to = {"about": {"charge"}}
    draft_pass = (
        "For order {order_id} money was taken once. The second line on your statement is the reservation "
        "that your bank made when you ordered; it has been released and vanishes within a few days."
    )

    order_is_theirs = Fact(
        tool="check_ownership",
        ask=lambda subject: {"order_id": subject["order_id"], "email": subject["email"]},
        holds=_is_theirs,
        sentence="The order was placed from this e-mail address",
    )
    money_was_taken_once = Fact(
        tool="list_payments",
        ask=lambda subject: {"order_id": subject["order_id"]},
        holds=_taken_once,
        sentence="Money was taken once, nothing more can be, and every reservation was used or released",
    )
    taken_is_what_was_invoiced = Fact(
        tool="find_invoice",
        ask=lambda subject: {"order_id": subject["order_id"]},
        holds=_taken_as_invoiced,
        sentence="What was taken is exactly the invoice's total",
    )
    no_twin_order_was_charged = Fact(
        tool="twin_orders",
        ask=lambda subject: {"order_id": subject["order_id"]},
        holds=lambda answer, subject: answer.integer("row_count") == answer.count("orders") == 0,
        accepts_empty=True,
        sentence="No second order of the same total was charged within a day",
    )
