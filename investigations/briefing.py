"""What a model is told before it answers a person's question: the incident, its verdict, its records. Pure.

All of it but our own prompt and the question is data that others wrote, and is marked as such.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay_core.instants import as_text
from investigations.marking import Marker, inert, shown
from investigations.talk import Message, Role
from verdicts.case import Entry, Subject

_RECORD = 1_200
_RECORDS = 16_000
_EARLIER_ANSWER = 800


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the incident when the question is asked. `earlier` are questions and their answers;
    `hints` names the fields of each tool's results that readers are not shown."""

    subject: Subject
    verdict: str
    entries: Mapping[int, Entry]
    earlier: Sequence[tuple[str, str]] = ()
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def messages(prompt: str, known: Known, question: str, marker: Marker) -> list[Message]:
    """Return the talk as it begins."""
    return [
        Message(Role.SYSTEM, prompt),
        Message(Role.USER, "\n\n".join([*_about(known, marker), f"The question:\n{inert(question)}"])),
    ]


def _about(known: Known, marker: Marker) -> Iterable[str]:
    subject = known.subject
    told = {
        "kind": subject.kind,
        "source": subject.source,
        "severity": subject.severity,
        "title": subject.title,
        "started_at": as_text(subject.started_at),
        "identifiers": dict(subject.identifiers),
        "labels": dict(subject.labels),
        "annotations": dict(subject.annotations),
    }
    yield marker.data("the incident as its sender told it", shown(told))
    yield marker.data("the verdict so far, decided by code", known.verdict or "There is none yet.")
    yield from _records(known, marker)
    for asked, answered in known.earlier:
        yield marker.data(
            "a question asked before, and its answer", f"{asked}\n\n{answered[:_EARLIER_ANSWER]}"
        )


def _records(known: Known, marker: Marker) -> Iterable[str]:
    """Yield the newest records first, as far as there is room: the model can ask for what is left out."""
    room, entries = _RECORDS, known.entries
    for _, entry in sorted(entries.items(), reverse=True):
        text = _record(entry, known.hints.get(entry.tool, ()))
        if len(text) > room:
            yield f"{sum(1 for number in entries if number <= entry.id)} older records are left out here."
            return
        room -= len(text)
        yield marker.data(f"record of entry {entry.id}", text)


def _record(entry: Entry, hints: tuple[str, ...]) -> str:
    arguments = json.dumps(dict(entry.arguments), default=str)
    head = f"entry {entry.id}: {entry.tool} {arguments}: {entry.status.value}"
    reason = f"\n{entry.reason}" if entry.reason else ""
    return f"{head}{reason}\n{shown(entry.result, hints=hints, longest=_RECORD)}"
