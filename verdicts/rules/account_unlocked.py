"""A customer could not sign in, and has signed in since.

Earned when the account is the customer's own, it was locked and is not any more, and its owner signed in
after the claim says that they could not, and after it was unlocked: the claim alone says when it began.
"""

from datetime import timedelta

from assay_core.arguments import upper
from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule


def _signed_in_since(answer: Answer, subject: Subject) -> bool:
    return (
        answer.flag("account.is_theirs")
        and answer.flag("account.is_locked") is False
        and answer.instant("account.unlocked_at") > answer.instant("account.locked_at")
        and answer.instant("account.last_login_at") > subject.started_at
        # When it began is the customer's word: a sign-in from before the lock must not count.
        and answer.instant("account.last_login_at") > answer.instant("account.unlocked_at")
        and answer.integer("account.failed_logins") == 0
        and answer.text("account.customer_id") == upper(subject["customer_id"].strip())
    )


class AccountUnlocked(Rule):
    """A customer could not sign in, and has signed in since."""

    version = 3
    kinds = {"claim"}
    needs = {"customer_id", "email"}
    applies_to = {"about": {"account"}}
    draft_pass = (
        "Your account had been locked after several wrong passwords. It is open again, and we see a sign-in "
        "after that. If that was not you, please tell us at once."
    )

    owner_signed_in_since = Fact(
        tool="find_account",
        ask=lambda subject: {"customer_id": subject["customer_id"], "email": subject["email"]},
        holds=_signed_in_since,
        max_age=timedelta(minutes=10),
        sentence="The account has this address, was unlocked, and was signed in to after that",
    )
