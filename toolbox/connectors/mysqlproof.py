"""What a MySQL or MariaDB account could do beyond reading, by what SHOW GRANTS says to the account itself."""

import re
import time
from collections.abc import Iterator

import pymysql

from toolbox.connectors.credential import Finding, Proof, ProofImpossible
from toolbox.connectors.fetched import TooLarge
from toolbox.connectors.mysqlfailures import status_and_reason
from toolbox.connectors.mysqllink import ReadLink
from toolbox.connectors.mysqlviews import of_relations
from toolbox.connectors.pgfailures import SessionLost
from toolbox.deadline import Deadline, DeadlinePassed
from toolbox.values import ValueUnreadable

_ACCEPTED = frozenset({"USAGE", "SELECT", "SHOW VIEW"})
# MariaDB prints the hash of the password into the row: it is cut off before anything looks at the row.
_SECRET = re.compile(r"\s+IDENTIFIED\s+(?:BY|VIA|WITH)\s.*$", re.IGNORECASE | re.DOTALL)
_GRANT = re.compile(
    r"GRANT (?P<rights>.+?) ON (?:(?P<kind>TABLE|FUNCTION|PROCEDURE|PACKAGE BODY|PACKAGE) )?(?P<target>.+?) "
    r"TO (?P<grantee>\S+)(?: REQUIRE .+?)?(?P<rest> WITH .+)?",
    re.IGNORECASE | re.DOTALL,
)
_ROLE = re.compile(r"GRANT (?P<role>\S+) TO (?P<grantee>\S+)(?P<rest> WITH ADMIN OPTION)?", re.IGNORECASE)
_LIMITS_ONLY = re.compile(r"( WITH)?( (MAX_[A-Z_]+) [0-9.]+)*", re.IGNORECASE)
_DATABASE = re.compile(r"(`(?:[^`]|``)*`|\*|[^`.\s]+)\.")
_GUARDED = ("mysql",)


def proven(link: ReadLink, deadline: Deadline) -> Proof:
    """Run the proof on an open connection, before its limits are set; raise ProofImpossible.

    Nothing is tried: most statements here commit by themselves, so a probe that succeeds has an effect.
    """
    began = time.monotonic()
    try:
        ((account,),) = link.run("SELECT CURRENT_USER()", deadline)
        found = [*_anonymous(account), *_of_grants(link, deadline), *_of_server(link, deadline)]
        found += of_relations(link, str(account), deadline)
    except pymysql.MySQLError as error:
        raise ProofImpossible(f"the proof was refused: {status_and_reason(error)[1]}") from None
    except (SessionLost, TooLarge, ValueUnreadable):
        raise ProofImpossible("the connection was lost") from None
    except DeadlinePassed as error:
        raise ProofImpossible(f"the proof {error}") from None
    return Proof(str(account), tuple(found), (time.monotonic() - began) * 1000)


def _of_grants(link: ReadLink, deadline: Deadline) -> Iterator[Finding]:
    for (row,) in link.run("SHOW GRANTS", deadline):
        yield from granted(str(row))


def granted(row: str) -> Iterator[Finding]:
    """Yield the findings of one row of SHOW GRANTS. A row that cannot be read is a finding."""
    row = _SECRET.sub("", row)
    if match := _GRANT.fullmatch(row):
        yield from _rights(match)
    elif match := _ROLE.fullmatch(row):
        role, grantee = match["role"], match["grantee"]
        yield _finding("membership", "ROLE", role, grantee, f"REVOKE {role} FROM {grantee};")
    elif row.upper().startswith("SET DEFAULT ROLE"):
        yield _finding("membership", "DEFAULT ROLE", row[16:].strip()[:100], "", "SET DEFAULT ROLE NONE;")
    else:
        yield _finding("unreadable_grant", "A GRANT OF UNKNOWN FORM", row[:100], "", "revoke it")


def _rights(match: re.Match[str]) -> Iterator[Finding]:
    target, grantee, kind = match["target"], match["grantee"], f"{match['kind'] or ''} ".lstrip()
    for right in _split(match["rights"]):
        name = right.partition("(")[0].strip().upper()
        revoke = f"REVOKE {right} ON {kind}{target} FROM {grantee};"
        if name == "PROXY":
            yield _finding("proxy", "PROXY", target, grantee, revoke)
        elif name not in _ACCEPTED or (match["kind"] and match["kind"].upper() != "TABLE"):
            yield _finding("privilege", right, f"{kind}{target}", grantee, revoke)
        elif name != "USAGE" and _covers_a_guarded_database(target):
            yield _finding(
                "wide_select", right, target, grantee, f"{revoke} then GRANT {name} table by table"
            )
    rest = match["rest"] or ""
    if "GRANT OPTION" in rest.upper():
        revoke = f"REVOKE GRANT OPTION ON {kind}{target} FROM {grantee};"
        yield _finding("grant_option", "GRANT OPTION", f"{kind}{target}", grantee, revoke)
    elif not _LIMITS_ONLY.fullmatch(rest):
        yield _finding("unreadable_grant", rest.strip()[:100], target, grantee, "revoke it")


def _split(rights: str) -> list[str]:
    """Split a list of privileges at the commas outside parentheses."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", rights)]


def _covers_a_guarded_database(target: str) -> bool:
    """Whether a grant's target, with % and _ as wildcards unless escaped, reaches the server's own tables."""
    match = _DATABASE.match(target)
    if match is None:
        return True
    name = match[1].strip("`")
    if name == "*":
        return True
    parts = re.findall(r"\\.|.", name, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    pattern = "".join(wild.get(part) or re.escape(part[-1]) for part in parts)
    return any(re.fullmatch(pattern, guarded, re.IGNORECASE) for guarded in _GUARDED)


def _anonymous(account: object) -> Iterator[Finding]:
    if str(account).startswith("@"):
        cure = f"DROP USER ''@'{str(account)[1:]}';"
        yield _finding("anonymous", "SIGN-IN AS NOBODY", str(account), "", cure)


def _of_server(link: ReadLink, deadline: Deadline) -> Iterator[Finding]:
    name = "max_statement_time" if link.is_mariadb else "max_execution_time"
    ((limit,),) = link.run(f"SELECT @@SESSION.{name}", deadline)
    if not float(limit):
        # MySQL knows this limit for the whole server only; each call sets its own.
        of_account = "ALTER USER reader WITH MAX_STATEMENT_TIME 5;"
        cure = of_account if link.is_mariadb else f"SET GLOBAL {name}=5000;"
        yield Finding("setting", name, f"SETTING {limit}", cure=cure, warning=not link.is_mariadb)
    link.run("SET SESSION TRANSACTION READ ONLY", deadline)
    # MySQL 8 has the one name, MariaDB before 11.1 the other.
    states = {str(row[1]) for row in link.run("SHOW SESSION VARIABLES LIKE 't%x%_read_only'", deadline)}
    if states != {"ON"}:
        raise ProofImpossible("the server does not make the session read-only")


def _finding(check: str, privilege: str, target: str, via: str, cure: str) -> Finding:
    return Finding(check=check, object=target, privilege=privilege, via=via, cure=cure)
