"""A progress bar for a terminal; a line for every tenth where the output goes to a file."""

import time
from typing import Protocol

from trials.evaluating.driving import Stand

_WIDTH = 30


class Stream(Protocol):
    """Where it is written."""

    def write(self, text: str) -> object:
        """Write a text."""

    def flush(self) -> object:
        """Send what was written on its way."""


class Bar:
    """Shows how many runs are made, what was spent and how long it may still take."""

    def __init__(self, stream: Stream, *, is_terminal: bool) -> None:
        self._stream, self._is_terminal = stream, is_terminal
        self._began, self._first, self._tenth = time.monotonic(), -1, -1

    def __call__(self, stand: Stand) -> None:
        """Show how it stands, where that is worth a line."""
        made = stand.done + stand.left_out
        if self._first < 0:
            self._first = made
        tenth = made * 10 // stand.planned if stand.planned else 10
        if self._is_terminal:
            self._stream.write(f"\r{self._line(stand, made)}\033[K")
        elif tenth != self._tenth:
            self._stream.write(f"{self._line(stand, made)}\n")
        self._tenth = tenth
        self._stream.flush()

    def close(self) -> None:
        """End the line."""
        if self._is_terminal and self._first >= 0:
            self._stream.write("\n")
            self._stream.flush()

    def _line(self, stand: Stand, made: int) -> str:
        full = _WIDTH * made // stand.planned if stand.planned else _WIDTH
        down = f", {stand.down} without a reply" if stand.down else ""
        spent = f", {stand.spent_micros / 1e6:.2f} spent" if stand.spent_micros else ""
        bar = "#" * full + "." * (_WIDTH - full)
        return f"[{bar}] {made}/{stand.planned} runs{down}{spent}{self._left(stand, made)}"

    def _left(self, stand: Stand, made: int) -> str:
        new = made - self._first
        if new < 3 or made >= stand.planned:
            return ""
        seconds = (time.monotonic() - self._began) / new * (stand.planned - made)
        return f", about {seconds:.0f} s left" if seconds < 120 else f", about {seconds / 60:.0f} min left"
