"""What no limit of MySQL and MariaDB ends: some functions run for minutes where their texts allow it.

The time limit, KILL and even a shutdown are looked at between rows and calls, never within a call: a server
was seen to be busy for minutes after everybody had given the question up. So the gate keeps out the makers of
long texts, and of regular expressions all but those whose work it can foresee.
"""

import re
from collections.abc import Sequence

from toolbox.connectors.mysqltokens import StatementRefused, Token

_MAKERS = frozenset({"REPEAT", "SPACE"})
_PADS = frozenset({"LPAD", "RPAD"})
_WIDEST = 1_000
_PATTERNS = frozenset({"REGEXP_INSTR", "REGEXP_LIKE", "REGEXP_REPLACE", "REGEXP_SUBSTR"})
_MATCHES = frozenset({"REGEXP", "RLIKE"})
_HARMLESS = re.compile(r"\(\?(?:i\)|:)")
# What a pattern with one repetition costs grows with the square of its text, which may stand in here.
_LONGEST_STATEMENT = 20_000
_LONGEST, _MOST_GROUPS, _MOST_OPTIONS = 200, 3, 3


def demand_bounded(tokens: Sequence[Token]) -> None:
    """Raise StatementRefused for a call whose time depends on more than this statement shows."""
    length = sum(len(token.text) for token in tokens)
    if length > _LONGEST_STATEMENT:
        raise StatementRefused(f"it has {length} characters; at most {_LONGEST_STATEMENT} are asked")
    read = [token for token in tokens if token.kind != "space"]
    for index, token in enumerate(read):
        word = token.word
        is_called = index + 1 < len(read) and read[index + 1].text == "("
        if is_called and word in _MAKERS:
            raise StatementRefused(f"{word}() makes a text of any length: leave it out")
        if is_called and word in _PADS:
            _demand_narrow(word, _argument(read, index + 1, 1))
        elif is_called and word in _PATTERNS:
            _demand_foreseen(word, _argument(read, index + 1, 1))
        elif word in _MATCHES:
            # Two texts side by side are one.
            is_whole = index + 2 == len(read) or read[index + 2].kind != "string"
            _demand_foreseen(word, read[index + 1 : index + 2] if is_whole else ())


def _argument(read: Sequence[Token], opened: int, place: int) -> list[Token]:
    """Return the tokens of one argument of the call whose parenthesis opens there."""
    depth, at, found = 0, 0, []
    for token in read[opened:]:
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            break
        if depth == 1 and token.text == ",":
            at += 1
        elif at == place:
            found.append(token)
    return found


def _demand_narrow(word: str, argument: Sequence[Token]) -> None:
    is_number = len(argument) == 1 and argument[0].kind == "number" and argument[0].text.isdecimal()
    if not is_number or int(argument[0].text[:9]) > _WIDEST:
        raise StatementRefused(f"{word}() pads to a number that is written out, {_WIDEST} at most")


def _demand_foreseen(word: str, pattern: Sequence[Token]) -> None:
    if len(pattern) != 1 or pattern[0].kind != "string":
        raise StatementRefused(f"{word} takes a pattern that is written out, in one pair of quotes: use LIKE")
    text = _HARMLESS.sub("(", pattern[0].text[1:-1])
    if len(text) > _LONGEST or "(?" in text or "(*" in text or not (_is_tied(text) or _is_simple(text)):
        raise StatementRefused(
            f"nobody can say how long {word} takes with this pattern, and no limit ends it: begin it with ^ "
            "and without |, or keep to one of * + {} and few groups, or use LIKE"
        )


def _is_tied(text: str) -> bool:
    """Whether a pattern is tried at the beginning only, where the server's own limit on its steps holds."""
    return text.startswith("^") and "|" not in text


def _is_simple(text: str) -> bool:
    repeats = sum(text.count(sign) for sign in "*+{")
    is_nested = any(f"){sign}" in text for sign in "*+{")
    return (
        repeats <= 1
        and not is_nested
        and text.count("(") <= _MOST_GROUPS
        and text.count("?") <= _MOST_OPTIONS
    )
