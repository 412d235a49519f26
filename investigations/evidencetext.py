"""The incident and the recorded answers as a model is shown them that has not asked for them itself. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence

from assay_core.instants import as_text
from investigations.marking import Marker, shown
from verdicts.case import Entry, Subject

_EACH = 2_000
_ALL = 40_000
_TOLD = ("kind", "source", "severity", "title", "identifiers", "labels", "annotations")


def told_of(
    subject: Subject,
    entries: Mapping[int, Entry],
    marker: Marker,
    *,
    hints: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """Yield the incident, then each entry, as labelled data: the oldest are left out where room ends."""
    plain = subject.to_plain()
    told = {name: plain[name] for name in _TOLD} | {"began_at": as_text(subject.started_at)}
    yield marker.data("the incident as its sender told it", shown(told))
    kept: list[str] = []
    room = _ALL
    for number, entry in sorted(entries.items(), reverse=True):
        text = _of(entry, tuple(hints.get(entry.tool, ())))
        room -= len(text)
        if room < 0:
            yield f"{len(entries) - len(kept)} older recorded answers are left out here."
            break
        kept.append(marker.data(f"recorded answer, entry {number}", text))
    yield from reversed(kept)


def _of(entry: Entry, hints: tuple[str, ...]) -> str:
    asked = json.dumps(dict(entry.arguments), ensure_ascii=False, default=str)[:_EACH]
    lines = [f"{entry.tool} asked with {asked} answered {entry.status}."]
    if entry.reason:
        lines.append(entry.reason[:_EACH])
    if entry.result is not None:
        lines.append(shown(entry.result, hints=hints, longest=_EACH))
    return "\n".join(lines)
