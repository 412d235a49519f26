"""How a write is proposed, edited and withdrawn: filed for people, with no effect by itself."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from accounts.models import User
from accounts.permissions import Permission
from approvals import sending
from approvals.actions import registry
from approvals.actions.base import Action, Proposal
from approvals.actions.registry import Declared
from approvals.digesting import NotDigestible, digest_of, text_of
from approvals.models import ActionRequest
from approvals.moving import Note, end_rollback, found, move, recorded, write
from approvals.outcomes import MoveRefused, ProposalRefused, Proposer
from approvals.states import OPEN, State
from audit import reading, writing
from toolbox import schemas
from toolbox.yamlfile import DefinitionError

_LONGEST = 4_000
_LOCK = 727_001  # proposals are filed one after the other, so that a team's cap and equal calls are exact


@dataclass(frozen=True, slots=True)
class About:
    """What a proposal belongs to."""

    incident: int | None
    investigation: int | None
    team: int | None
    cites: Sequence[int]


def propose(
    proposal: Proposal, *, by: Proposer, about: About, now: datetime, replaces: ActionRequest | None = None
) -> ActionRequest:
    """File a proposal, or return the equal open one. Raises ProposalRefused, recorded."""
    with recorded(by.actor, f"propose {proposal.action[:80]}", incident=about.incident):
        return file(proposal, by=by, about=about, now=now, replaces=replaces)


def file(
    proposal: Proposal, *, by: Proposer, about: About, now: datetime, replaces: ActionRequest | None = None
) -> ActionRequest:
    """File a proposal in the caller's transaction. Raises ProposalRefused, which nobody records yet."""
    declared = _declared()
    action = declared.actions.get(proposal.action)
    if action is None:
        raise ProposalRefused(
            f"There is no action {proposal.action[:80]!r}. Declared are {_names(declared.actions)}."
        )
    _refuse_words(proposal, action, declared.policy.reason_least)
    arguments = _text(proposal.arguments)
    _refuse_strange(about)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
    call = digest_of({"action": proposal.action, "arguments": dict(proposal.arguments)})
    same = _same(call, about)
    if same is not None and replaces is None:
        return same
    _refuse_too_many(about.team, declared.policy.open_per_team, now)
    return _filed(
        proposal, action, by, about,
        {
            "arguments": arguments, "call_digest": call, "replaces": replaces, "proposed_at": now,
            "decide_by": now + timedelta(seconds=declared.policy.decide_seconds),
            "proposer": replaces.proposer if replaces else by.person,
            "editor": by.person if replaces else 0,
            "token_owner": replaces.token_owner if replaces else by.token_owner,
        },
    )  # fmt: skip


def take(proposals: Sequence[Proposal], *, by: Proposer, about: About, now: datetime) -> list[ActionRequest]:
    """File each of these in the caller's transaction; a refused one is recorded and does no harm to it."""
    taken = []
    for each in proposals:
        try:
            with transaction.atomic():
                taken.append(file(each, by=by, about=about, now=now))
        except ProposalRefused as refusal:
            payload = {"what": f"propose {each.action[:80]}", "request": None, "reason": str(refusal)}
            writing.write(
                "write.move_refused",
                payload,
                actor=by.actor,
                incident=about.incident,
                investigation=about.investigation,
            )
    return taken


def edit(
    request: ActionRequest, arguments: Mapping[str, Any], *, by: User, why: str, now: datetime
) -> ActionRequest:
    """Withdraw a proposed request and file the one that replaces it. Raises MoveRefused, recorded."""
    with recorded(by.actor, "edit", request=request.pk, incident=request.incident_id):
        old = found(request.pk, lock=True)
        _refuse_unless_theirs(by, old, "edit")
        if not move(
            old,
            State.WITHDRAWN,
            Note("write.withdrawn", by.actor, {"because": "edited"}),
            now=now,
            outcome="edited",
        ):
            raise MoveRefused(f"Request {old.pk} was decided meanwhile. Load the page again.")
        end_rollback(old, State.WITHDRAWN, actor=by.actor, now=now)
        about = About(old.incident_id, old.investigation_id, old.team_id, cites_of(old))
        return file(
            Proposal(old.action, arguments, why),
            by=Proposer(by.actor, person=by.pk),
            about=about,
            now=now,
            replaces=old,
        )


def withdraw(request_id: int, *, by: User, because: str, now: datetime) -> ActionRequest:
    """Take a proposed request back. Raises MoveRefused, recorded."""
    with recorded(by.actor, "withdraw", request=request_id):
        request = found(request_id, lock=True)
        _refuse_unless_theirs(by, request, "withdraw")
        if not because.strip():
            raise MoveRefused("Say why it is withdrawn: whoever proposed it will ask.")
        note = Note("write.withdrawn", by.actor, {"because": because.strip()})
        if not move(request, State.WITHDRAWN, note, now=now, outcome=because.strip()):
            raise MoveRefused(f"Request {request.pk} was decided meanwhile. Load the page again.")
        end_rollback(request, State.WITHDRAWN, actor=by.actor, now=now)
        return request


