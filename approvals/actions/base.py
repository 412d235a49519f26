"""What an action is: the Protocol that each module of this package fills, and the plain values it speaks in.

Everything here but `hands` is read-only. `Hands` are the write credential in use: they exist in the
`execute` worker alone, and `dry_run`, `execute` and `probe` are the only ones that are given them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from approvals.states import Risk


class ActionFailed(Exception):
    """The target said no, for certain, and nothing was changed; the message is for people."""


class OutcomeUnknown(Exception):
    """The call broke off where the write may have happened; a person settles it."""


class CouldNotCheck(Exception):
    """A read or a probe got no usable answer; the message says why."""


@dataclass(frozen=True, slots=True)
class Observed:
    """The target as it was read: the version that the digest binds, and the state people are shown."""

    version: str
    state: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a dry run says would be touched. `before` and `after` make the difference that is shown."""

    objects: tuple[str, ...]
    namespaces: tuple[str, ...] = ()
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)

    def is_within(self, approved: "Footprint") -> bool:
        """Say whether nothing is touched that was not approved."""
        return (
            set(self.objects) <= set(approved.objects)
            and set(self.namespaces) <= set(approved.namespaces)
            and dict(self.after) == dict(approved.after)
        )


@dataclass(frozen=True, slots=True)
class Check:
    """How the effect is verified: a read-only tool's question through the gateway, and what must come back.

    `expect` maps a dotted path of the result to the exact value; an empty or failing answer is unverified.
    """

    tool: str
    arguments: Mapping[str, Any]
    expect: Mapping[str, Any]
    settle_seconds: float = 5.0


@dataclass(frozen=True, slots=True)
class Proposal:
    """An action with its arguments, as an agent, a rule, a person or a rollback plan proposes it."""

    action: str
    arguments: Mapping[str, Any]
    why: str


@dataclass(frozen=True, slots=True)
class Verbs:
    """What a write credential must be able to do, and must not."""

    needed: tuple[str, ...]
    forbidden: tuple[str, ...]


class Hands(Protocol):
    """A write credential, opened. Made by the `execute` worker from its own environment, never elsewhere."""

    @property
    def name(self) -> str:
        """The credential's name."""

    def field(self, name: str) -> str:
        """Return one of its fields, such as `dsn`, `token` or `kubeconfig`. Raises CouldNotCheck."""


class Action(Protocol):
    """One declared production write."""

    name: str
    title: str
    risk: Risk
    is_reversible: bool
    credential: str  # the name of the write credential
    arguments: Mapping[str, Any]  # JSON Schema (2020-12) of the arguments

    def target(self, arguments: Mapping[str, Any]) -> str:
        """Return what is locked while the write runs: one text for one thing."""

    def observe(self, arguments: Mapping[str, Any]) -> Observed:
        """Read the target with a read credential. Raises CouldNotCheck."""

    def precondition(self, arguments: Mapping[str, Any], observed: Observed) -> str:
        """Return why the write makes no sense on this state; "" when it does."""

    def dry_run(self, arguments: Mapping[str, Any], hands: Hands) -> Footprint:
        """Ask the target what would be touched, changing nothing. Raises CouldNotCheck."""

    def execute(
        self, arguments: Mapping[str, Any], observed: Observed, hands: Hands, key: str
    ) -> Mapping[str, Any]:
        """Do it once, passing the idempotency `key` on. Raises ActionFailed, OutcomeUnknown."""

    def verify(self, arguments: Mapping[str, Any], observed: Observed) -> Check | None:
        """Return how the effect is looked for; None leaves the write unverified."""

    def rollback(self, arguments: Mapping[str, Any], observed: Observed) -> Proposal | None:
        """Return the action that undoes it from this state; None where nothing does."""

    def probe(self, hands: Hands) -> str:
        """Return what is wrong with the credential, needed and forbidden verbs alike; "" when nothing is.

        Raises CouldNotCheck.
        """
