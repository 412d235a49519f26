"""Bearer tokens: made once, kept as a hash, looked up anew for every request, revoked for good."""

import hashlib
import json
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import IntegrityError, transaction

from accounts.models import Token, User
from accounts.permissions import Permission
from assay_core.instants import as_text
from audit import prepared, writing
from audit.straight import Meanwhile

PREFIX = "assay_"
LONGEST = timedelta(days=366)
_SHAPE = re.compile(r"assay_[A-Za-z0-9_-]{43}")


class Scope(StrEnum):
    """What a token opens. None of them lets its bearer decide or approve anything."""

    INGEST = "ingest"
    READ = "read"
    TOOLS = "tools"
    SUBMIT = "submit"


# A token can never do more than its owner's role allows at the moment it is used.
NEEDS = {
    Scope.INGEST: Permission.SUBMIT_CLAIMS,
    Scope.READ: Permission.SEE_INCIDENTS,
    Scope.TOOLS: Permission.TRIAGE_INCIDENTS,
    Scope.SUBMIT: Permission.TRIAGE_INCIDENTS,
}


class TokenNotMade(ValueError):
    """A token cannot be made as asked; the message says why and what to do."""


class TokenRefused(Exception):
    """A token opens nothing here. `name` is set when it is one of ours, so that it can be recorded."""

    def __init__(self, reason: str, name: str = "") -> None:
        super().__init__(reason)
        self.reason, self.name = reason, name


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is behind a token at this moment, as plain values. Holds no secret."""

    name: str
    owner: int
    scopes: frozenset[Scope]
    tools: frozenset[str] | None = None
    investigation: int | None = None

    @property
    def actor(self) -> str:
        """How the audit log names this caller."""
        return f"token:{self.name}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a token is made for."""

    name: str
    scopes: Collection[str]
    audience: str
    lasts: timedelta
    tools: Collection[str] = ()
    investigation: int | None = None


def make(wanted: Wanted, *, owner: User, by: str, now: datetime) -> tuple[Token, str]:
    """Make a token and return it with its secret, which is kept nowhere. Raises TokenNotMade."""
    scopes = _checked(wanted, owner)
    secret = PREFIX + secrets.token_urlsafe(32)
    try:
        with transaction.atomic():
            token = Token.objects.create(
                name=wanted.name,
                owner=owner,
                secret_digest=_digest(secret),
                scopes=scopes,
                tools=sorted(wanted.tools),
                audience=wanted.audience,
                investigation=wanted.investigation,
                created_at=now,
                expires_at=now + wanted.lasts,
            )
            _note("token.made", token, by, owner=owner.username, expires_at=token.expires_at.isoformat())
    except IntegrityError:
        raise TokenNotMade(
            f"There is, or was, a token {wanted.name!r}. The audit log knows it by that name: choose another."
        ) from None
    return token, secret


def verify(secret: str, *, audience: str, now: datetime) -> Caller:
    """Return who is behind a secret, noting its use. Raises TokenRefused."""
    return verify_beside(secret, audience=audience, now=now, beside="NULL")[0]


def verify_beside(
    secret: str, *, audience: str, now: datetime, beside: str, meanwhile: Meanwhile | None = None
) -> tuple[Caller, Any]:
    """Verify, and return too what `beside` is: a scalar expression of SQL, read by the same statement.

    `meanwhile` runs while the database is at that, as a rule: nobody knows yet whether the token is good.
    """
    if not _SHAPE.fullmatch(secret):
        raise TokenRefused("the token is not one of ours")
    token, value = _looked_up(secret, beside, now, meanwhile)
    if token is None:
        raise TokenRefused("the token is unknown")
    reason = _why_not(token, audience)
    if reason:
        raise TokenRefused(reason, token.caller.name)
    _note_use(token, now)
    return token.caller, value


def name_of(secret: str) -> str:
    """Return the name of the token with this secret, usable or not; an empty text where there is none."""
    if not _SHAPE.fullmatch(secret):
        return ""
    return Token.objects.filter(secret_digest=_digest(secret)).values_list("name", flat=True).first() or ""


def revoke(name: str, *, by: str, because: str, now: datetime) -> None:
    """End a token for good. Raises TokenRefused for one that is unknown or ended already."""
    with transaction.atomic():
        token = Token.objects.filter(name=name).first()
        if token is None:
            raise TokenRefused(f"there is no token {name!r}")
        if not Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
            raise TokenRefused(f"the token {name!r} is revoked already", name)
        _note("token.revoked", token, by, because=because)


