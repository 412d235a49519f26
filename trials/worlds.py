"""Recorded worlds: what a past incident's tools answered, for whoever asks exactly the same again.

A world has the clock of its incident. It answers from the record and from nothing else, and what was erased
from the record is not in it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from assay_core.canonical import digest
from assay_core.instants import as_text
from assay_core.results import Status
from audit import reading
from investigations.demands import question
from investigations.evidence import entry_of
from investigations.models import Case, Investigation
from toolbox import gateway
from toolbox.called import Called
from toolbox.redaction import READERS_CUT, Redacted, copy_for_readers
from verdicts.case import CaseUnreadable, Entry, Subject
from verdicts.replay.file import Replay


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded answer, and the digest of its tool's declaration then; empty where a file holds none."""

    entry: Entry
    definition: str = ""


@dataclass(frozen=True, slots=True)
class World:
    """One incident as its tools answered: the newest answer to each question that was ever asked.

    `erased` are the entries whose content is gone: what they answered, nobody can say any more.
    """

    subject: Subject
    now: datetime
    answers: Mapping[str, Recorded]
    erased: tuple[int, ...] = ()
    digest: str = ""
    _copies: dict[str, Redacted] = field(default_factory=dict, compare=False, repr=False)

    def answer(self, tool: str, arguments: Mapping[str, object]) -> Recorded | None:
        """Return what was answered to exactly this question; arguments are in their one form."""
        return self.answers.get(question(tool, arguments))

    def copy_for_readers(self, recorded: Recorded, hints: tuple[str, ...]) -> Redacted:
        """Return the masked copy of an answer; it is made once, however often the case is run."""
        key = f"{recorded.entry.id}:{recorded.entry.leaf}"
        if key not in self._copies:
            self._copies[key] = copy_for_readers(recorded.entry.result, hints=hints, cut=READERS_CUT)
        return self._copies[key]


class WorldMissing(LookupError):
    """There is nothing recorded of that incident; the message says what is missing."""


def of_incident(incident: int) -> World:
    """Return the world of a past incident: the answers of all its investigations, as they stand now.

    Its clock is that of its last judgement. Raises WorldMissing, and CaseUnreadable for a subject that
    cannot be read.
    """
    runs = list(Investigation.objects.filter(incident_id=incident).order_by("pk"))
    if not runs:
        raise WorldMissing(f"Incident {incident} was never investigated: nothing is recorded of it.")
    erased: list[int] = []
    recorded: list[Recorded] = []
    for run in runs:
        for stored in reading.of_investigation(run.pk, kind=gateway.KIND):
            if stored.payload is None:
                erased.append(stored.id)
                continue
            called = Called.from_payload(stored.id, stored.leaf, stored.payload)
            recorded.append(Recorded(entry_of(called, run.pk), stored.payload["definition"]))
    judged_at = (
        Case.objects.filter(investigation__incident_id=incident)
        .order_by("-pk")
        .values_list("judged_at", flat=True)
        .first()
    )
    now = judged_at or max([run.created_at for run in runs] + [each.entry.finished_at for each in recorded])
    subject = Subject.from_text(runs[-1].subject)
    return _world(subject, now, recorded, tuple(erased))


def of_replay(replay: Replay) -> World:
    """Return the world of a replay: the answers of its one run, at the time when it was judged."""
    frozen = replay.frozen
    definitions = {name: shape.digest for name, shape in replay.tools.items()}
    recorded = [
        Recorded(entry, definitions.get(entry.tool, "")) for _, entry in sorted(frozen.entries.items())
    ]
    return _world(frozen.subject, frozen.case.judged_at, recorded, ())


def of_file(path: Path) -> World:
    """Return the world of a replay's file. Raises WorldMissing for one that can't be read."""
    try:
        return of_replay(Replay.from_text(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, CaseUnreadable) as error:
        raise WorldMissing(f"The file {path} can't be read: {error}") from None


def _world(subject: Subject, now: datetime, recorded: Iterable[Recorded], erased: tuple[int, ...]) -> World:
    answers: dict[str, Recorded] = {}
    ordered = sorted(recorded, key=lambda each: (each.entry.called_at, each.entry.id))
    for each in ordered:
        key = question(each.entry.tool, each.entry.arguments)
        # A refusal says what was so with the asker, not with the world: it stands where nothing else does.
        if each.entry.status is not Status.REFUSED or key not in answers:
            answers[key] = each
    found = digest(
        {
            "subject": subject.to_plain(),
            "now": as_text(now),
            "entries": sorted([each.entry.id, each.entry.leaf] for each in ordered),
        }
    )
    return World(subject, now, answers, erased, found)
