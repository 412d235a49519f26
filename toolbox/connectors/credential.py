"""What a connector's credential could do beyond reading, and the word for a credential that is proven."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from toolbox.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which a credential is more than a reader: the privilege, on what, from where, how to end it.

    A `warning` is no way to write by itself. `residual` names a family of rights that nobody can revoke on a
    managed server; an administrator may acknowledge it by that name.
    """

    check: str
    object: str
    privilege: str
    via: str = ""
    cure: str = ""
    warning: bool = False
    residual: str = ""

    @property
    def detail(self) -> str:
        """The finding in words, without its cure."""
        where = f" on {self.object}" if self.object else ""
        source = f" through {self.via}" if self.via else ""
        return f"{self.privilege}{where}{source}"

    @property
    def name(self) -> str:
        """What the finding is acknowledged by, else the check that found it."""
        return self.residual or self.check


@dataclass(frozen=True, slots=True)
class Proof:
    """What one run of the proof found, for whom, and how long it took."""

    credential: str
    findings: tuple[Finding, ...]
    milliseconds: float


class ProofImpossible(Exception):
    """The proof could not be run to its end; the message is for people and names no secret."""


class CredentialRefused(Exception):
    """A session was opened with a credential that could do more than read."""

    def __init__(self, reason: str, proof: Proof) -> None:
        super().__init__(reason)
        self.proof = proof


Guard = Callable[[Proof], str]
"""Weighs a proof: returns why nothing may be asked under it, or nothing."""


@runtime_checkable
class Provable(Protocol):
    """A connector whose credential can be proven. Its guard sees the proof of each session that it opens."""

    guard: Guard | None

    @property
    def name(self) -> str:
        """Its name in the connectors file."""
        ...

    @property
    def title(self) -> str:
        """Its name for people."""
        ...

    def is_configured(self) -> bool:
        """Whether this process was given the credential at all."""
        ...

    def prove(self, deadline: Deadline) -> Proof:
        """Run the proof as the credential itself; raise ProofImpossible."""
        ...
