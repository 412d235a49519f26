"""A wall-clock end that every wait of one call shares."""

import time


class DeadlinePassed(Exception):
    """The time of a call is over."""


class Deadline:
    """The end of a call, `seconds` from its making."""

    __slots__ = ("_end", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left; raise DeadlinePassed when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise DeadlinePassed(f"took longer than {self.seconds:g} s")
        return left
