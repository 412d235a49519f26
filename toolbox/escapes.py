"""What a text says once its escapes are read, of JSON that stands in it, of forms and addresses. Pure.

A reader undoes an escape without thinking: what is masked in a text has to be masked under its escapes too.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

_ESCAPE = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<sign>[\"'\\/bfnrt]))|%(?P<byte>[0-9a-fA-F]{2})")
_ESCAPE_OR_PLUS = re.compile(rf"{_ESCAPE.pattern}|\+")
_SIGNS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class Unescaped:
    """A text with its escapes read once, and where its pieces began before."""

    text: str
    begins: tuple[int, ...]  # of each piece in this text
    origins: tuple[int, ...]  # of the same piece in the text before; an escape is a piece by itself
    is_escape: tuple[bool, ...]

    def place(self, at: int) -> int:
        """Return where a place of this text lies in the text before."""
        piece = bisect_right(self.begins, at) - 1
        return self.origins[piece] + (0 if self.is_escape[piece] else at - self.begins[piece])


def may_hold(words: str) -> bool:
    """Say whether a text can hold an escape; much faster than to look for one."""
    return "\\" in words or "%" in words


def unescaped(words: str, *, is_form: bool = False) -> Unescaped | None:
    """Return the text with its escapes read once; None where it holds none. `is_form`: a plus is a space."""
    parts: list[str] = []
    pieces: list[tuple[int, int, bool]] = []
    length, end = 0, 0
    for found in (_ESCAPE_OR_PLUS if is_form else _ESCAPE).finditer(words):
        begin = found.start()
        if begin > end:
            pieces.append((length, end, False))
            parts.append(words[end:begin])
            length += begin - end
        pieces.append((length, begin, True))
        parts.append(_meant(found))
        length += 1
        end = found.end()
    if not pieces:
        return None
    pieces.append((length, end, False))
    parts.append(words[end:])
    begins, origins, escapes = zip(*pieces, strict=True)
    return Unescaped("".join(parts), begins, origins, escapes)


def _meant(found: re.Match[str]) -> str:
    if code := found["code"]:
        char = chr(int(code, 16))
        return "\ufffd" if "\ud800" <= char <= "\udfff" else char
    if sign := found["sign"]:
        return _SIGNS.get(sign, sign)
    return chr(int(found["byte"], 16)) if found["byte"] else " "
