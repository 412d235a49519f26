"""The statement gate of MySQL and MariaDB, where no read-only transaction stops DDL, files or locks.

A statement is read token by token. It passes only as one SELECT without side doors, calling none but known
functions, and goes to the server without its comments. Whatever the reader does not understand is refused.
"""

from collections.abc import Sequence
from itertools import pairwise

from toolbox.connectors.mysqlbounds import demand_bounded
from toolbox.connectors.mysqltokens import StatementRefused, Token, tokens_of
from toolbox.connectors.mysqlwords import (
    BEFORE_PARENTHESIS,
    DOORS,
    FUNCTIONS,
    REFUSED_FUNCTIONS,
    UNLESS_CALLED,
)
from toolbox.definitions import Statement

__all__ = ["StatementRefused", "compiled", "demand_one_select", "refused_call", "relations", "rendered"]

_NO_RELATION = frozenset({"SELECT", "WITH", "VALUES", "DUAL"})
_BEFORE_RELATION = frozenset({"FROM", "JOIN", "STRAIGHT_JOIN"})
# In these a FROM stands before a text or a time.
_TAKES_FROM = frozenset({"EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "MID"})


def compiled(sql: str) -> Statement:
    """Return a declared statement with a `?` for each %(name)s, without comments; raise StatementRefused."""
    names: list[str] = []
    tokens: list[Token] = []
    for token in tokens_of(sql):
        if token.kind == "marker":
            raise StatementRefused("`?` is no placeholder: write %(name)s")
        if token.kind == "placeholder":
            names.append(token.text[2:-2])
            token = Token("marker", "?")
        elif token.kind == "string":
            token = Token("string", _plain_percent(token.text))
        elif token.text == "%":
            raise StatementRefused("write %(name)s for a placeholder, or %% for a percent sign")
        elif token.text == "%%":
            token = Token("symbol", "%")
        tokens.append(token)
    _demand_one_select(tokens)
    demand_bounded(tokens)
    return Statement("".join(token.text for token in tokens).strip(), tuple(names))


def rendered(statement: Statement, literals: Sequence[str]) -> str:
    """Return what is sent: the statement, read anew, with a literal in place of each `?`.

    Raises StatementRefused, whoever made the statement.
    """
    tokens = list(tokens_of(statement.text))
    _demand_one_select(tokens)
    demand_bounded(tokens)
    markers = sum(token.kind == "marker" for token in tokens)
    if markers != len(literals):
        raise StatementRefused(f"the statement has {markers} placeholders and {len(literals)} arguments")
    waiting = iter(literals)
    return "".join(next(waiting) if token.kind == "marker" else token.text for token in tokens).strip()


def demand_one_select(sql: str) -> None:
    """Raise StatementRefused unless a text is one plain SELECT that calls none but known functions."""
    _demand_one_select(list(tokens_of(sql)))


def relations(sql: str) -> list[tuple[str, str]]:
    """Return schema ('' where none is named) and name of each relation that a text reads."""
    read = [token for token in tokens_of(sql) if token.kind != "space"]
    found: list[tuple[str, str]] = []
    callers: list[str] = []
    for index, token in enumerate(read):
        if token.text == "(":
            callers.append(read[index - 1].word if index else "")
        elif token.text == ")":
            del callers[-1:]
        elif token.word in _BEFORE_RELATION and not {*callers[-1:]} & _TAKES_FROM:
            place = index + 1
            while place < len(read) and read[place].text == "(":
                place += 1
            names = [_name(part) for part in read[place : place + 3]]
            if read[place + 1 : place + 2] == [Token("symbol", ".")] and len(names) == 3:
                found.append((names[0], names[2]))
            elif names and names[0] and not _makes_rows(read[place : place + 2]):
                found.append(("", names[0]))
    return found


def refused_call(sql: str) -> str:
    """Return a function that a text calls and that no tool may call, or ''."""
    read = [token for token in tokens_of(sql) if token.kind != "space"]
    return next(
        (one.word for one, after in pairwise(read) if after.text == "(" and one.word in REFUSED_FUNCTIONS), ""
    )


def _makes_rows(beginning: Sequence[Token]) -> bool:
    """Whether what stands behind a FROM is no relation: a subquery, or a function that makes rows."""
    return beginning[0].word in _NO_RELATION or (len(beginning) == 2 and beginning[1].text == "(")


def _name(token: Token) -> str:
    if token.kind == "quoted":
        return token.text[1:-1].replace("``", "`")
    return token.text if token.kind == "word" else ""


def _plain_percent(text: str) -> str:
    if "%" in text.replace("%%", ""):
        raise StatementRefused("inside quotes, write %% for a percent sign; placeholders stand outside them")
    return text.replace("%%", "%")


def _demand_one_select(tokens: Sequence[Token]) -> None:
    read = [token for token in tokens if token.kind != "space"]
    first = next((token for token in read if token.text != "("), None)
    if first is None or first.word not in ("SELECT", "WITH"):
        raise StatementRefused("a statement begins with SELECT or WITH")
    for index, token in enumerate(read):
        before = read[index - 1] if index else Token("space", "")
        after = read[index + 1] if index + 1 < len(read) else Token("space", "")
        _demand_harmless(before, token, after)


def _demand_harmless(before: Token, token: Token, after: Token) -> None:
    word = token.word
    if token.kind == "placeholder":
        raise StatementRefused(f"{token.text} was not filled in")
    if after.text == "(" and token.kind in ("word", "quoted"):
        _demand_known_function(before, token)
        return
    if word in DOORS or word in UNLESS_CALLED:
        raise StatementRefused(f"{word} is not for reading (a column of that name goes in `backquotes`)")
    if word == "SHARE" and before.word == "FOR":
        raise StatementRefused("FOR SHARE takes locks: leave it out")
    if word in ("NEXT", "PREVIOUS") and after.word == "VALUE":
        raise StatementRefused(f"{word} VALUE FOR moves a sequence: leave it out")


def _demand_known_function(before: Token, token: Token) -> None:
    word = token.word
    if word in REFUSED_FUNCTIONS:
        raise StatementRefused(f"{word}() waits, locks, reads files or changes the session: leave it out")
    if word in DOORS:
        raise StatementRefused(f"{word} is not for reading")
    if word in BEFORE_PARENTHESIS:
        return
    if before.text == "." or word not in FUNCTIONS:
        raise StatementRefused(f"{token.text}() is not among the built-in functions that a tool may call")
