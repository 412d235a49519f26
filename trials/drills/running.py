"""A golden set through one endpoint, row by row: begun once, gone on with after whatever stopped it."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from django.db import connection, connections, transaction
from django.utils import timezone

from investigations import endpoints
from investigations.classification import classify
from investigations.named import Endpoint
from investigations.states import Purpose
from trials.drills import booking
from trials.drills.answers import Answer, answer_of
from trials.drills.booking import File
from trials.drills.plan import Plan, issue_of
from trials.drills.spending import Spending
from trials.evaluating.purse import CapReached, Paid, Tally
from trials.golden.rows import Row
from trials.holding import Held, held
from trials.models import DrillRun

_ROUNDS = 3  # that a row is asked in while its endpoint is down
_GIVE_UP = 3  # rows in a row that an endpoint is down for

Told = Callable[[DrillRun, int], None]


class DrillStopped(Exception):
    """A run could not be brought to its end; the message says why. What is booked stays."""


class DrillCapped(DrillStopped):
    """The next exchange could pass the spending cap; the message says where it stands."""


@dataclass(frozen=True, slots=True)
class How:
    """Where a run's file goes, how many rows are asked at once, who is told how far it is, and who pays."""

    folder: Path
    at_once: int = 1
    told: Told = lambda run, done: None
    spending: Spending = field(default_factory=lambda: Spending(None))


def run_through(plan: Plan, place: Endpoint, how: How, *, by: str) -> DrillRun:
    """Send the plan's rows to an endpoint, and return the finished run with its file written.

    A run of the same plan that was begun and not finished is gone on with. Raises DrillStopped, also where
    the next exchange could pass the cap, and EndpointRefused where the endpoint may not be used.
    """
    run = _begin(plan, place, by=by, now=timezone.now())
    with _alone(run):
        file = File(how.folder, run)
        file.begin()
        how.spending.go_on_from(run)
        _Way(plan, run, how, file, place).go()
        file.end()
        DrillRun.objects.filter(pk=run.pk, finished_at=None).update(finished_at=timezone.now())
    run.refresh_from_db()
    return run


def _begin(plan: Plan, place: Endpoint, *, by: str, now: datetime) -> DrillRun:
    """Return the open run of this plan at this endpoint, or a new one."""
    digests = plan.digests
    same = {
        "endpoint": place.name,
        "base_url": place.base_url,
        "model": place.model[:200],
        "times": plan.times,
        "rows_in_all": len(plan.rows),
        "golden_digest": digests.golden,
        "contract_digest": digests.contract,
        "prompt_digest": digests.prompt,
        "rules_digest": digests.rules,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [Held.DRILL_RUN.value])
        found = DrillRun.objects.filter(finished_at=None, is_from_file=False, **same).first()
        if found is not None:
            return found
        name = _free_name(f"{now:%Y%m%dT%H%M%SZ}-{place.name}")
        return DrillRun.objects.create(name=name, started_by=by, started_at=now, **same)


def _free_name(name: str) -> str:
    found, number = name, 1
    while DrillRun.objects.filter(name=found).exists():
        number += 1
        found = f"{name}-{number}"
    return found


@contextmanager
def _alone(run: DrillRun) -> Iterator[None]:
    """Hold a run for this process; the database lets go of it when the process ends, however it does."""
    with held(Held.DRILL_RUN, run.pk) as is_ours:
        if not is_ours:
            raise DrillStopped(f"Another process is at the run {run.name}. Wait for it, or end it.")
        yield


@dataclass(frozen=True, slots=True)
class _Asked:
    """One row at one time of asking, at its place in the set."""

    position: int
    row: Row
    time: int


class _Way:
    """One way through the rows of a run that are not booked."""

    def __init__(self, plan: Plan, run: DrillRun, how: How, file: File, place: Endpoint) -> None:
        self._plan, self._run, self._how, self._file, self._place = plan, run, how, file, place
        self._down_in_a_row = self._done = 0
        self._is_capped = False

    def go(self) -> None:
        """Ask each row until it is booked; rows of an endpoint that stays down are booked as that."""
        waiting = self._missing()
        self._done = self._plan.size - len(waiting)
        for round_number in range(1, _ROUNDS + 1):
            waiting = self._round(waiting, is_last=round_number == _ROUNDS)
            if not waiting:
                return

    def _missing(self) -> list[_Asked]:
        done = booking.booked(self._run)
        return [
            _Asked(position, row, time)
            for position, row in enumerate(self._plan.rows, start=1)
            for time in range(1, self._plan.times + 1)
            if (row.id, time) not in done
        ]

    def _round(self, waiting: Sequence[_Asked], *, is_last: bool) -> list[_Asked]:
        """Ask these; return those that the endpoint was down for and that are not booked yet."""
        down: list[_Asked] = []
        for asked, answer in self._answers(waiting):
            if answer is None:  # the others that are asked at once come to their end, and are booked
                continue
            if answer.counts:
                self._down_in_a_row = 0
                self._book(asked, answer)
                continue
            self._down_in_a_row += 1
            if self._down_in_a_row >= _GIVE_UP:
                raise DrillStopped(
                    f"The endpoint {self._run.endpoint} was down for {_GIVE_UP} rows one after the other: "
                    f"{answer.why} {self._done} of {self._plan.size} are booked and stay: start the same "
                    "command again to go on."
                )
            if is_last:
                self._book(asked, answer)
            else:
                down.append(asked)
        if self._is_capped:
            raise DrillCapped(self._in_words())
        return down

    def _in_words(self) -> str:
        spent, cap = self._how.spending.spent / 1e6, (self._how.spending.cap or 0) / 1e6
        return (
            f"the next exchange could pass {cap:.3f}; {spent:.3f} is spent, {self._done} of "
            f"{self._plan.size} at {self._run.endpoint} are booked and stay."
        )

    def _answers(self, waiting: Sequence[_Asked]) -> Iterator[tuple[_Asked, Answer | None]]:
        if self._how.at_once == 1:
            for asked in waiting:
                yield asked, self._ask(asked)
            return
        pool = ThreadPoolExecutor(self._how.at_once)
        try:
            yield from zip(waiting, pool.map(self._ask_apart, waiting), strict=True)
        finally:
            pool.shutdown(cancel_futures=True)

    def _ask_apart(self, asked: _Asked) -> Answer | None:
        try:
            return self._ask(asked)
        finally:
            connections.close_all()

    def _ask(self, asked: _Asked) -> Answer | None:
        """Return the answer to a row; None where the next exchange could pass the cap."""
        if self._is_capped:
            return None
        # A model of its own for each row: rows that are asked at once share no conversation.
        model = endpoints.model_for(
            Purpose.CANDIDATE, investigation=None, incident=None, endpoint=self._run.endpoint
        )
        paid = Paid(model, self._place, self._how.spending, Tally())
        try:
            said = classify(issue_of(asked.row), paid, self._plan.contract, known=self._plan.known)
        except CapReached:
            self._is_capped = True
            return None
        return answer_of(asked.row, said, time=asked.time)

    def _book(self, asked: _Asked, answer: Answer) -> None:
        if booking.book(self._run, asked.position, answer, now=timezone.now()):
            self._file.add(answer)
        self._done += 1
        self._how.told(self._run, self._done)
