"""Proposed writes in each state, and what stands in the way of writes: for the pages of approvals."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.test import override_settings
from django.utils import timezone

from accounts.models import Team
from approvals import preparing
from approvals.actions.base import Proposal
from approvals.models import (
    ActionRequest,
    Breaker,
    BreakGlass,
    CredentialProbe,
    Decision,
    Execution,
    Freeze,
    GateAnswer,
    WriteSwitch,
)
from approvals.outcomes import Proposer
from approvals.proposing import About, propose
from approvals.states import Answer, Choice, Phase
from tests.browser.furniture import Words, someone
from tests.db import writing
from tests.fakes import writes

WHY = "The count fell to 0 after the deploy of 09:40, and the shop shows every article as sold out."
STATES = ("approved", "succeeded", "unknown", "refused", "denied", "expired")
OUTCOMES = {
    "succeeded": "",
    "unknown": "the worker ended in the middle of the write",
    "refused": "write switch: writes are off everywhere",
    "denied": "katarina: the supplier corrects it by itself tonight",
    "expired": "nobody decided in time",
}
GATES = (
    ("write_switch", Answer.OK, "Writes are on everywhere and for this action."),
    ("freeze", Answer.OK, "No freeze stands."),
    ("precondition", Answer.BLOCKED, "The count is 7 already."),
    ("rubric", Answer.SKIPPED_BY_POLICY, "No model is set, and the risk is low."),
)


@contextmanager
def _declaring(folder: Path) -> Iterator[None]:
    file = folder / "actions-to-look-at.yaml"
    file.write_text("modules: [tests.browser.stock]\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(writes.FOLDER, str(folder))
        with override_settings(TRIAGE_ACTIONS=str(file), EXECUTOR_SECRETS=writing.SECRETS):
            yield


def furnish(folder: Path, incident: int) -> Words:
    """Make one request in each state, and a breaker, a freeze and a broken glass."""
    now = timezone.now()
    with _declaring(folder):
        words: Words = {"proposed": _proposed("article-7714", "stock.set_count", incident, now)}
        words["proposed_high"] = _proposed("article-9020", "stock.set_price", incident, now)
        for state in STATES:
            words[state] = _proposed(f"article-{state}", "stock.set_count", incident, now)
            _moved(int(words[state]), state, now)
    _in_the_way(now)
    return words


def proposed(folder: Path, incident: int, *names: str) -> list[int]:
    """Propose one more write for each of these articles."""
    now = timezone.now()
    with _declaring(folder):
        return [_proposed(name, "stock.set_count", incident, now) for name in names]


def _proposed(name: str, action: str, incident: int, now: datetime) -> int:
    team = Team.objects.get(slug="platform").pk
    request = propose(
        Proposal(action, {"name": name, "value": 7}, WHY),
        by=Proposer("model"),
        about=About(incident, None, team, ()),
        now=now,
    )
    preparing.prepare(request.pk, now=now)
    CredentialProbe.objects.update_or_create(
        credential="numbers", defaults={"is_ok": True, "sentence": "", "probed_at": now}
    )
    return request.pk


def _moved(number: int, state: str, now: datetime) -> None:
    request = ActionRequest.objects.get(pk=number)
    if state in ("approved", "succeeded", "unknown", "refused", "denied"):
        Decision.objects.create(
            request=request, digest=request.digest, proposer=request.proposer, editor=request.editor,
            token_owner=request.token_owner, person=someone("katarina"), group="manager", opened_at=now,
            choice=Choice.DENY if state == "denied" else Choice.APPROVE, decided_at=now, method="passkey",
            method_at=now, reason="I compared it with the warehouse.",
        )  # fmt: skip
    is_run = state in ("succeeded", "unknown")
    if is_run:
        Execution.objects.create(
            request=request, key=f"look-{number}", switch_version=1, claimed_at=now, called_at=now,
            lease_until=now, ended_at=now if state == "succeeded" else None, result=json.dumps({"was": 0}),
        )  # fmt: skip
    for place, (gate, answer, sentence) in enumerate(GATES):
        GateAnswer.objects.create(request=request, phase=Phase.BEFORE_CLAIM, place=place, gate=gate,
                                  answer=answer, sentence=sentence, at=now)  # fmt: skip
    ActionRequest.objects.filter(pk=number).update(
        state=state, outcome=OUTCOMES.get(state, ""), approved_at=now if is_run else None,
        ended_at=None if state in ("approved", "unknown") else now,
        verification="verified" if state == "succeeded" else "",
    )  # fmt: skip


def _in_the_way(now: datetime) -> None:
    WriteSwitch.objects.get_or_create(
        scope="global",
        defaults={
            "writes_enabled": False, "changed_at": now, "changed_by": "person:oskar",
            "because": "The payment provider has an outage.",
        },
    )  # fmt: skip
    Breaker.objects.create(
        action="stock.set_count", target="number:article-7714", opened_at=now - timedelta(minutes=12),
        because="3 writes failed within 10 minutes",
    )  # fmt: skip
    Freeze.objects.create(
        title="Stocktaking",
        starts_at=now,
        ends_at=now + timedelta(hours=2),
        made_by="person:oskar",
        made_at=now,
    )
    Freeze.objects.create(
        title="Black Friday", starts_at=now + timedelta(days=3), ends_at=now + timedelta(days=5),
        made_by="person:katarina", made_at=now,
    )  # fmt: skip
    BreakGlass.objects.create(
        holder=someone("mats"), reason="The site is down and nobody else answers the phone.",
        began_at=now - timedelta(days=2), ends_at=now - timedelta(days=2) + timedelta(hours=1),
    )  # fmt: skip
