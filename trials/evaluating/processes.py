"""Driving an evaluation in several processes of this machine, each taking the next case that nobody has."""

import multiprocessing
import os
import time
from collections.abc import Sequence
from itertools import groupby
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import Synchronized
from typing import Any

from django.db import connections

from trials.evaluating.driving import (
    PASSES,
    Progress,
    made,
    stand,
    stop_while_down,
    to_make,
)
from trials.states import RunState

_LOOK_SECONDS = 0.3


def in_processes(number: int, processes: int, on_progress: Progress) -> None:
    """Make every run in so many processes, which begin as copies of this one and end with it."""
    for attempt in range(PASSES):
        waiting = to_make(number) if attempt == 0 else to_make(number, RunState.DOWN)
        if not waiting or stand(number).stopped:
            return
        cases = [[run for run, _ in runs] for _, runs in groupby(waiting, key=lambda each: each[1])]
        _passed_over(number, cases, min(processes, len(cases)), on_progress)


def _passed_over(number: int, cases: Sequence[Sequence[int]], processes: int, on_progress: Progress) -> None:
    context: Any = multiprocessing.get_context("fork")
    nearest, silent = context.Value("i", 0), context.Value("i", 0)
    _let_go()
    arguments = (number, cases, nearest, silent, os.getpid())
    children = [context.Process(target=_work, args=arguments) for _ in range(processes)]
    for child in children:
        child.start()
    try:
        _watch(number, children, on_progress)
    finally:
        for child in children:
            child.join(5)
            if child.is_alive():
                child.terminate()


def _watch(number: int, children: Sequence[BaseProcess], on_progress: Progress) -> None:
    while any(child.is_alive() for child in children):
        on_progress(stand(number))
        children[0].join(_LOOK_SECONDS) if children[0].is_alive() else time.sleep(_LOOK_SECONDS)
    on_progress(stand(number))


def _work(
    number: int,
    cases: Sequence[Sequence[int]],
    nearest: "Synchronized[int]",
    silent: "Synchronized[int]",
    parent: int,
) -> None:
    """Take case after case until there is none left, the evaluation is stopped, or the parent is gone."""
    try:
        while (place := _next(nearest)) < len(cases):
            for run in cases[place]:
                if os.getppid() != parent or not _goes_on(number, made(run), silent):
                    return
    except KeyboardInterrupt:
        return  # the parent heard it as well, and says so
    finally:
        connections.close_all()


def _next(nearest: "Synchronized[int]") -> int:
    with nearest.get_lock():
        place = nearest.value
        nearest.value += 1
    return place


def _goes_on(number: int, state: RunState | None, silent: "Synchronized[int]") -> bool:
    """Count silences in a row over all processes; a run that is not to be had may mean a stop."""
    with silent.get_lock():
        if state is RunState.DOWN:
            silent.value += 1
        elif state is RunState.DONE:
            silent.value = 0
        in_a_row = silent.value
    if stop_while_down(number, in_a_row):
        return False
    return state is RunState.DONE or not stand(number).stopped


def _let_go() -> None:
    """Close every connection: two processes that talk on one get each other's rows."""
    connections.close_all()
