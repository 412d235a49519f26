"""What a database's refusal means to a person: never its address, its secret or its internals."""

from dataclasses import dataclass

from assay_core.results import Status

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class SqlFailure(Exception):
    """The server refused a statement."""

    sqlstate: str
    message: str


class SessionLost(Exception):
    """The connection ended, or said something unexpected, in the middle of a call."""


class CannotConnect(Exception):
    """No session could be opened; the message is for people and names no secret."""


class ArgumentRefused(ValueError):
    """An argument cannot be sent to a database; the message says which and why."""


_UNAVAILABLE = {
    "57P01": "the database is shutting down",
    "57P02": "the database has crashed and restarts",
    "57P03": "the database is starting up",
    "57P05": "the database ended the idle session",
    "53300": "the database accepts no more connections",
    "25P03": "the database ended the session for being idle",
}
_ERRORS = {
    "57014": "the question took too long and was cancelled",
    "55P03": "the place searched is locked by somebody else",
    "08P01": "a placeholder stands where the database sees none, such as in a comment",
    "40001": "the database's data changed underneath the question",
    "42501": "the reader role may not read this",
    "25006": "the question tries to write, and a tool can only read",
    "53400": "the question needs more of the database's disk than a reader may take",
    "53100": "the database's disk is full",
    "53200": "the database is out of memory",
}


def status_and_reason(failure: SqlFailure) -> tuple[Status, str]:
    """Return how a call ends that met this refusal."""
    state = failure.sqlstate
    if state in _UNAVAILABLE or (state.startswith("08") and state not in _ERRORS):
        return Status.UNAVAILABLE, _UNAVAILABLE.get(state, "the connection to the database failed")
    if state in _ERRORS:
        reason = _ERRORS[state]
        return Status.ERROR, f"{reason} ({_short(failure.message)})" if state == "42501" else reason
    if state[:2] in ("42", "22", "0A"):
        return Status.ERROR, f"the database could not answer: {_short(failure.message)}"
    return Status.ERROR, f"the database refused the question (SQLSTATE {state or 'unknown'})"


def _short(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def why_not_connected(text: str) -> str:
    """Return a sentence for a failed connection; it quotes nothing of the driver's text."""
    lowered = text.lower()
    for sign, reason in (
        ("connection refused", "nothing answers at the database's address"),
        ("no such file", "nothing answers at the database's address"),
        ("timeout", "the database does not answer"),
        ("translate host name", "the database's host name is unknown"),
        ("resolve host", "the database's host name is unknown"),
        ("too many", "the database accepts no more connections"),
        ("remaining connection slots", "the database accepts no more connections"),
        ("starting up", "the database is starting up"),
        ("shutting down", "the database is shutting down"),
        ("password authentication failed", "the database refuses the reader's password"),
        ("no password supplied", "the database wants a password that the connection string lacks"),
        ("no pg_hba.conf entry", "the database lets nobody in from here under this role"),
        ("certificate", "the database's certificate is not accepted"),
        ("ssl", "the database and this program do not agree on TLS"),
        ("fatal:  role", "the database refuses the reader's sign-in"),
        ("fatal:  database", "the database of the connection string does not exist"),
        ("fatal", "the database refuses the connection"),
    ):
        if sign in lowered:
            return reason
    return "no connection to the database could be made"
