"""Break-glass: a named holder decides alone for one hour, loudly, and somebody else reviews it."""

from datetime import datetime, timedelta

from django.db.models import Q

from accounts.models import User
from accounts.permissions import GLASS_HOLDERS, Permission
from accounts.stepup import StepUp
from approvals import telling
from approvals.models import BreakGlass
from approvals.moving import recorded
from approvals.outcomes import MoveRefused
from approvals.policy import Policy
from approvals.quorum import why_not_step_up
from approvals.states import Risk
from audit import writing

LASTS = timedelta(hours=1)
HOLDERS = 2


def holders() -> list[User]:
    """Return the people who are named as holders and whose accounts are on."""
    return list(User.objects.filter(groups__name=GLASS_HOLDERS, is_active=True).order_by("username"))


def break_it(
    *, person: User, reason: str, stepup: StepUp | None, policy: Policy, now: datetime
) -> BreakGlass:
    """Open an hour in which this holder's approval is enough. The gates stay. MoveRefused, recorded."""
    with recorded(person.actor, "break the glass"):
        named = holders()
        if person not in named:
            raise MoveRefused("Only the two named holders may break the glass.")
        if len(named) != HOLDERS:
            raise MoveRefused(f"The glass has {len(named)} named holders, not {HOLDERS}.")
        missing = why_not_step_up(stepup, policy.of(Risk.HIGH), now)
        if missing:
            raise MoveRefused(missing)
        if not 20 <= len(reason.strip()) <= 2_000:
            raise MoveRefused("Say why it cannot wait for a second person, in 20 to 2000 characters.")
        User.objects.select_for_update(no_key=True).get(pk=person.pk)  # from two windows at once, one hour
        if BreakGlass.objects.filter(holder=person).filter(Q(ends_at__gt=now) | Q(reviewed_at=None)).exists():
            raise MoveRefused("Your last one stands, or waits for its review.")
        glass = BreakGlass.objects.create(
            holder=person, reason=reason.strip(), began_at=now, ends_at=now + LASTS
        )
        payload = {"glass": glass.pk, "reason": glass.reason, "method": stepup.method.value if stepup else ""}
        writing.write("glass.broken", payload, actor=person.actor)
        telling.broken(glass, now)
        return glass


def review(glass_id: int, *, person: User, words: str, now: datetime) -> BreakGlass:
    """Close the review of a broken glass; its holder cannot. Raises MoveRefused, recorded."""
    with recorded(person.actor, f"review glass {glass_id}"):
        glass = BreakGlass.objects.select_for_update(of=("self",)).filter(pk=glass_id).first()
        if glass is None or glass.reviewed_at is not None:
            raise MoveRefused(f"There is no broken glass {glass_id} that waits for a review.")
        if glass.holder_id == person.pk:
            raise MoveRefused("You broke it: somebody else has to review it.")
        if not person.is_active or not person.has_perm(Permission.MANAGE_WRITES):
            raise MoveRefused("A broken glass is reviewed by managers and administrators.")
        if now < glass.ends_at:
            raise MoveRefused("The hour is not over yet: review what was done in all of it.")
        if not 20 <= len(words.strip()) <= 2_000:
            raise MoveRefused("Say what you found, in 20 to 2000 characters.")
        glass.reviewed_by, glass.reviewed_at, glass.review = person, now, words.strip()
        glass.save(update_fields=["reviewed_by", "reviewed_at", "review"])
        writing.write("glass.reviewed", {"glass": glass.pk, "review": glass.review}, actor=person.actor)
        return glass
