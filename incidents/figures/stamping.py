"""Corrections of stamps: a person says when something really began, was noticed, or ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.models import User
from accounts.services import actor_name
from assay_core.instants import as_text
from audit import writing
from incidents.figures import recording, recount
from incidents.figures.stages import EDITABLE, Stamp
from incidents.models import Incident, StampEdit
from toolbox.values import is_storable

BECAUSE_MAX = 300


class StampRefused(Exception):
    """A stamp was not corrected; the message says why, for a person."""


@dataclass(frozen=True, slots=True)
class StampLine:
    """One stamp of an incident: when, and who says so; with the edit where a person corrected it."""

    stamp: Stamp
    at: datetime | None
    said_by: str
    edit: StampEdit | None
    can_edit: bool


_SAID_BY = {
    Stamp.IMPACT: "the sender",
    Stamp.MITIGATED: "the sender",
    Stamp.ACKNOWLEDGED: "a person",
    Stamp.DECIDED: "a person",
}


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person says of one stamp. `seen` is the last correction that their page knew of, None: any."""

    name: str
    at: datetime
    because: str
    seen: int | None = None


def last_seen(lines: Sequence[StampLine]) -> int:
    """Return the number of the newest correction among the lines; 0 for none."""
    return max((line.edit.pk for line in lines if line.edit), default=0)


def edit(incident_id: int, said: Correction, *, by: User, now: datetime) -> StampEdit:
    """Correct one stamp, with its entry, and have the incident counted anew.

    Raises StampRefused, also where somebody else has corrected that stamp since the page was opened.
    """
    name, at, words = said.name, said.at, said.because.strip()
    if name not in EDITABLE:
        raise StampRefused(f"Only these times are corrected: {', '.join(title(each) for each in EDITABLE)}.")
    if at > now:
        raise StampRefused("That time is still to come. Give one that has passed.")
    if not words or len(words) > BECAUSE_MAX or not is_storable(words):
        raise StampRefused(f"Say how you know, in 1 to {BECAUSE_MAX} characters.")
    with transaction.atomic():
        incident = Incident.objects.select_for_update(no_key=True, of=("self",)).get(pk=incident_id)
        before = next(line for line in lines(incident) if line.stamp == name)
        _look_at_others(before, said.seen, by)
        was = as_text(before.at) if before.at else None
        entry = writing.write(
            "stamp.edited",
            {"stamp": name, "before": was, "at": as_text(at), "reason": words},
            actor=actor_name(by), incident=incident_id,
        )  # fmt: skip
        made = StampEdit.objects.create(
            incident=incident, name=name, at=at, because=words, by=by, entry=entry.id, made_at=now
        )
        recount.mark([incident_id])
    return made


def _look_at_others(line: StampLine, seen: int | None, by: User) -> None:
    theirs = line.edit
    if theirs is None or seen is None or theirs.pk <= seen or theirs.by_id == by.pk:
        return
    raise StampRefused(
        f"{theirs.by} has corrected this time since you opened the page: it is {theirs.at:%Y-%m-%d %H:%M} "
        f"UTC now ({theirs.because}). Yours was not kept. It still stands below: look, then send it again."
    )


def lines(incident: Incident) -> Sequence[StampLine]:
    """Return every stamp of an incident as it stands now, read from its rows."""
    (record,) = recording.records([incident.pk])
    stamps = recording.counted(record).stamps
    edits = {
        row.name: row
        for row in StampEdit.objects.filter(incident=incident).select_related("by").order_by("pk")
    }
    return [
        StampLine(
            stamp,
            stamps.get(stamp),
            str(edits[stamp].by) if stamp in edits else _SAID_BY.get(stamp, "Assay"),
            edits.get(stamp),
            stamp in EDITABLE,
        )
        for stamp in Stamp
    ]


def title(stamp: str) -> str:
    """Return a stamp's name in words."""
    return stamp.replace("_", " ")
