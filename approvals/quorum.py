"""Who may decide, in which role, and when there are enough of them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from accounts.models import User
from accounts.permissions import GRANTED, Permission
from accounts.roles import Role
from accounts.stepup import FRESH_FOR, StepUp
from approvals.models import ActionRequest, BreakGlass, CredentialProbe, Decision
from approvals.policy import Policy, RiskPolicy
from approvals.states import Choice

_DECIDING = frozenset(role.value for role in Role if Permission.APPROVE_WRITES in GRANTED[role])
_SLACK = timedelta(seconds=2)


def group_of(person: User, request: ActionRequest) -> str:
    """Return the role in which a person decides: one that nobody has decided in yet, where they have such."""
    theirs = sorted(set(person.groups.values_list("name", flat=True)) & _DECIDING)
    used = set(Decision.objects.filter(request=request).values_list("group", flat=True))
    return next((each for each in theirs if each not in used), theirs[0] if theirs else "")


def open_glass(person: User, now: datetime) -> BreakGlass | None:
    """Return the glass that this person has broken within the last hour, if any."""
    return BreakGlass.objects.filter(holder=person, began_at__lte=now, ends_at__gt=now).first()


def is_enough(decisions: Sequence[Decision], asked: RiskPolicy) -> bool:
    """Whether these are as many approvals, from as many roles, as the risk asks for; or a broken glass."""
    given = [each for each in decisions if each.choice == Choice.APPROVE]
    if any(each.choice == Choice.DENY for each in decisions):
        return False
    if any(each.glass_id is not None for each in given):
        return True
    return len(given) >= asked.quorum and len({each.group for each in given}) >= asked.groups


def why_not_person(person: User, request: ActionRequest) -> str:
    """Return why this person may not decide this request, whatever they choose; "" when they may."""
    if not person.is_active:
        return "Your account is switched off."
    if not person.has_perm(Permission.APPROVE_WRITES) or not group_of(person, request):
        return "Writes are approved by on-call people, managers and administrators."
    own = {
        request.proposer: "You proposed this request: somebody else has to decide it.",
        request.editor: "You edited this request last: somebody else has to decide it.",
        request.token_owner: "Your token's agent proposed this request: somebody else has to decide it.",
    }
    if person.pk in own:
        return own[person.pk]
    if not sees(person, request):
        return "This request belongs to a team that you are not in."
    if Decision.objects.filter(request=request, person=person).exists():
        return "You have decided this request already."
    return ""


def sees(person: User, request: ActionRequest) -> bool:
    """Whether the request's incident is one of those that the person sees."""
    if request.team_id is None or person.has_perm(Permission.SEE_EVERY_TEAM):
        return True
    return person.teams.filter(pk=request.team_id).exists()


def why_not_step_up(stepup: StepUp | None, risk: RiskPolicy, now: datetime) -> str:
    """Return what is missing of the proof that it is this person who sits there; "" when nothing is."""
    minutes = int(FRESH_FOR.total_seconds()) // 60
    if stepup is None or not -_SLACK <= now - stepup.at <= FRESH_FOR:
        return f"Show that it is you first: your last proof has to be at most {minutes} minutes old."
    if risk.strong_step_up and not stepup.is_strong:
        return "The risk is high: show that it is you with a passkey or an authenticator app's code."
    return ""


def why_not_probed(credentials: Sequence[str], policy: Policy, now: datetime) -> str:
    """Return which write credential is not proven fit and harmless just now; "" when all are."""
    rows = {each.credential: each for each in CredentialProbe.objects.filter(credential__in=credentials)}
    oldest = now - timedelta(seconds=policy.probe_seconds)
    for name in credentials:
        probe = rows.get(name)
        if probe is None:
            return f"The write credential {name} has not been probed yet. It is probed every few minutes."
        if not probe.is_ok:
            return f"The write credential {name} is not fit: {probe.sentence}"
        if probe.probed_at < oldest:
            return (
                f"The write credential {name} was probed last at {probe.probed_at:%H:%M:%S} UTC, more than "
                f"{policy.probe_seconds} seconds ago. Is the execute worker running?"
            )
    return ""
