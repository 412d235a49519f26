"""Whose account a person has whom the identity provider vouches for."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts import invitations
from accounts.models import User
from audit import writing

_NOT_IN_A_NAME = re.compile(r"[^\w.@+-]+")


@dataclass(frozen=True, slots=True)
class Claim:
    """What the provider says of somebody. `email` is empty unless it says that the address is verified."""

    email: str
    username: str
    full_name: str


def claim_of(sociallogin: Any) -> Claim:
    """Return the claim in allauth's sign-in."""
    verified = [address.email for address in sociallogin.email_addresses if address.verified]
    user = sociallogin.user
    return Claim(verified[0] if verified else "", user.username, user.get_full_name())


def person_for(claim: Claim, now: datetime) -> User | str:
    """Return the account that the claim opens, or why there is none, in words.

    It is the one active account with the verified address, else the one that an invitation to it makes now.
    """
    if not claim.email:
        return (
            "The identity provider names no verified e-mail address of yours, so no account was looked for."
        )
    owners = list(User.objects.filter(email__iexact=claim.email)[:2])
    if len(owners) > 1:
        return f"Several accounts have the address {claim.email}. Ask an administrator to leave it to one."
    if owners:
        _note_link(owners[0], claim)
        return owners[0]
    invitation = invitations.usable(now).filter(email__iexact=claim.email).order_by("-made_at").first()
    if invitation is None:
        return (
            f"Nobody with the address {claim.email} has an account here. Ask an administrator to invite you."
        )
    newcomer = invitations.Newcomer(_free_name(claim), claim.full_name)
    try:
        return invitations.accept(invitation, newcomer, now=now)
    except invitations.InvitationRefused as refusal:
        return str(refusal)


def write_refusal(address: str, reason: str) -> None:
    """Write that somebody came from the identity provider and was not let in."""
    writing.write(
        "session.refused", {"username": None, "address": address, "reason": reason}, actor="visitor"
    )


def _note_link(person: User, claim: Claim) -> None:
    writing.write("person.linked", {"username": person.username, "email": claim.email}, actor=person.actor)


def _free_name(claim: Claim) -> str:
    wanted = _NOT_IN_A_NAME.sub("-", claim.username or claim.email.partition("@")[0])[:140] or "person"
    taken = set(User.objects.filter(username__startswith=wanted).values_list("username", flat=True))
    names = [wanted, *(f"{wanted}-{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)
