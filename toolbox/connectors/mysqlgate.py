"""The statement gate of MySQL and MariaDB, where no read-only transaction stops DDL, files or locks.

A statement is read token by token. It passes only as one SELECT without side doors, calling none but known
functions, and goes to the server without its comments. Whatever the reader does not understand is refused.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolbox.connectors.mysqlwords import (
    BEFORE_PARENTHESIS,
    DOORS,
    FUNCTIONS,
    REFUSED_FUNCTIONS,
    UNLESS_CALLED,
)
from toolbox.definitions import Statement
from toolbox.values import is_sendable

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n\f\v]+)
    |(?P<executed>/\*(?:!|\+|M!))
    |(?P<comment>/\*.*?\*/|--(?=[ \t\r\n\f\v]|$)[^\n]*|\#[^\n]*)
    |(?P<open>/\*)
    |(?P<string>'(?:[^'\\]|'')*'|"(?:[^"\\]|"")*")
    |(?P<quoted>`(?:[^`]|``)*`)
    |(?P<placeholder>%\([a-z_][a-z0-9_]*\)s)
    |(?P<number>0x[0-9a-f]+|[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?|\.[0-9]+)
    |(?P<word>[a-z_$][a-z0-9_$]*)
    |(?P<marker>\?)
    |(?P<symbol><=>|<=|>=|<>|!=|\|\||&&|->>|->|%%|[-+*/%=<>(),.&|^~!])
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


# A person writes a question in far less. Reading ten megabytes word by word takes longer than any deadline.
_LONGEST = 100_000


class StatementRefused(ValueError):
    """A statement is not one plain SELECT; the message says where and what to do."""


@dataclass(frozen=True, slots=True)
class Token:
    """One part of a statement: what kind, and its text."""

    kind: str
    text: str

    @property
    def word(self) -> str:
        """The word in upper case, '' for anything else."""
        return self.text.upper() if self.kind == "word" else ""


def compiled(sql: str) -> Statement:
    """Return a declared statement with a `?` for each %(name)s, without comments; raise StatementRefused."""
    names: list[str] = []
    tokens: list[Token] = []
    for token in _tokens(sql):
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
    return Statement("".join(token.text for token in tokens).strip(), tuple(names))


def rendered(statement: Statement, literals: Sequence[str]) -> str:
    """Return what is sent: the statement, read anew, with a literal in place of each `?`.

    Raises StatementRefused, whoever made the statement.
    """
    tokens = list(_tokens(statement.text))
    _demand_one_select(tokens)
    markers = sum(token.kind == "marker" for token in tokens)
    if markers != len(literals):
        raise StatementRefused(f"the statement has {markers} placeholders and {len(literals)} arguments")
    waiting = iter(literals)
    return "".join(next(waiting) if token.kind == "marker" else token.text for token in tokens).strip()


def demand_one_select(sql: str) -> None:
    """Raise StatementRefused unless a text is one plain SELECT that calls none but known functions."""
    _demand_one_select(list(_tokens(sql)))


def _plain_percent(text: str) -> str:
    if "%" in text.replace("%%", ""):
        raise StatementRefused("inside quotes, write %% for a percent sign; placeholders stand outside them")
    return text.replace("%%", "%")


def _tokens(sql: str) -> Iterator[Token]:
    if len(sql) > _LONGEST:
        raise StatementRefused(f"it has {len(sql)} characters; at most {_LONGEST} are read")
    if not is_sendable(sql):
        raise StatementRefused("the statement holds a lone surrogate, which no server can be sent")
    position = 0
    while position < len(sql):
        match = _TOKEN.match(sql, position)
        if match is None or match.lastgroup is None:
            raise StatementRefused(_unread(sql[position]))
        kind, position = match.lastgroup, match.end()
        if kind == "executed":
            raise StatementRefused(f"{match.group()} opens a comment that the server executes: write it out")
        if kind == "open":
            raise StatementRefused("a comment does not end")
        yield Token("space", " ") if kind in ("space", "comment") else Token(kind, match.group())


def _unread(character: str) -> str:
    cures = {
        ";": "one statement, without a semicolon",
        "@": "no variables",
        "\\": "no backslash: for LIKE use ESCAPE '!'",
        "'": "a quote does not end, or holds a backslash",
        '"': "a quote does not end, or holds a backslash",
        "`": "a quoted name does not end",
    }
    return f"the statement holds {character!r}: {cures.get(character, 'outside quotes, plain ASCII only')}"


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
