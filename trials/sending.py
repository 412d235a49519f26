"""Driving an evaluation over the workers that hold the models' keys: a few runs at a time in their queue.

Incidents that come in meanwhile wait for one run at the most for each that is out.
"""

import time
from collections.abc import Iterator, Mapping

from kombu.exceptions import OperationalError

from trials.evaluating.driving import PASSES, Progress, Stand, stand, stop_while_down, to_make
from trials.evaluating.running import is_held
from trials.models import EvaluationRun
from trials.states import RunState
from trials.tasks import make_run

QUEUE = "investigate"
_LOOK_SECONDS = 0.2
_LOST_SECONDS = 10.0
_LATE_SECONDS = 600


class NobodyWorks(Exception):
    """No worker takes the runs, or the broker can't be reached; the message says what to do."""


def over_workers(number: int, at_once: int, on_progress: Progress, *, patience: float = 120.0) -> None:
    """Send every run to the workers, so many at a time, until each is made. Raises NobodyWorks."""
    for attempt in range(PASSES):
        waiting = to_make(number) if attempt == 0 else to_make(number, RunState.DOWN)
        if not waiting or stand(number).stopped:
            return
        _Round(number, at_once, patience).go((run for run, _ in waiting), on_progress)


class _Round:
    """One pass over the runs that are to be made."""

    def __init__(self, number: int, at_once: int, patience: float) -> None:
        self._number, self._at_once, self._patience = number, at_once, patience
        self._out: dict[int, int] = {}  # runs that are sent, with their attempt before
        self._silent = 0
        self._moved_at = self._looked_at = time.monotonic()

    def go(self, runs: Iterator[int], on_progress: Progress) -> None:
        is_over = False
        while self._out or not is_over:
            now = stand(self._number)
            on_progress(now)
            if now.stopped or stop_while_down(self._number, self._silent):
                return
            while not is_over and len(self._out) < self._at_once:
                run = next(runs, None)
                is_over = run is None
                if run is not None:
                    self._send(run)
            time.sleep(_LOOK_SECONDS)
            self._look(now)
        on_progress(stand(self._number))

    def _send(self, run: int) -> None:
        self._out[run] = EvaluationRun.objects.values_list("attempt", flat=True).get(pk=run)
        try:
            make_run.apply_async((run,), queue=QUEUE, expires=_LATE_SECONDS)
        except OperationalError as error:
            raise NobodyWorks(
                f"The broker can't be reached ({error}). Start it, or make the runs in this process: --here."
            ) from None

    def _look(self, now: Stand) -> None:
        rows = EvaluationRun.objects.filter(pk__in=self._out).values_list("pk", "attempt", "state")
        states = {pk: (attempt, state) for pk, attempt, state in rows}
        for run, (attempt, state) in states.items():
            if attempt > self._out[run] and state != RunState.RUNNING:
                del self._out[run]
                self._silent = self._silent + 1 if state == RunState.DOWN else 0
                self._moved_at = time.monotonic()
        if time.monotonic() - self._looked_at > _LOST_SECONDS:
            self._looked_at = time.monotonic()
            self._send_lost(states)

    def _send_lost(self, states: Mapping[int, tuple[int, str]]) -> None:
        """Send again what a worker was killed with; give up where nobody works at all."""
        running = [run for run in self._out if states[run][1] == RunState.RUNNING]
        held = [run for run in running if is_held(run)]
        for run in set(running) - set(held):
            self._send(run)
        if held:
            self._moved_at = time.monotonic()
        elif time.monotonic() - self._moved_at > self._patience:
            raise NobodyWorks(
                f"No worker has taken a run for {self._patience:g} s. Is a worker of the queue {QUEUE} "
                "running? With --here the runs are made in this process."
            )
