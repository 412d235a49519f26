"""An evaluation as files: JSON of its measures, CSV with a row for each run. Whole, or not there at all."""

import json
import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from assay_core.instants import as_text
from incidents.figures.intervals import FEW, Rate
from incidents.sheets import csv_text
from trials import queries
from trials.models import Evaluation, EvaluationCase, EvaluationRun
from trials.states import RunState
from verdicts.closings import Actual
from verdicts.comparison import ending

_DIGESTS = ("set", "prompt", "contract", "rulebook", "endpoint")
_OF_CASE = ("key", "title", "kind", "is_twin", "actual", "rule")
_OF_RUN = (
    "number",
    "state",
    "outcome",
    "hypothesis",
    "passed_before",
    "passed",
    "decided_by",
    "own_calls",
    "calls",
    "not_recorded",
    "live",
    "refused",
    "redeclared",
    "exchanges",
    "citations_missing",
    "citations_unchecked",
    "tokens_in",
    "tokens_out",
)
_LAST = ("model_seconds", "seconds", "model", "fingerprint", "reason")
_MADE = ("ended", "found", "needed", "lacking", "cost")
_TOLD = tuple(f"{each}_digest" for each in _DIGESTS[1:])
HEAD = ("evaluation", *_OF_CASE, *_OF_RUN, *_MADE, *_LAST, *_TOLD)


def as_json(number: int, *, without: Collection[int] = ()) -> str:
    """Return an evaluation and its measures as JSON, without the cases of some incidents.

    Raises NoSuchEvaluation.
    """
    row = queries.evaluation(number)
    whole = {
        "evaluation": number,
        "set": row.chosen,
        "endpoint": row.endpoint,
        "model": row.model,
        "runs_of_each_case": row.runs,
        "live": row.is_live,
        "stopped": row.stopped,
        "note": row.note,
        "began_at": as_text(row.created_at),
        "ended_at": as_text(row.finished_at) if row.finished_at else None,
        "spent": row.spent_micros / 1e6,
        "digests": {each: getattr(row, f"{each}_digest") for each in _DIGESTS},
        "measures": _plain(queries.measured(number, without=without)),
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def as_csv(number: int, *, without: Collection[int] = ()) -> str:
    """Return every run of an evaluation, a row each, without those of some incidents.

    Raises NoSuchEvaluation.
    """
    row = queries.evaluation(number)
    digests = [getattr(row, name) for name in _TOLD]
    return csv_text(HEAD, _rows(row, digests, without))


def written(path: Path, text: str) -> None:
    """Write a file beside its place and put it there whole: a reader finds the old one or the new one.

    Raises OSError.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _rows(evaluation: Evaluation, digests: Sequence[str], without: Collection[int]) -> Iterator[list[Any]]:
    for line in queries.by_case(evaluation.pk):
        for run in line.runs if line.case.incident_id not in without else ():
            yield [evaluation.pk, *_of(line.case, run), *digests]


def _of(case: EvaluationCase, run: EvaluationRun) -> list[Any]:
    lacking = [each for each in case.needs if each not in run.gathered]
    is_done = run.state == RunState.DONE
    came = "" if run.passed is None else str(ending(run.passed, Actual(case.actual)))
    return [
        *(_word(getattr(case, name)) for name in _OF_CASE),
        *(_word(getattr(run, name)) for name in _OF_RUN),
        came,
        len(case.needs) - len(lacking) if is_done else "",
        len(case.needs),
        " ".join(lacking) if is_done else "",
        run.micros / 1e6,
        *(_word(getattr(run, name)) for name in _LAST),
    ]


def _word(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return round(value, 3) if isinstance(value, float) else value


def _plain(value: Any) -> Any:
    if isinstance(value, Rate):
        return _rate(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _rate(rate: Rate) -> dict[str, Any]:
    """Return a rate with its counts; of fewer than five there is no share."""
    return {"hits": rate.hits, "of": rate.of, **({"share": rate.share} if rate.of >= FEW else {})}
