"""What the page of one request shows: the bytes that are approved, in parts, and what became of them."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import User
from accounts.permissions import Permission
from accounts.stepup import StepUp
from approvals import differences, services
from approvals.actions import registry
from approvals.differences import Change
from approvals.digesting import Content
from approvals.gates import content
from approvals.models import ActionRequest, CredentialProbe, Decision, Execution, GateAnswer, Look
from approvals.policy import RiskPolicy
from approvals.proposing import cites_of
from approvals.quorum import open_glass
from approvals.states import Choice, State
from audit import reading
from toolbox import redaction

_EVIDENCE_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Evidence:
    """One cited entry, in short. `status` is how the tool's call ended; "" for an entry of another kind."""

    id: int
    kind: str
    tool: str
    status: str
    arguments: Mapping[str, Any]
    recorded_at: datetime | None


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for, read from the body that the digest covers. `trouble` says why it cannot be read."""

    trouble: str
    content: Content | None = None
    changes: Sequence[Change] = ()
    arguments: Mapping[str, str] | None = None
    masked: bool = False

    @property
    def same(self) -> Sequence[Change]:
        """The values that the write leaves as they are."""
        return [change for change in self.changes if change.kind == "same"]

    @property
    def different(self) -> Sequence[Change]:
        """The values that the write changes."""
        return [change for change in self.changes if change.kind != "same"]


@dataclass(frozen=True, slots=True)
class May:
    """What one person may do here. A text says why not; an empty one that they may."""

    approve: str
    deny: str
    edit: bool
    settle: bool
    roll_back: bool
    proof: bool
    glass: bool

    @property
    def decides(self) -> bool:
        """Whether the form of a decision is shown at all."""
        return not self.deny


@dataclass(frozen=True, slots=True)
class Record:
    """What was decided, asked and executed."""

    decisions: Sequence[Decision]
    answers: Sequence[GateAnswer]
    execution: Execution | None
    rollback: ActionRequest | None
    lookers: Sequence[Look]
    probes: Sequence[CredentialProbe]


def asked_for(request: ActionRequest) -> Asked:
    """Return the parts of a request's body, where its digest is that of the body."""
    if not request.body:
        return Asked(request.outcome or "The execute worker has not read the target yet.")
    read = content.read(request)
    if isinstance(read, str):
        return Asked(f"{read[:1].upper()}{read[1:]}. It is not executed; nothing of it can be trusted.")
    footprint = read.footprint
    return Asked(
        "",
        read,
        differences.changes(footprint.before, footprint.after),
        differences.flat(read.arguments) if read.arguments else {},
        redaction.text(request.body) != request.body,
    )


def editable(request: ActionRequest) -> str:
    """Return a request's arguments as JSON to be edited; what would not be seen is written as \\uXXXX."""
    arguments = json.loads(request.arguments)
    text = json.dumps(arguments, ensure_ascii=False, indent=1)
    is_plain = all(unicodedata.category(char)[0] != "C" for char in text if char != "\n")
    return text if is_plain else json.dumps(arguments, indent=1)


def evidence(request: ActionRequest) -> list[Evidence]:
    """Return the entries that a request cites, as far as they can be read."""
    entries = (reading.entry(number) for number in cites_of(request)[:_EVIDENCE_SHOWN])
    return [_evidence(entry) for entry in entries if entry is not None]


def _evidence(entry: reading.StoredEntry) -> Evidence:
    payload = entry.payload or {}
    arguments = payload.get("arguments")
    return Evidence(
        entry.id,
        entry.kind,
        str(payload.get("tool", "")),
        str(payload.get("status", "")) if entry.kind == "tool.called" else "",
        arguments if isinstance(arguments, dict) else {},
        entry.recorded_at,
    )


def may(user: User, request: ActionRequest, proof: StepUp | None, now: datetime) -> May:
    """Return what this person may do with this request now, in words where they may not."""
    deciding = request.state == State.PROPOSED and request.undoes_id is None
    approves = user.has_perm(Permission.APPROVE_WRITES)
    child = ActionRequest.objects.filter(undoes=request).first()
    return May(
        approve=services.can_decide(user, request, proof, now) if deciding else "",
        deny=services.can_deny(user, request, now) if deciding else "There is nothing to decide.",
        edit=deciding and (user.pk == request.proposer or user.has_perm(Permission.TRIAGE_INCIDENTS)),
        settle=approves and request.state == State.UNKNOWN,
        roll_back=approves and request.state == State.SUCCEEDED and _is_at_hand(child, now),
        proof=proof is not None and (proof.is_strong or not asks_of(request).strong_step_up),
        glass=open_glass(user, now) is not None,
    )


def record(request: ActionRequest) -> Record:
    """Return what was decided, asked and executed so far."""
    return Record(
        list(request.decisions.select_related("person")),
        list(request.gate_answers.order_by("pk")),
        Execution.objects.filter(request=request).first(),
        ActionRequest.objects.filter(undoes=request).first(),
        list(request.looks.select_related("person").order_by("first_at")[:20]),
        list(CredentialProbe.objects.filter(credential__in=services.credentials_of(request))),
    )


def asks_of(request: ActionRequest) -> RiskPolicy:
    """Return what the policy asks of this request's risk."""
    return registry.current().policy.of(request.risk)


def given(decisions: Sequence[Decision]) -> int:
    """Return how many people have approved."""
    return sum(1 for decision in decisions if decision.choice == Choice.APPROVE)


def title_of(name: str) -> str:
    """Return an action's title; its name where it is not declared any more."""
    action = registry.current().actions.get(name)
    return action.title if action else name


def _is_at_hand(child: ActionRequest | None, now: datetime) -> bool:
    if child is None or child.state != State.APPROVED or child.wanted_at is not None:
        return False
    return child.execute_by is not None and now < child.execute_by
