"""A customer misses an e-mail that their mail server took in.

Earned when the order is the customer's own, every mail that it should have caused was made, and each of
them was delivered to the address that the claim came from; none bounced then or later.
"""

from assay_core.arguments import lower, upper
from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule

#: What an order causes: a mail about anything else stands for none of these.
TEMPLATES = {"order_confirmation", "shipping_notice", "refund_paid"}


def _is_theirs(answer: Answer, subject: Subject) -> bool:
    return answer.flag("ownership.is_theirs") and answer.text("ownership.order_id") == upper(
        subject["order_id"].strip()
    )


def _is_complete(answer: Answer, subject: Subject) -> bool:
    return answer.integer("order.mails_on_record") == answer.integer("order.mails_due") > 0 and answer.text(
        "order.id"
    ) == upper(subject["order_id"].strip())


def _all_arrived(answer: Answer, subject: Subject) -> bool:
    mails = answer.items("emails")
    templates = [mail.text("template") for mail in mails]
    return (
        all(mail.text("state") == "delivered" for mail in mails)
        and all(_has_arrived(mail, subject) for mail in mails)
        and templates.count("order_confirmation") == 1
        # A second one of these would stand for a mail that was never made.
        and templates.count("shipping_notice") <= 1
        and all(template in TEMPLATES for template in templates)
        and answer.integer("row_count") == len(mails)
    )


def _has_arrived(mail: Answer, subject: Subject) -> bool:
    return (
        mail.is_null("bounced_at")
        and lower(mail.text("to_address")) == lower(subject["email"].strip())
        and mail.instant("delivered_at") >= mail.instant("queued_at")
        and mail.text("order_id") == upper(subject["order_id"].strip())
    )


class EmailWasDelivered(Rule):
    """A customer misses an e-mail that their mail server took in."""

    version = 2
    kinds = {"claim"}
    needs = {"order_id", "email"}
    applies_to = {"about": {"email"}}
    draft_pass = (
        "Every e-mail about order {order_id} was taken in by the mail server of {email}. "
        "Please look into your spam folder and into filters that move or delete mail."
    )

    order_is_theirs = Fact(
        tool="check_ownership",
        ask=lambda subject: {"order_id": subject["order_id"], "email": subject["email"]},
        holds=_is_theirs,
        sentence="The order was placed from this e-mail address",
    )
    no_mail_is_missing = Fact(
        tool="find_order",
        ask=lambda subject: {"order_id": subject["order_id"]},
        holds=_is_complete,
        sentence="Every e-mail that the order should have caused was sent",
    )
    every_mail_arrived = Fact(
        tool="list_emails",
        ask=lambda subject: {"order_id": subject["order_id"]},
        holds=_all_arrived,
        sentence="Each e-mail was taken in for this address, and none came back",
    )
