"""Driving an evaluation to its end in this process, and what is the same wherever its runs are made.

One command drives an evaluation at a time. Whatever is killed, the next one finds each run as it stands and
makes those that are not done.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from django.db.models import Count
from django.utils import timezone

from trials.evaluating import running
from trials.holding import Held, held
from trials.models import Evaluation, EvaluationRun
from trials.states import UNFINISHED, RunState, Stopped

PASSES = 3  # over what the endpoint gave no reply to
DOWN_IN_A_ROW = 5


class BeingRun(Exception):
    """Another command is running this evaluation; the message says which."""


@dataclass(frozen=True, slots=True)
class Stand:
    """How far an evaluation is."""

    planned: int
    done: int
    down: int
    left_out: int
    spent_micros: int
    stopped: str
    note: str

    @property
    def unfinished(self) -> int:
        """The runs that are still to be made, or to be made again."""
        return self.planned - self.done - self.left_out


class Progress(Protocol):
    """Whoever is told how far it is."""

    def __call__(self, stand: Stand) -> None:
        """Take how it stands now."""


def stand(number: int) -> Stand:
    """Return how far an evaluation is."""
    counted = EvaluationRun.objects.filter(evaluation=number).order_by().values("state")
    states = dict(counted.annotate(count=Count("pk")).values_list("state", "count"))
    spent, stopped, note = Evaluation.objects.values_list("spent_micros", "stopped", "note").get(pk=number)
    return Stand(
        planned=sum(states.values()),
        done=states.get(RunState.DONE, 0),
        down=states.get(RunState.DOWN, 0),
        left_out=states.get(RunState.LEFT_OUT, 0),
        spent_micros=spent,
        stopped=stopped,
        note=note,
    )


@contextmanager
def driven(number: int) -> Iterator[None]:
    """Hold an evaluation while it is driven, and note its end. Raises BeingRun."""
    with held(Held.EVALUATION, number) as is_ours:
        if not is_ours:
            raise BeingRun(f"Evaluation {number} is being run by another command. Wait for it, or end it.")
        # What killed exchanges had reserved of the cap, nobody will give back.
        Evaluation.objects.filter(pk=number).update(stopped="", note="", reserved_micros=0)
        yield
        if not stand(number).unfinished:
            Evaluation.objects.filter(pk=number, finished_at=None).update(finished_at=timezone.now())


def to_make(number: int, *states: RunState) -> list[tuple[int, int]]:
    """Return the runs that are to be made, each with its case, case by case."""
    rows = EvaluationRun.objects.filter(evaluation=number, state__in=states or UNFINISHED)
    return list(rows.order_by("case__position", "number").values_list("pk", "case_id"))


def stop(number: int, why: Stopped, note: str) -> None:
    """Let no further run begin."""
    Evaluation.objects.filter(pk=number, stopped="").update(stopped=why, note=note)


def stop_while_down(number: int, in_a_row: int) -> bool:
    """Stop where the endpoint was silent so often in a row; say whether it did."""
    if in_a_row < DOWN_IN_A_ROW:
        return False
    stop(number, Stopped.DOWN, f"The endpoint gave no reply {in_a_row} times in a row.")
    return True


def in_this_process(number: int, on_progress: Progress) -> None:
    """Make every run here, one after the other. A fault of our own leaves its run and ends nothing."""
    for attempt in range(PASSES):
        waiting = to_make(number) if attempt == 0 else to_make(number, RunState.DOWN)
        if not _passed_over(number, [run for run, _ in waiting], on_progress):
            break
    running.forget()


def _passed_over(number: int, runs: Sequence[int], on_progress: Progress) -> bool:
    """Make these runs; return whether another pass may bring something."""
    in_a_row, silent = 0, False
    for run in runs:
        state = made(run)
        if state is RunState.DOWN:
            in_a_row, silent = in_a_row + 1, True
        elif state is RunState.DONE:
            in_a_row = 0
        now = stand(number)
        on_progress(now)
        if now.stopped or stop_while_down(number, in_a_row):
            return False
    return silent


def made(run: int) -> RunState | None:
    """Make one run. A fault of our own is in its row, and keeps no other run from being made."""
    try:
        return running.run(run)
    except Exception:  # noqa: BLE001 the row says what failed; the others are still to be made
        return RunState.WAITING
