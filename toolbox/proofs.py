"""Whether a connector's credential is proven to only read. Each process proves those that it holds."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings

from toolbox import prooflog
from toolbox.connectors.base import Connector
from toolbox.connectors.credential import Finding, Guard, Proof, ProofImpossible, Provable
from toolbox.deadline import Deadline
from toolbox.proofrows import Standing

_SECONDS = 5.0
_MOST_SAID = 3


@dataclass(frozen=True, slots=True)
class Stood:
    """How one credential stands in this process. `reason` is empty for a proven one."""

    standing: Standing
    reason: str
    proof: Proof | None
    at: datetime
    until: float

    def is_fresh(self) -> bool:
        """Whether a call may rely on it: proven, and not too long ago."""
        return self.standing is Standing.PROVEN and time.monotonic() < self.until


_stood: dict[str, Stood] = {}
_locks: dict[str, threading.Lock] = {}
_making = threading.Lock()


def obstacle(connector: Connector) -> str:
    """Return why this connector may not be asked now, or '' where its credential is proven to only read.

    A proof that is older than CONNECTOR_PROOF_SECONDS, or that found something, is run anew first.
    """
    stood = _stood.get(connector.name)
    if stood is not None and stood.is_fresh():
        return ""
    if not isinstance(connector, Provable):
        return ""
    with _lock(connector.name):
        stood = _stood.get(connector.name)
        if stood is None or not stood.is_fresh():
            stood = renewed(connector)
    return stood.reason


def is_refused(connector: Connector) -> bool:
    """Whether something was found, rather than the proof that could not be run."""
    stood = _stood.get(connector.name)
    return stood is not None and stood.standing is Standing.REFUSED


def renewed(connector: Provable) -> Stood:
    """Prove a credential now, keep how it stands, and write it down for the pages."""
    connector.guard = guard_of(connector)
    try:
        proof = connector.prove(Deadline(_SECONDS))
    except ProofImpossible as error:
        kept = _stood.get(connector.name)
        if kept is not None and kept.is_fresh():
            return kept
        reason = f"{connector.name}: {error}"
        stood = _keep(connector.name, Standing.UNPROVEN, reason, None)
    else:
        stood = _weighed(connector, proof)
    prooflog.note(connector.name, stood.standing, stood.reason, stood.proof, stood.at)
    return stood


def guard_of(connector: Provable) -> Guard:
    """Return what weighs the proof of every session that the connector opens."""
    return lambda proof: _weighed(connector, proof).reason


def standings() -> Mapping[str, Stood]:
    """Return how the credentials stand in this process, by connector."""
    return dict(_stood)


def forget() -> None:
    """Forget every proof, so that the next call proves anew."""
    _stood.clear()


def _weighed(connector: Provable, proof: Proof) -> Stood:
    """Keep how the credential stands after a proof."""
    left = blocking(connector.name, proof)
    if left:
        return _keep(connector.name, Standing.REFUSED, _words(connector, left), proof)
    return _keep(connector.name, Standing.PROVEN, "", proof)


def blocking(connector: str, proof: Proof) -> tuple[Finding, ...]:
    """Return the findings that take the tools away: ways to write that no administrator has acknowledged."""
    found = tuple(finding for finding in proof.findings if not finding.warning)
    if not any(finding.residual for finding in found):
        return found
    accepted = prooflog.accepted(connector, proof.credential)
    return tuple(
        finding
        for finding in found
        if not finding.residual or finding.object not in accepted.get(finding.residual, frozenset())
    )


def _keep(name: str, standing: Standing, reason: str, proof: Proof | None) -> Stood:
    until = time.monotonic() + settings.CONNECTOR_PROOF_SECONDS
    stood = Stood(standing, reason, proof, datetime.now(UTC), until)
    _stood[name] = stood
    return stood


def _words(connector: Provable, left: tuple[Finding, ...]) -> str:
    said = "; ".join(f"{one.check}: {one.detail} ({one.cure.rstrip(';')})" for one in left[:_MOST_SAID])
    more = f"; and {len(left) - _MOST_SAID} more" if len(left) > _MOST_SAID else ""
    residual = sorted({one.residual for one in left if one.residual})
    hint = ""
    if all(one.residual for one in left):
        hint = f". What nobody can revoke there, an administrator may acknowledge: {', '.join(residual)}"
    return (
        f"{connector.name}: its credential can do more than read, so its tools are gone: {said}{more}{hint}"
    )


def _lock(name: str) -> threading.Lock:
    with _making:
        return _locks.setdefault(name, threading.Lock())
