"""Who asks, for which investigation, and how much may still be asked."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field


class Budget:
    """The number of calls that are left to a run. It only shrinks; safe to share between threads."""

    __slots__ = ("_calls", "_lock")

    def __init__(self, calls: int) -> None:
        if calls < 0:
            raise ValueError(f"a budget of {calls} calls: use 0 or more")
        self._calls = calls
        self._lock = threading.Lock()

    @property
    def left(self) -> int:
        """The calls that may still be made."""
        return self._calls

    def take(self) -> bool:
        """Spend one call; return False, and spend nothing, when none is left."""
        with self._lock:
            if self._calls == 0:
                return False
            self._calls -= 1
            return True

    def shrink_to(self, calls: int) -> None:
        """Lower what is left to at most `calls`; a larger number changes nothing."""
        with self._lock:
            self._calls = max(0, min(self._calls, calls))


@dataclass(frozen=True, slots=True)
class CallScope:
    """The frozen circumstances of a call: `allow` is None where every tool may be asked.

    `via` says for the entry how the question came: "mcp 2026-07-28 over http". `subject` are the identifiers
    of the incident that the call is about. `is_derived` is for code alone, which asks what a rule demands:
    such a question follows from the subject, so it is not held to it, and capacity is no reason to refuse it.
    `seconds` ends a call earlier than its tool's own limit would.
    """

    caller: str
    investigation: int | None = None
    incident: int | None = None
    allow: frozenset[str] | None = None
    budget: Budget | None = field(default=None, compare=False)
    via: str = ""
    subject: Mapping[str, str] | None = field(default=None, hash=False)
    is_derived: bool = False
    seconds: float | None = None
