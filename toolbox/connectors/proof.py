"""What a PostgreSQL credential could do beyond reading: asked of the catalogue, and tried. Run as itself."""

import time
from typing import Any

import psycopg

from toolbox.connectors import proofprobes
from toolbox.connectors.credential import Finding, Proof, ProofImpossible
from toolbox.connectors.fetched import TooLarge
from toolbox.connectors.pgfailures import SessionLost, SqlFailure, status_and_reason
from toolbox.connectors.pgsession import ReadSession
from toolbox.connectors.proofcures import cure, residual_family
from toolbox.connectors.proofqueries import WARNINGS, combined
from toolbox.deadline import Deadline, DeadlinePassed
from toolbox.definitions import Statement

_MOST_OF_EACH = 200
_MOST_ROWS, _MOST_BYTES = 10_000, 8_388_608


def proven(session: ReadSession, deadline: Deadline) -> Proof:
    """Run the catalogue queries and the probes, each in a transaction that is rolled back.

    Leaves an idle session as it found it. Raises ProofImpossible; then the session has to be discarded.
    """
    began = time.monotonic()
    try:
        credential, found = _catalogued(session, deadline)
        found += _tried(session, deadline, is_refused=any(not finding.warning for finding in found))
        session.finish(deadline)
    except SqlFailure as failure:
        raise ProofImpossible(f"the proof was refused: {status_and_reason(failure)[1]}") from None
    except SessionLost:
        raise ProofImpossible("the connection was lost") from None
    except TooLarge:
        raise ProofImpossible("the credential has more privileges than can be listed") from None
    except DeadlinePassed as error:
        raise ProofImpossible(f"the proof {error}") from None
    return Proof(credential, tuple(found), (time.monotonic() - began) * 1000)


def findings(connection: psycopg.Connection[Any]) -> tuple[Finding, ...]:
    """Return every finding about an idle connection's credential; none means that it can only read.

    Raises ProofImpossible.
    """
    return proven(ReadSession(connection), Deadline(30)).findings


def _tried(session: ReadSession, deadline: Deadline, *, is_refused: bool) -> list[Finding]:
    try:
        return proofprobes.tried(session, deadline)
    except ProofImpossible:
        if is_refused:
            return []  # what the catalogue said is enough, and says more than a probe that went wrong
        raise


def _catalogued(session: ReadSession, deadline: Deadline) -> tuple[str, list[Finding]]:
    session.begin(deadline, qualified=True)
    session.declare("assay_proof", Statement(combined(session.version, _MOST_OF_EACH)), {}, deadline)
    rows = session.fetch("assay_proof", _MOST_ROWS, _MOST_BYTES, deadline).rows
    session.finish(deadline)
    role, database = next(row[1:3] for row in rows if row[0] == "identity")
    found = [_finding(row, role) for row in rows if row[0] != "identity"]
    return f"{role}@{database}", found


def _finding(row: tuple[Any, ...], role: str) -> Finding:
    check, name, privilege, via = row
    return Finding(
        check=check,
        object=name,
        privilege=privilege,
        via=via,
        cure=cure(check, name, privilege, via=via, role=role),
        warning=check in WARNINGS,
        residual=residual_family(check, name),
    )
