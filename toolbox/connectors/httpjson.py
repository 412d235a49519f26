"""JSON from strangers: strictly read, and looked into without ever guessing."""

import json
import math
from collections.abc import Iterator
from typing import Any


class AnswerMalformed(ValueError):
    """An answer is not what its API documents; the message names the field."""


def read(body: bytes) -> Any:
    """Read JSON in UTF-8; raise AnswerMalformed for NaN, infinities, keys given twice and other liberties."""
    try:
        return json.loads(
            body.decode("utf-8"),
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_once,
        )
    except AnswerMalformed:
        raise
    except UnicodeDecodeError:
        raise AnswerMalformed("the answer is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise AnswerMalformed(f"the answer is not JSON ({type(error).__name__})") from None


def _refuse_constant(word: str) -> Any:
    raise AnswerMalformed(f"the answer holds {word}, which is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise AnswerMalformed("the answer holds a number that is too large to be read")
    return number


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise AnswerMalformed("the answer gives one key twice")
    return found


class Part:
    """One part of an answer. Every read names the field that is missing or of another type."""

    __slots__ = ("place", "value")

    def __init__(self, value: Any, place: str = "the answer") -> None:
        self.value = value
        self.place = place

    def has(self, key: str) -> bool:
        """Return whether this object holds something other than null under the key."""
        return self.object().get(key) is not None

    def at(self, key: str) -> "Part":
        """Return the part under a key; raise AnswerMalformed where there is none."""
        found = self.object()
        if key not in found:
            raise AnswerMalformed(f"{self.place} has no {key}")
        return Part(found[key], f"{self.place}.{key}" if self.place != "the answer" else key)

    def object(self) -> dict[str, Any]:
        """Return this part as an object."""
        if not isinstance(self.value, dict):
            raise AnswerMalformed(f"{self.place} is not an object")
        return self.value

    def items(self) -> list["Part"]:
        """Return the parts of this list; null counts as none, as Go writes an empty list."""
        if self.value is None:
            return []
        if not isinstance(self.value, list):
            raise AnswerMalformed(f"{self.place} is not a list")
        return [Part(item, f"{self.place}.{index}") for index, item in enumerate(self.value)]

    def text(self) -> str:
        """Return this part as text."""
        if not isinstance(self.value, str):
            raise AnswerMalformed(f"{self.place} is not a text")
        return self.value

    def integer(self) -> int:
        """Return this part as a whole number, also when it is written as text (as 64 bits often are)."""
        value = self.value
        if isinstance(value, str) and value.lstrip("-").isdecimal() and value.isascii() and len(value) < 20:
            return int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise AnswerMalformed(f"{self.place} is not a whole number")
        return value

    def count(self) -> int:
        """Return this part as a number of things, of which there cannot be fewer than none."""
        value = self.integer()
        if value < 0:
            raise AnswerMalformed(f"{self.place} is less than nothing")
        return value

    def flag(self) -> bool:
        """Return this part as true or false."""
        if not isinstance(self.value, bool):
            raise AnswerMalformed(f"{self.place} is neither true nor false")
        return self.value

    def texts(self) -> dict[str, str]:
        """Return this part as an object that holds texts only."""
        return {key: self.at(key).text() for key in self.object()}


def words(parts: Iterator[Part] | list[Part], longest: int = 300) -> str:
    """Return the texts of a list as one short line."""
    whole = "; ".join(part.text() if isinstance(part.value, str) else str(part.value) for part in parts)
    return inert(whole, longest)


def inert(text: str, longest: int = 200) -> str:
    """Return a stranger's text on one line, short, with whatever is not printable escaped."""
    cut = text if len(text) <= longest else f"{text[:longest]}…"
    return cut if cut.isprintable() else cut.encode("unicode_escape").decode("ascii")
