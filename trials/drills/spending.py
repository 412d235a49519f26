"""A drill's money: one cap over all that it asks, kept before each exchange, whoever asks at once."""

import threading

from django.db.models import Sum

from trials.evaluating.purse import CapReached
from trials.models import DrillRun


class Spending:
    """What the runs of a drill have spent, and the most that they may, both in millionths. No cap: no limit.

    It counts in this process alone: a run is asked by one at a time.
    """

    def __init__(self, cap: int | None) -> None:
        self.cap = cap
        self.spent = self._reserved = 0
        self._lock = threading.Lock()

    def go_on_from(self, run: DrillRun) -> None:
        """Count what a run has spent that was begun earlier."""
        with self._lock:
            self.spent += run.rows.aggregate(of=Sum("micros"))["of"] or 0

    def take(self, worst: int) -> None:
        """Reserve the most that an exchange may cost. Raises CapReached."""
        with self._lock:
            if self.cap is None or not worst:
                return
            if self.spent + self._reserved + worst > self.cap:
                raise CapReached("The next exchange could pass the spending cap.")
            self._reserved += worst

    def book(self, worst: int, micros: int) -> None:
        """Book what an exchange cost and give back what was reserved for it."""
        with self._lock:
            self.spent += micros
            if self.cap is not None:
                self._reserved -= worst
