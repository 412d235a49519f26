"""A world in which writes can be proposed, approved and executed, on the target of tests/fakes/writes.py."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from accounts.roles import Role
from accounts.stepup import Method, StepUp
from approvals import executing, preparing, services
from approvals.actions import registry
from approvals.actions.base import Proposal
from approvals.models import ActionRequest, CredentialProbe, WriteSwitch
from approvals.outcomes import Proposer
from tests.fakes import writes

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SECRETS = json.dumps({"numbers": {"token": "a secret of the numbers"}})
FILE = """
modules: [tests.fakes.writes]
policy: {POLICY}
"""
WHY = "The number is wrong since noon."
_names = count(1)


@dataclass
class World:
    """What a test of writes begins with. `now` is moved by hand."""

    make_user: Callable[..., User]
    now: datetime = NOW
    people: dict[str, User] = field(default_factory=dict)

    def person(self, role: str) -> User:
        """One person of a role, the same each time."""
        if role not in self.people:
            self.people[role] = self.make_user(f"{role}-{next(_names)}", role=role)
        return self.people[role]

    def step(self, method: Method = Method.PASSKEY) -> StepUp:
        return StepUp(method, self.now)

    def later(self, **spans: float) -> None:
        self.now += timedelta(**spans)

    def propose(
        self, action: str = "test.set_number", *, by: Proposer | None = None, **arguments: Any
    ) -> ActionRequest:
        return services.propose(
            Proposal(action, {"name": "a", "value": 7, **arguments}, WHY),
            by=by or Proposer("model"),
            incident=None,
            investigation=None,
            cites=(),
            now=self.now,
        )

    def prepared(self, action: str = "test.set_number", **arguments: Any) -> ActionRequest:
        request = self.propose(action, **arguments)
        preparing.prepare(request.pk, now=self.now)
        request.refresh_from_db()
        return request

    def decide(
        self, request: ActionRequest, person: User, choice: str = "approve", **more: Any
    ) -> ActionRequest:
        return services.decide(
            request.pk,
            **{
                "person": person,
                "choice": choice,
                "reason": "I have looked at it.",
                "digest": request.digest,
                "stepup": self.step(),
                "opened_at": self.now,
                "now": self.now,
                **more,
            },
        )

    def approved(self, action: str = "test.set_number", **arguments: Any) -> ActionRequest:
        request = self.prepared(action, **arguments)
        assert request.digest, request.outcome
        done = self.decide(request, self.person(Role.ON_CALL))
        return self.decide(request, self.person(Role.MANAGER)) if done.state == "proposed" else done

    def execute(self, request: ActionRequest) -> ActionRequest:
        executing.execute(request.pk, clock=lambda: self.now)
        request.refresh_from_db()
        return request

    def switch(self, on: bool = True, *scopes: str) -> None:
        names = scopes or ("global", *(f"action:{name}" for name in registry.current().actions))
        for scope in names:
            WriteSwitch.objects.update_or_create(
                scope=scope, defaults={"writes_enabled": on, "changed_at": self.now, "changed_by": "test"}
            )

    def probe(self, is_ok: bool = True, credential: str = "numbers") -> None:
        CredentialProbe.objects.update_or_create(
            credential=credential, defaults={"is_ok": is_ok, "sentence": "", "probed_at": self.now}
        )


def opened(
    make_user: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    folder: Path,
    policy: str = "{}",
) -> World:
    """Declare the test's actions, switch writes on and prove their credential."""
    monkeypatch.setenv(writes.FOLDER, str(folder))
    file = folder / "actions.yaml"
    file.write_text(FILE.replace("{POLICY}", policy))
    settings.TRIAGE_ACTIONS = str(file)
    settings.EXECUTOR_SECRETS = SECRETS
    world = World(make_user)
    world.switch()
    world.probe()
    return world
