"""Rules that earn nothing for now: suspended by an administrator or by code, lifted by an administrator."""

from datetime import datetime

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.permissions import Permission
from accounts.services import actor_name
from audit import writing
from investigations.models import RuleSuspension
from toolbox.values import is_storable

BECAUSE_MAX = 300


class SuspensionRefused(Exception):
    """A rule was not suspended, or its suspension not lifted; the message says why, for a person."""


def suspended_names() -> frozenset[str]:
    """Return the names that are suspended at this moment: read for each judgement, never kept."""
    return frozenset(RuleSuspension.objects.filter(lifted_at=None).values_list("rule", flat=True))


def standing(rule: str) -> RuleSuspension | None:
    """Return the suspension of a rule that stands, if one does."""
    return RuleSuspension.objects.filter(rule=rule, lifted_at=None).first()


def history(rule: str) -> list[RuleSuspension]:
    """Return the lifted suspensions of a rule, the last one first."""
    return list(RuleSuspension.objects.filter(rule=rule).exclude(lifted_at=None).order_by("-pk")[:20])


def suspend(rule: str, *, because: str, actor: str, now: datetime) -> RuleSuspension:
    """Suspend a rule by name, in the name of a person or of code. Raises SuspensionRefused."""
    words = _reason(because)
    if not rule or len(rule) > 120:
        raise SuspensionRefused("Name the rule: its file's name, of at most 120 characters.")
    try:
        with transaction.atomic():
            row = RuleSuspension.objects.create(rule=rule, because=words, made_by=actor, made_at=now)
            writing.write("rule.suspended", {"rule": rule, "reason": words}, actor=actor)
    except IntegrityError:
        raise SuspensionRefused(f"The rule {rule} is suspended already.") from None
    return row


def lift(rule: str, *, because: str, by: User, now: datetime) -> RuleSuspension:
    """Lift the suspension of a rule. Raises SuspensionRefused, also for whoever is no administrator."""
    words = _reason(because)
    if not by.has_perm(Permission.MANAGE_RULES):
        raise SuspensionRefused("A suspension is lifted by an administrator.")
    with transaction.atomic():
        lifted = RuleSuspension.objects.filter(rule=rule, lifted_at=None).update(
            lifted_by=actor_name(by), lifted_at=now, lifted_because=words
        )
        if not lifted:
            raise SuspensionRefused(f"The rule {rule} is not suspended.")
        writing.write("rule.resumed", {"rule": rule, "reason": words}, actor=actor_name(by))
    return RuleSuspension.objects.filter(rule=rule).latest("pk")


def _reason(because: str) -> str:
    words = because.strip()
    if not words or len(words) > BECAUSE_MAX:
        raise SuspensionRefused(f"Nothing was changed: say why, in 1 to {BECAUSE_MAX} characters.")
    if not is_storable(words):
        raise SuspensionRefused("The reason holds a character that cannot be stored. Type it again.")
    return words