def cites_of(request: ActionRequest) -> list[int]:
    """Return the ids of the entries that a request cites."""
    return [int(each) for each in json.loads(request.cites)]


def _filed(
    proposal: Proposal, action: Action, by: Proposer, about: About, values: dict[str, Any]
) -> ActionRequest:
    request = ActionRequest.objects.create(
        incident_id=about.incident,
        investigation_id=about.investigation,
        team_id=about.team,
        action=action.name,
        target=_target(action, proposal.arguments),
        risk=action.risk.value,
        reason=proposal.why.strip(),
        proposed_by=by.actor,
        cites=text_of(sorted(set(about.cites))),
        **values,
    )
    write(
        request,
        Note(
            "write.proposed",
            by.actor,
            {
                "arguments": dict(proposal.arguments),
                "reason": request.reason,
                "risk": request.risk,
                "target": request.target,
                "token_owner": request.token_owner,
                "replaces": request.replaces_id,
            },
        ),
    )
    sending.after_commit("prepare", request.pk)
    return request


def _declared() -> Declared:
    """A broken file of actions stops proposals, and must not stop the verdict of the run that made one."""
    try:
        return registry.current()
    except DefinitionError as error:
        raise ProposalRefused(f"The file of actions cannot be used: {error}") from None


def _target(action: Action, arguments: Mapping[str, Any]) -> str:
    """A target that cannot be named is nobody's to propose; the fault must not reach a run's verdict."""
    try:
        target = action.target(arguments)[:300]
    except Exception as error:  # noqa: BLE001 an action's own code, on arguments of a stranger
        raise ProposalRefused(f"{action.name} cannot name its target ({type(error).__name__}).") from None
    if "\x00" in target or not target.strip():
        raise ProposalRefused("The target's name is empty, or holds a character that cannot be stored.")
    return target


def _refuse_words(proposal: Proposal, action: Action, least: int) -> None:
    why = proposal.why.strip()
    if "\x00" in why:
        raise ProposalRefused("The reason holds a character that cannot be stored.")
    if not least <= len(why) <= _LONGEST:
        raise ProposalRefused(f"Say why it is proposed, in {least} to {_LONGEST} characters.")
    wrong = schemas.complaint(proposal.arguments, action.arguments)
    if wrong:
        raise ProposalRefused(f"The arguments of {action.name} are not as its schema has them: {wrong}")


def _text(arguments: Mapping[str, Any]) -> str:
    try:
        text = text_of(dict(arguments))
    except NotDigestible as error:
        raise ProposalRefused(f"The arguments cannot be bound to an approval: {error}") from None
    if len(text) > 4 * _LONGEST:
        raise ProposalRefused(f"The arguments take {len(text)} characters; at most {4 * _LONGEST} are shown.")
    return text


def _refuse_strange(about: About) -> None:
    """Evidence of another incident is no evidence."""
    for number in about.cites:
        entry = reading.entry(number)
        if entry is None:
            raise ProposalRefused(f"Entry {number} is cited and does not exist.")
        mine = about.investigation is not None and entry.investigation == about.investigation
        if not mine and (about.incident is None or entry.incident != about.incident):
            raise ProposalRefused(f"Entry {number} is cited and belongs to something else.")


def _same(call: str, about: About) -> ActionRequest | None:
    """Return the equal open request; refuse a call that was denied in this run."""
    rows = ActionRequest.objects.filter(call_digest=call, incident_id=about.incident, undoes=None)
    denied = rows.filter(state=State.DENIED, investigation_id=about.investigation).first()
    if denied is not None and about.investigation is not None:
        raise ProposalRefused(
            f"Request {denied.pk} asked for the same in this run, and was denied. It stays denied."
        )
    return rows.filter(state__in=[each.value for each in OPEN]).first()


def _refuse_too_many(team: int | None, most: int, now: datetime) -> None:
    waiting = ActionRequest.objects.filter(
        team_id=team, undoes=None, state=State.PROPOSED, decide_by__gt=now
    ).count()
    if waiting >= most:
        raise ProposalRefused(
            f"{waiting} requests of this team wait for a decision; {most} are the most. Decide some first."
        )


def _refuse_unless_theirs(person: User, request: ActionRequest, verb: str) -> None:
    may = person.pk == request.proposer or person.has_perm(Permission.TRIAGE_INCIDENTS)
    if not person.is_active or not may:
        raise MoveRefused(f"Your role does not {verb} requests. Ask an on-call person.")
    if request.undoes_id is not None:
        raise MoveRefused(f"It is the rollback of request {request.undoes_id}: {verb} that one.")


def _names(actions: Mapping[str, Action]) -> str:
    return ", ".join(sorted(actions)) or "none"
