"""The rows of a run as they are kept: booked once each, read back as plain values, and its file."""

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from django.db import IntegrityError, transaction

from investigations.states import RunResult
from investigations.talk import Spent
from toolbox import redaction
from trials.drills import sheet
from trials.drills.answers import Answer
from trials.drills.sheet import Digests, Sheet
from trials.models import DrillRow, DrillRun


def book(run: DrillRun, position: int, answer: Answer, *, now: datetime) -> bool:
    """Book one row; return False where it was booked before, by whoever else is at this run."""
    try:
        with transaction.atomic():
            _row(run, position, answer, now).save(force_insert=True)
    except IntegrityError:
        if DrillRow.objects.filter(run=run, row_id=answer.row_id, time=answer.time).exists():
            return False
        raise
    return True


def book_all(run: DrillRun, answers: Iterable[Answer], *, now: datetime) -> None:
    """Book the rows of a run that was read from a file, in the caller's transaction."""
    DrillRow.objects.bulk_create(
        _row(run, position, answer, now) for position, answer in enumerate(answers, start=1)
    )


def _row(run: DrillRun, position: int, answer: Answer, now: datetime) -> DrillRow:
    spent = answer.spent
    return DrillRow(
        run=run,
        position=position,
        row_id=answer.row_id,
        time=answer.time,
        expected=answer.expected,
        got=answer.got,
        status=answer.status,
        is_fenced=answer.is_fenced,
        needs_human=answer.needs_human,
        reasons=list(answer.reasons),
        found=answer.found,
        needed=answer.needed,
        seconds=spent.seconds,
        tokens_in=spent.tokens_in,
        tokens_out=spent.tokens_out,
        micros=spent.micros,
        model=answer.model[:200],
        fingerprint=answer.fingerprint[:200],
        is_override=answer.is_override,
        is_frozen=answer.is_frozen,
        is_hard=answer.is_hard,
        why=_storable(redaction.text(answer.why)),
        replies=[_storable(redaction.text(each)) for each in answer.replies],
        exchanges=list(answer.exchanges),
        booked_at=now,
    )


def _storable(text: str) -> str:
    """Return a text that the database takes: a model may write NUL, or half of a character."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def answers_of(run: DrillRun) -> tuple[Answer, ...]:
    """Return the booked rows of a run, in the order of the golden set."""
    return tuple(_answer(row) for row in run.rows.order_by("position", "time"))


def answer_of_row(run: DrillRun, row_id: str) -> Answer:
    """Return what a run made of a row the first time. Raises LookupError."""
    row = run.rows.filter(row_id=row_id, time=1).first()
    if row is None:
        raise LookupError(f"{run.name} has no row {row_id!r}.")
    return _answer(row)


def _answer(row: DrillRow) -> Answer:
    return Answer(
        row_id=row.row_id,
        expected=row.expected,
        got=row.got,
        status=RunResult(row.status),
        needs_human=row.needs_human,
        time=row.time,
        reasons=tuple(row.reasons),
        found=row.found,
        needed=row.needed,
        is_fenced=row.is_fenced,
        spent=Spent(row.tokens_in, row.tokens_out, row.micros, row.seconds),
        model=row.model,
        fingerprint=row.fingerprint,
        is_override=row.is_override,
        is_frozen=row.is_frozen,
        is_hard=row.is_hard,
        why=row.why,
        replies=tuple(row.replies),
        exchanges=tuple(row.exchanges),
    )


def booked(run: DrillRun) -> set[tuple[str, int]]:
    """Return which rows of a run are booked, each by its id and the time of asking."""
    return set(run.rows.values_list("row_id", "time"))


def digests_of(run: DrillRun) -> Digests:
    """Return what a run was asked and held to."""
    return Digests(run.golden_digest, run.contract_digest, run.prompt_digest, run.rules_digest)


def sheet_of(run: DrillRun, answers: Sequence[Answer] = ()) -> Sheet:
    """Return a run as its CSV has it; with `answers`, those rows alone."""
    return Sheet(run.endpoint, run.model, digests_of(run), tuple(answers) or answers_of(run))


class File:
    """A run's CSV: rows go to a file aside as they come, which takes its name once the run is whole."""

    def __init__(self, folder: Path, run: DrillRun) -> None:
        self.path = folder / f"{run.name}.csv"
        self._aside = folder / f"{run.name}.csv.part"
        self._run = run

    def begin(self) -> None:
        """Write what is booked already. A row that a kill cut in two is gone with it."""
        self._aside.parent.mkdir(parents=True, exist_ok=True)
        _write(self._aside, sheet.text_of(Sheet("", "", digests_of(self._run), ())))
        for answer in answers_of(self._run):
            self.add(answer)

    def add(self, answer: Answer) -> None:
        """Append a row that was booked."""
        with self._aside.open("a", encoding="utf-8", newline="") as out:
            out.write(sheet.line_of(sheet_of(self._run, [answer]), answer))

    def end(self) -> Path:
        """Write the whole run in the golden set's order and give it its name, in one step."""
        _write(self._aside, sheet.text_of(sheet_of(self._run)))
        self._aside.replace(self.path)
        return self.path


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
