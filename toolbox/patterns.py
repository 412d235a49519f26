"""Whether a call matches a tool rule: globs over tool, caller and arguments. Pure.

A match is wide on purpose, because a miss would let a denied call through: case and compatibility forms of
letters do not matter, and an argument matches by any text or number inside it.
"""

import fnmatch
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from assay_core.canonical import canonical


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which calls are meant. Every argument that is named must match; `*` as a name means any argument."""

    tool: str
    caller: str = "*"
    arguments: Mapping[str, str] = field(default_factory=dict)

    def matches(self, tool: str, caller: str, *forms: Mapping[str, Any]) -> bool:
        """Say whether a call is meant, its arguments given in each form that they were seen in."""
        if not (is_like(tool, self.tool) and is_like(caller, self.caller)):
            return False
        return not self.arguments or any(self._argues(form) for form in forms)

    def matches_all(self, tool: str, caller: str) -> bool:
        """Say whether every call of this tool by this caller is meant, whatever its arguments."""
        return not self.arguments and self.matches(tool, caller)

    def may_match(self, tool: str, caller: str) -> bool:
        """Say whether some call of this tool by this caller is meant."""
        return is_like(tool, self.tool) and is_like(caller, self.caller)

    def _argues(self, arguments: Mapping[str, Any]) -> bool:
        return all(
            any(
                is_like(text, wanted)
                for name, value in arguments.items()
                if is_like(name, named)
                for text in _texts(value)
            )
            for named, wanted in self.arguments.items()
        )


def is_like(text: str, glob: str) -> bool:
    """Say whether a text is as the glob has it, without regard to case and to forms of the same letter."""
    return _compiled(glob).fullmatch(_plain(text)) is not None


@lru_cache(maxsize=1024)
def _compiled(glob: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(_plain(glob)))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _texts(value: Any) -> Iterator[str]:
    """Yield a value's own text and every text inside it."""
    if isinstance(value, str):
        yield value
        yield value.strip()
        return
    yield canonical(value)
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