def _checked(wanted: Wanted, owner: User) -> list[str]:
    try:
        validate_slug(wanted.name)
    except ValidationError:
        raise TokenNotMade(f"{wanted.name!r} is no name. Use letters, digits, - and _.") from None
    if len(wanted.name) > 60:
        raise TokenNotMade("The name has at most 60 characters.")
    unknown = sorted(set(wanted.scopes) - set(Scope))
    if unknown or not wanted.scopes:
        raise TokenNotMade(f"scopes={', '.join(unknown) or 'none'}: use some of {', '.join(Scope)}.")
    if not timedelta(0) < wanted.lasts <= LONGEST:
        raise TokenNotMade(f"A token lasts more than 0 and at most {LONGEST.days} days.")
    if not owner.is_active:
        raise TokenNotMade(
            f"The account of {owner} is switched off. A token needs an owner who answers for it."
        )
    scopes = [scope for scope in Scope if scope in wanted.scopes]
    lacking = [scope for scope in scopes if not owner.has_perm(NEEDS[scope])]
    if lacking:
        raise TokenNotMade(
            f"The role of {owner} does not allow {', '.join(lacking)}: a token can't do more than its owner."
        )
    return [scope.value for scope in scopes]


# One statement without the ORM, whose queries take ten times as long to be built as this one to be answered:
# it stands before every request of every agent.
_CODENAMES = " ".join(sorted({each.codename for each in NEEDS.values()}))
_LOOK_UP = """
SELECT t.id, t.audience, t.revoked_at IS NOT NULL, t.expires_at <= %(now)s::timestamptz, u.is_active,
  t.first_used_at IS NULL,
  t.last_used_at IS NULL OR %(now)s::timestamptz - t.last_used_at > interval '1 minute',
  {beside},
  t.name, t.owner_id, t.scopes, t.tools, t.investigation, u.is_superuser,
  CASE WHEN NOT u.is_superuser THEN ARRAY(
    SELECT p.codename FROM accounts_user_groups g
    JOIN auth_group_permissions gp ON gp.group_id = g.group_id
    JOIN auth_permission p ON p.id = gp.permission_id
    WHERE g.user_id = u.id AND p.codename = ANY(string_to_array(%(codenames)s, ' '))
  ) END
FROM accounts_token t JOIN accounts_user u ON u.id = t.owner_id WHERE t.secret_digest = %(digest)s
"""


@dataclass(frozen=True, slots=True)
class _Found:
    """A token as it stands at one moment, with what its owner may do then."""

    pk: int
    audience: str
    is_revoked: bool
    has_expired: bool
    owner_is_active: bool
    is_unused: bool
    is_use_unnoted: bool
    caller: Caller


def _looked_up(
    secret: str, beside: str, now: datetime, meanwhile: Meanwhile | None
) -> tuple[_Found | None, Any]:
    asked = {"codenames": _CODENAMES, "digest": _digest(secret), "now": as_text(now)}
    found = prepared.rows(_LOOK_UP.format(beside=beside), asked, meanwhile=meanwhile)
    if not found:
        return None, None
    pk, audience, revoked, expired, active, unused, unnoted, value, *rest, allowed = found[0]
    caller = _caller(tuple(rest), tuple(allowed or ()))
    return _Found(pk, audience, revoked, expired, active, unused, unnoted, caller), value


@lru_cache(maxsize=256)
def _caller(row: tuple[Any, ...], allowed: tuple[str, ...]) -> Caller:
    """Return who is behind a token's row: a scope counts while its owner may what it stands for."""
    name, owner, scopes, tools, investigation, is_superuser = row
    wanted = json.loads(scopes)
    return Caller(
        name=name,
        owner=owner,
        scopes=frozenset(
            scope for scope in Scope if scope in wanted and (is_superuser or NEEDS[scope].codename in allowed)
        ),
        tools=frozenset(json.loads(tools)) or None,
        investigation=investigation,
    )


def _why_not(token: _Found, audience: str) -> str:
    if token.is_revoked:
        return "the token was revoked"
    if token.has_expired:
        return "the token has expired"
    if not token.owner_is_active:
        return "the account of the token's owner is switched off"
    if token.audience != audience:
        return f"the token was made for {token.audience}, and this is {audience}"
    return ""


def _note_use(token: _Found, now: datetime) -> None:
    """The first use is an entry; later ones move a time, at most once a minute."""
    if token.is_unused:
        with transaction.atomic():
            is_first = Token.objects.filter(pk=token.pk, first_used_at=None).update(
                first_used_at=now, last_used_at=now
            )
            if is_first:
                _note("token.first_used", Token.objects.get(pk=token.pk), token.caller.actor)
    elif token.is_use_unnoted:
        Token.objects.filter(pk=token.pk).update(last_used_at=now)


def _note(kind: str, token: Token, actor: str, **more: str) -> None:
    writing.write(
        kind,
        {
            "token": token.name,
            "scopes": token.scopes,
            "tools": token.tools,
            "audience": token.audience,
            "investigation": token.investigation,
            **more,
        },
        actor=actor,
    )


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
