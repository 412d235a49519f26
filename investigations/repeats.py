"""Whether a run goes in circles: the same question again, or the same few in turn. Pure."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from investigations.demands import question

_WINDOW = 12
# How often a pattern of this length is borne. The second time is answered with what is known already.
_BORNE: Mapping[int, int] = {1: 3, 2: 2, 3: 2}


class Repeating(Exception):
    """The model asks the same again and again; the run ends, and a person looks."""


class Repeats:
    """The last questions of a run, in order."""

    def __init__(self) -> None:
        self._last: deque[str] = deque(maxlen=_WINDOW)

    def note(self, tool: str, arguments: Mapping[str, Any] | str) -> None:
        """Count one call as it was sent; raise Repeating when the last ones are a pattern too often."""
        key = f"{tool} {arguments}" if isinstance(arguments, str) else question(tool, arguments)
        self._last.append(key)
        said = list(self._last)
        for length, times in _BORNE.items():
            needed = length * times
            tail = said[-needed:]
            if len(tail) == needed and tail == tail[:length] * times and (length == 1 or len(set(tail)) > 1):
                raise Repeating(f"The model asked the same {times} times over: {_named(tail[:length])}.")


def _named(keys: list[str]) -> str:
    return ", then ".join(key[:80] for key in keys)
