"""Proofs and acknowledgements in the database: written down for pages, audited where they change."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime

from django.db import DatabaseError, transaction

from accounts.models import User
from accounts.permissions import Permission
from audit import writing
from toolbox.connectors.credential import Finding, Proof
from toolbox.proofrows import ConnectorProof, ResidualAcknowledgement, Standing

_MOST_KEPT = 500
_log = logging.getLogger(__name__)


class AcknowledgementRefused(ValueError):
    """Something cannot be acknowledged as asked; the message says why and what to do."""


def note(name: str, standing: Standing, reason: str, proof: Proof | None, at: datetime) -> None:
    """Write down how a credential stands; one that changed between proven and refused gets an audit entry.

    A database that does not take it is logged: the standing in the process holds all the same.
    """
    try:
        with transaction.atomic():
            _note(name, standing, reason, proof, at)
    except DatabaseError as error:
        _log.warning("the proof of %s could not be written down (%s)", name, type(error).__name__)


def _note(name: str, standing: Standing, reason: str, proof: Proof | None, at: datetime) -> None:
    fresh = {
        "standing": standing,
        "reason": reason,
        "proven_at": at,
        "milliseconds": round(proof.milliseconds) if proof else 0,
    }
    if proof is not None:
        fresh["credential"] = proof.credential[:200]
        fresh["findings"] = [asdict(finding) for finding in proof.findings[:_MOST_KEPT]]
    row, is_new = ConnectorProof.objects.select_for_update().get_or_create(
        connector=name, defaults={**fresh, "since": at}
    )
    before = None if is_new else row.standing
    if not is_new:
        for field, value in fresh.items():
            setattr(row, field, value)
        if before != standing:
            row.since = at
        row.save()
    if before != standing and standing is not Standing.UNPROVEN:
        kind = "credential.proven" if standing is Standing.PROVEN else "credential.refused"
        writing.write(
            kind,
            {"connector": name, "credential": proof.credential if proof else "", "reason": reason},
            actor="toolbox",
        )


def accepted(connector: str, credential: str) -> Mapping[str, frozenset[str]]:
    """Return the objects that are acknowledged for this credential, by the name of their family."""
    found: dict[str, frozenset[str]] = {}
    rows = ResidualAcknowledgement.objects.filter(connector=connector, credential=credential, ended_at=None)
    for name, objects in rows.values_list("name", "objects_found"):
        found[name] = found.get(name, frozenset()) | frozenset(objects)
    return found


def standing_acknowledgements(connector: str) -> Iterable[ResidualAcknowledgement]:
    """Return what is acknowledged for a connector now."""
    return ResidualAcknowledgement.objects.filter(connector=connector, ended_at=None)


def acknowledge(
    connector: str, proof: Proof, name: str, *, by: User, because: str, now: datetime
) -> ResidualAcknowledgement:
    """Accept the findings of one residual family, exactly as this proof found them. Audited.

    Raises AcknowledgementRefused for anything that can be revoked, and for whoever is no administrator.
    """
    demand_administrator(by, "rights that nobody can revoke")
    if not because.strip():
        raise AcknowledgementRefused("Say why it cannot be revoked: the audit log keeps it.")
    found = _of_family(proof.findings, name)
    with transaction.atomic():
        row = ResidualAcknowledgement.objects.create(
            connector=connector,
            credential=proof.credential,
            name=name,
            objects_found=found,
            because=because.strip()[:300],
            acknowledged_by=f"person:{by.username}",
            acknowledged_at=now,
        )
        writing.write(
            "residual.acknowledged",
            {"connector": connector, "credential": proof.credential, "name": name, "objects": found,
             "because": row.because},
            actor=row.acknowledged_by,
        )  # fmt: skip
    return row


def end(connector: str, name: str, *, by: User, now: datetime) -> int:
    """Take back what was acknowledged by this name; return how many rows that ended. Audited."""
    demand_administrator(by, "rights that nobody can revoke")
    actor = f"person:{by.username}"
    with transaction.atomic():
        rows = ResidualAcknowledgement.objects.filter(connector=connector, name=name, ended_at=None)
        ended = rows.update(ended_by=actor, ended_at=now)
        if not ended:
            raise AcknowledgementRefused(f"{name} is not acknowledged for {connector}.")
        writing.write("residual.refused", {"connector": connector, "name": name}, actor=actor)
    return ended


def demand_administrator(by: User, what: str) -> None:
    """Raise AcknowledgementRefused for a person who may not."""
    if not (by.is_active and by.has_perm(Permission.MANAGE_TOOLS)):
        raise AcknowledgementRefused(f"{by.username} may not: {what} are acknowledged by administrators.")


def _of_family(findings: Iterable[Finding], name: str) -> list[str]:
    found = sorted({finding.object for finding in findings if finding.residual == name})
    if name and found:
        return found
    named = [finding for finding in findings if finding.check == name]
    if named:
        raise AcknowledgementRefused(f"{name} can be revoked, so it is not acknowledged: {named[0].cure}")
    raise AcknowledgementRefused(f"The proof found nothing by the name {name!r}.")
