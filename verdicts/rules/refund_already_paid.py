"""A customer asks for a refund that has been paid.

Earned when the order is the customer's own and every refund that was requested for it was paid, in full,
from that order's own payment, to where the money came from, before the claim came in.
"""

from assay_core.arguments import upper
from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule


def _is_theirs(answer: Answer, subject: Subject) -> bool:
    return answer.flag("ownership.is_theirs") and answer.text("ownership.order_id") == upper(
        subject["order_id"].strip()
    )


def _paid_in_full(answer: Answer, subject: Subject) -> bool:
    refunds = answer.items("refunds")
    return (
        len(refunds) > 0
        and all(_is_paid(refund, subject) for refund in refunds)
        and answer.integer("row_count") == len(refunds)
    )


def _is_paid(refund: Answer, subject: Subject) -> bool:
    order = upper(subject["order_id"].strip())
    return (
        refund.text("state") == "paid"
        and refund.integer("paid_cents") == refund.integer("requested_cents") > 0
        and refund.instant("requested_at") <= refund.instant("paid_at") < subject.received_at
        and refund.text("method") == "original_payment"
        and refund.text("currency") == refund.text("payment_currency")
        and refund.text("currency").strip() != ""
        and refund.text("payment_order_id") == order
        and refund.text("order_id") == order
    )


class RefundAlreadyPaid(Rule):
    """A customer asks for a refund that has been paid."""

    version = 2
    kinds = {"claim"}
    needs = {"order_id", "email"}
    applies_to = {"about": {"refund"}}
    draft_pass = (
        "Your refund for order {order_id} has been paid in full to the card or account that you paid with. "
        "Depending on your bank it can take up to five working days until it shows on your statement."
    )

    order_is_theirs = Fact(
        tool="check_ownership",
        ask=lambda subject: {"order_id": subject["order_id"], "email": subject["email"]},
        holds=_is_theirs,
        sentence="The order was placed from this e-mail address",
    )
    every_refund_was_paid_in_full = Fact(
        tool="list_refunds",
        ask=lambda subject: {"order_id": subject["order_id"]},
        holds=_paid_in_full,
        sentence="Every refund of the order was paid in full, to where the money came from, before the claim",
    )
