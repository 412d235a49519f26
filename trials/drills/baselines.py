"""What a candidate is compared with: a named endpoint, a run that is stored, or the CSV of one."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import transaction

from trials.drills import booking, sheet
from trials.drills.answers import Answer
from trials.drills.plan import Plan
from trials.drills.sheet import Sheet, SheetUnreadable
from trials.models import Drill, DrillRun

LAST = "promoted"


class BaselineRefused(ValueError):
    """Something cannot be compared with; the message says why, and what can."""


def is_endpoint(name: str) -> bool:
    """Return whether a baseline is an endpoint of the settings, whose answers have to be asked for."""
    return name in settings.MODEL_ENDPOINTS


def stored(name: str, plan: Plan, *, by: str, now: datetime) -> DrillRun:
    """Return the stored run of a name, of a CSV's path, or of the last promotion.

    It has to be of equal golden rows, contract, prompts and checks. Raises BaselineRefused.
    """
    run = _promoted() if name == LAST else DrillRun.objects.filter(name=name).first()
    if run is None:
        return _from_file(Path(name), plan, by=by, now=now)
    if run.finished_at is None:
        raise BaselineRefused(f"The run {name} is not finished. Start its drill again to go on with it.")
    _refuse_other(name, sheet_digests=booking.sheet_of(run), answers=booking.answers_of(run), plan=plan)
    return run


def _promoted() -> DrillRun:
    drill = Drill.objects.exclude(promoted_at=None).order_by("-promoted_at").first()
    if drill is None:
        raise BaselineRefused("No candidate was promoted yet. Name an endpoint, a run or a CSV.")
    return drill.candidate


def _from_file(path: Path, plan: Plan, *, by: str, now: datetime) -> DrillRun:
    try:
        read = sheet.read(path.read_bytes())
    except OSError as error:
        known = ", ".join(settings.MODEL_ENDPOINTS)
        raise BaselineRefused(
            f"{str(path)!r} is no endpoint ({known}), no stored run, and no file that can be read "
            f"({error.strerror})."
        ) from None
    except SheetUnreadable as error:
        raise BaselineRefused(f"{path} is no run of a drill. {error}") from None
    _refuse_other(str(path), sheet_digests=read, answers=read.answers, plan=plan)
    return _kept(path.stem[:100], read, by=by, now=now)


def _refuse_other(name: str, *, sheet_digests: Sheet, answers: Sequence[Answer], plan: Plan) -> None:
    if differing := plan.digests.differing(sheet_digests.digests):
        words = {
            "golden": "golden rows",
            "contract": "contract",
            "prompt": "prompts",
            "rules": "code that checks reasons",
        }
        raise BaselineRefused(
            f"{name} is of another {' and another '.join(words[each] for each in differing)}: it cannot be "
            "compared with. Run the baseline anew."
        )
    wanted = [(row.id, row.label) for row in plan.rows]
    if [(each.row_id, each.expected) for each in answers if each.time == 1] != wanted:
        raise BaselineRefused(f"{name} does not hold each golden row once, in the golden set's order.")


def _kept(name: str, read: Sheet, *, by: str, now: datetime) -> DrillRun:
    """Return the run of a file: the stored one that says the same, else a new one without replies."""
    there = DrillRun.objects.filter(name=name).first()
    if there is not None:
        if sheet.text_of(booking.sheet_of(there)) == sheet.text_of(read):
            return there
        raise BaselineRefused(
            f"A run named {name} is stored and says something else than the file: one of them was changed. "
            "Rename the file if it is another run."
        )
    digests = read.digests
    with transaction.atomic():
        run = DrillRun.objects.create(
            name=name,
            endpoint=read.endpoint[:40],
            base_url="",
            model=read.model[:200],
            times=max(each.time for each in read.answers),
            rows_in_all=sum(each.time == 1 for each in read.answers),
            golden_digest=digests.golden,
            contract_digest=digests.contract,
            prompt_digest=digests.prompt,
            rules_digest=digests.rules,
            is_from_file=True,
            started_by=by,
            started_at=now,
            finished_at=now,
        )
        booking.book_all(run, read.answers, now=now)
    return run
