"""What the catalogue says that a credential could do beyond reading: run as the credential itself."""

from dataclasses import dataclass
from typing import Any

import psycopg

from toolbox.connectors.proofqueries import PARAMETER_ACL_SINCE, QUERIES, WARNINGS
from toolbox.connectors.readerrole import RISKY_GRANTS, RISKY_PATTERN


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which the credential is more than a reader. A `warning` is no way to write by itself."""

    check: str
    detail: str
    warning: bool


def findings(connection: psycopg.Connection[Any]) -> tuple[Finding, ...]:
    """Return every finding of the catalogue queries; none means that the role can only read.

    Reads only, and leaves the connection's transaction as it found it; raises psycopg.Error.
    """
    found: list[Finding] = []
    for check, query in QUERIES.items():
        if check == "parameter" and connection.info.server_version < PARAMETER_ACL_SINCE:
            continue
        arguments = (RISKY_PATTERN, list(RISKY_GRANTS)) if check == "catalog_function" else None
        if check == "relation" and connection.info.server_version >= 170000:
            query = query.replace("'REFERENCES'", "'REFERENCES','MAINTAIN'")
        rows = connection.execute(query.encode(), arguments, binary=True, prepare=False).fetchall()
        found += [Finding(check, str(row[0]), check in WARNINGS) for row in rows]
    return tuple(found)
