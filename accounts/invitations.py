"""Invitations: how an account comes to be. Made by an administrator, for one person, used once, soon over."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from accounts import people
from accounts.models import Invitation, Team, User
from accounts.roles import Role
from audit import writing

LASTS = timedelta(days=7)


class InvitationRefused(ValueError):
    """An invitation cannot be made or used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """What a person who accepts says of themselves. Without a password they come by single sign-on."""

    username: str
    full_name: str
    password: str | None = None
    time_zone: str = ""


def invite(email: str, *, role: Role, team: Team | None, by: User, now: datetime) -> tuple[Invitation, str]:
    """Make an invitation and return it with its secret, which is kept nowhere. Raises InvitationRefused."""
    if User.objects.filter(email__iexact=email).exists():
        raise InvitationRefused(f"{email} has an account. Change its role or teams on its page.")
    open_one = usable(now).filter(email__iexact=email).first()
    if open_one is not None:
        raise InvitationRefused(
            f"{open_one.made_by} has invited {email} already: that link works until "
            f"{open_one.expires_at:%Y-%m-%d %H:%M} UTC. Withdraw that invitation to make another."
        )
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        invitation = Invitation.objects.create(
            email=email,
            role=role.value,
            team=team,
            secret_digest=_digest(secret),
            made_by=by,
            made_at=now,
            expires_at=now + LASTS,
        )
        _note("invitation.made", invitation, by.actor)
    return invitation, secret


def withdraw(invitation_id: int, *, by: User, now: datetime) -> Invitation:
    """End an invitation that nobody has used. Raises InvitationRefused where there is none such."""
    with transaction.atomic():
        open_ones = Invitation.objects.filter(pk=invitation_id, accepted_at=None, withdrawn_at=None)
        if not open_ones.update(withdrawn_at=now):
            raise InvitationRefused("This invitation is used or withdrawn already.")
        invitation = Invitation.objects.get(pk=invitation_id)
        _note("invitation.withdrawn", invitation, by.actor)
    return invitation


def usable(now: datetime) -> QuerySet[Invitation]:
    """Return the invitations that can be used at this moment."""
    return Invitation.objects.filter(
        Q(accepted_at=None, withdrawn_at=None, expires_at__gt=now, made_by__is_active=True)
    )


def behind(secret: str, now: datetime) -> Invitation | None:
    """Return the usable invitation with this secret, if there is one."""
    return usable(now).select_related("team", "made_by").filter(secret_digest=_digest(secret)).first()


def accept(invitation: Invitation, newcomer: Newcomer, *, now: datetime) -> User:
    """Make the account, with the invitation's role and team. Raises InvitationRefused.

    The second of two who accept at once finds the invitation used.
    """
    first, _, last = newcomer.full_name.strip().partition(" ")
    try:
        with transaction.atomic():
            user = User.objects.create_user(
                newcomer.username,
                email=invitation.email,
                password=newcomer.password,
                first_name=first,
                last_name=last,
                time_zone=newcomer.time_zone,
            )
            is_mine = usable(now).filter(pk=invitation.pk).update(accepted_at=now, accepted_by=user)
            if not is_mine:
                raise InvitationRefused("This invitation is used, withdrawn or too old. Ask for another one.")
            _note("invitation.accepted", invitation, user.actor, username=user.username)
            people.give_role(user, Role(invitation.role), by=user.actor)
            people.put_into_teams(user, [invitation.team_id] if invitation.team_id else [], by=user.actor)
    except IntegrityError:
        raise InvitationRefused(f"The name {newcomer.username!r} is taken. Choose another.") from None
    return user


def _note(kind: str, invitation: Invitation, actor: str, **more: str) -> None:
    writing.write(
        kind,
        {
            "invitation": invitation.pk,
            "email": invitation.email,
            "role": invitation.role,
            "team": invitation.team.slug if invitation.team else None,
            **more,
        },
        actor=actor,
    )


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
