"""What a refusal by MySQL or MariaDB means to a person: never its address, its secret or its internals."""

import pymysql

from assay_core.results import Status

_LONGEST = 200
_UNAVAILABLE = {
    1040: "the database accepts no more connections",
    1203: "the database accepts no more connections of this account",
    1226: "the database accepts no more connections of this account",
    1053: "the database is shutting down",
    1129: "the database has blocked this machine after failed connections",
    1130: "the database lets nobody in from here",
    1044: "the account may not use the database of the connection string",
    1045: "the database refuses the reader's sign-in",
    1698: "the database refuses the reader's sign-in",
    1049: "the database of the connection string does not exist",
    1927: "the database ended the connection",
    2002: "nothing answers at the database's address",
    2003: "nothing answers at the database's address",
    2006: "the connection was lost",
    2013: "the connection was lost",
    2014: "the connection was lost",
}
_ERRORS = {
    1205: "the place searched is locked by somebody else",
    1213: "the database's data changed underneath the question",
    1317: "the question took too long and was cancelled",
    1969: "the question took too long and was cancelled",
    3024: "the question took too long and was cancelled",
    1792: "the question tries to write, and a tool can only read",
    1290: "the database's options forbid the question",
    3636: "the question goes too deep into recursion",
}
# Words that are out of fashion say nothing about an answer.
_HARMLESS = frozenset({1287, 1681, 3719, 3720, 3778, 3090, 3135, 4166})
_DOUBTS = {
    1260: "a joined text was cut",
    1301: "a text would have been longer than the server allows, and became NULL",
    1139: "a regular expression was given up, so what it matches is not known",
    3699: "a regular expression was given up, so what it matches is not known",
    1365: "something was divided by zero, and became NULL",
    1931: "the server stopped before the whole answer was made",
    1292: "a text was taken for a number or a time that it is not",
    1366: "a text was taken for a number or a time that it is not",
    1411: "a text was taken for a number or a time that it is not",
}
_SAID = frozenset({1054, 1064, 1146, 1305, 1365, 1690, 1292, 1366, 1411, 1060, 1052, 1241, 1242})
_MAY_NOT = frozenset({1142, 1143, 1370})


def status_and_reason(error: pymysql.MySQLError) -> tuple[Status, str]:
    """Return how a call ends that met this refusal."""
    code, message = _parts(error)
    if code in _UNAVAILABLE:
        return Status.UNAVAILABLE, _UNAVAILABLE[code]
    if code in _ERRORS:
        return Status.ERROR, _ERRORS[code]
    if code in _MAY_NOT:
        # The server's own words name the account and the machine that it signs in from.
        return Status.ERROR, f"the reader account may not read this ({_short(_after_for(message))})"
    if code in _SAID:
        return Status.ERROR, f"the database could not answer: {_short(message)}"
    return Status.ERROR, f"the database refused the question (error {code or 'unknown'})"


def doubt(code: int) -> str:
    """Return what a warning makes doubtful of an answer, or ''. The server's own words may quote a row."""
    if code in _HARMLESS:
        return ""
    return _DOUBTS.get(code, f"the server warns of the answer (warning {code})")


def _parts(error: pymysql.MySQLError) -> tuple[int, str]:
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    return code, str(error.args[1]) if len(error.args) > 1 else ""


def _after_for(message: str) -> str:
    return message.rpartition(" for ")[2] if " for " in message else "permission denied"


def _short(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
