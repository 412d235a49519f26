"""Patterns that find identifiers in a sender's text: a small part of regular expressions, linear to run.

A pattern is plain characters, sets such as `[0-9A-F]`, the classes `\\d \\w \\s`, a dot, `?`, `*`, `+` and
`{m,n}` after one of these, `^ $ \\b`, and at most one group in round brackets: what it holds is the value
(without a group, all that matched). A repetition takes at most 200 characters, all that it can, and
gives nothing back: so nothing is tried twice, and no text can make a pattern slow. Alternatives,
references back, groups in groups and looks ahead are refused. Pure.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

PATTERN_MAX = 120
TEXT_MAX = 4_000
TEXTS_MAX = 50
VALUE_MAX = 200
PATTERNS_MAX = 20
_REPEAT_MAX = 200
_DOUBLED = ("--", "&&", "~~", "||")  # kept for later versions of the language
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}", re.ASCII)
_PART = re.compile(
    r"(?P<atom>\[\^?\]?(?:\\[\w\\\]\[.^$*+?(){}|/-]|[^\]\\\[])+\]|\\[dws]|\\[^\w\s]|\.|[^\\\[\](){}?*+|.^$])"
    r"(?P<times>[?*+]|\{\d{1,3}(?:,\d{1,3})?\})?"
    r"|(?P<edge>\^|\$|\\b)|(?P<open>\((?!\?))|(?P<close>\))",
    re.ASCII,
)


class PatternRefused(ValueError):
    """A pattern is none that may be used; the message says what to change."""


def check(patterns: Mapping[str, str]) -> None:
    """Raise PatternRefused for names or patterns that may not be used."""
    if len(patterns) > PATTERNS_MAX:
        raise PatternRefused(f"A source has at most {PATTERNS_MAX} patterns.")
    for name, pattern in patterns.items():
        if not is_name(name):
            raise PatternRefused(f"{name!r} is no name of an identifier: use small letters, digits and _.")
        compiled(pattern)


def is_name(name: str) -> bool:
    """Say whether an identifier may have this name."""
    return _NAME.fullmatch(name) is not None


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the pattern, made so that it never goes back; raise PatternRefused."""
    if not pattern or len(pattern) > PATTERN_MAX:
        raise PatternRefused(f"A pattern has 1 to {PATTERN_MAX} characters.")
    made, place, opened, closed = [], 0, 0, 0
    while place < len(pattern):
        part = _PART.match(pattern, place)
        if part is None:
            raise PatternRefused(
                f"{pattern!r} can't be used from {pattern[place : place + 10]!r} on: only characters, sets, "
                r"\d \w \s, repetitions of one of these, ^ $ \b and one group are."
            )
        if part["atom"] and part["atom"][0] == "[" and any(two in part["atom"] for two in _DOUBLED):
            raise PatternRefused(f"{pattern!r}: a set holds none of {', '.join(_DOUBLED)}.")
        opened, closed = opened + (part["open"] is not None), closed + (part["close"] is not None)
        made.append(part["atom"] + _bounded(part["times"], pattern) if part["atom"] else part[0])
        place = part.end()
    if opened > 1 or closed != opened:
        raise PatternRefused(f"{pattern!r}: one group in round brackets is the most, and it has to end.")
    try:
        whole = re.compile("".join(made), re.ASCII)
    except re.error as error:
        raise PatternRefused(f"{pattern!r} is no pattern: {error}.") from None
    if whole.match(""):
        raise PatternRefused(f"{pattern!r} would find an empty text. Say what has to be there.")
    return whole


def find(patterns: Mapping[str, str], texts: Iterable[str]) -> dict[str, str]:
    """Return the value that each pattern finds in the texts.

    A name whose pattern finds two different values is left out: nobody could say which is meant.
    A pattern that may no longer be used finds nothing.
    """
    cut = [text[:TEXT_MAX] for _, text in zip(range(TEXTS_MAX), texts, strict=False)]
    found = {}
    for name, pattern in patterns.items():
        try:
            values = _values(compiled(pattern), cut)
        except PatternRefused:
            continue
        if len(values) == 1:
            found[name] = values.pop()
    return found


def _values(pattern: re.Pattern[str], texts: Iterable[str]) -> set[str]:
    group = 1 if pattern.groups else 0
    values = {match[group].strip() for text in texts for match in pattern.finditer(text)}
    return {value for value in values if value and len(value) <= VALUE_MAX}


def _bounded(times: str | None, pattern: str) -> str:
    if times is None:
        return ""
    if times in "?*+":
        low, high = {"?": (0, 1), "*": (0, _REPEAT_MAX), "+": (1, _REPEAT_MAX)}[times]
    else:
        first, _, second = times[1:-1].partition(",")
        low, high = int(first), int(second or first)
    if not low <= high <= _REPEAT_MAX or high == 0:
        raise PatternRefused(f"{pattern!r}: a repetition is of 1 to {_REPEAT_MAX} characters.")
    return f"{{{low},{high}}}+"
