"""How a statement of MySQL and MariaDB is read: token by token, and not at all where a quote is unclear."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
    # Without ASCII, the long s and the Kelvin sign would be letters of other words.
    re.VERBOSE | re.DOTALL | re.IGNORECASE | re.ASCII,
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


def tokens_of(sql: str) -> Iterator[Token]:
    """Yield the parts of a statement, a comment as a space. Raises StatementRefused."""
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
