"""What an id looks like in a draft, and where it is looked up. Pure.

Two kinds are built in: entries of the audit log, and trace ids. The others a deployment declares.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from assay_core.arguments import ToolShape, one_form
from assay_core.instants import as_text

ENTRY = "entry"
TRACE = "trace"
#: 24 to 32 digits: stores that drop leading zeros give back the shorter ones.
TRACE_SHAPE = re.compile(r"(?<![0-9A-Za-z_])[0-9A-Fa-f]{24,32}(?![0-9A-Za-z_])")
_NUMBER = re.compile(r"[0-9]{1,18}")
_NEXT = r"[ \t]{0,3}(?:,|&|/|–|-|and|or|to)[ \t]{0,3}#?[0-9]{1,18}"
_ENTRIES = re.compile(
    r"\[entry ([0-9]{1,18})\]"
    rf"|\bentr(?:y|ies)[ \t]{{1,3}}(?:no\.?|number)?[ \t]{{0,3}}#?([0-9]{{1,18}}(?:{_NEXT}){{0,50}})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class LookUp:
    """The question that tells whether an id exists: a tool, the argument that takes the id, its window.

    `since` and `until` name the tool's arguments for a window that reaches from `before` the incident's start
    to `after` it: fixed by the subject, so that the same id is the same question each time.
    """

    tool: str
    argument: str
    since: str = ""
    until: str = ""
    before: timedelta = timedelta(hours=24)
    after: timedelta = timedelta(hours=24)
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def arguments(self, value: str, started_at: datetime, shape: ToolShape) -> dict[str, Any]:
        """Return the arguments in their one form."""
        edges = {self.since: started_at - self.before, self.until: started_at + self.after}
        window = {name: as_text(edge) for name, edge in edges.items() if name}
        return one_form({**self.fixed, self.argument: value, **window}, shape)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of id. `normal` brings one into the form in which two are the same.

    `is_gone_when_not_found`: a bare "not found" of the backend is believed, though nothing proves that the id
    would have been found; else it has to be proven.
    """

    kind: str
    shape: re.Pattern[str]
    look_up: LookUp | None = None
    link: str = ""
    normal: Callable[[str], str] = str.strip
    is_gone_when_not_found: bool = False

    def linked(self, value: str) -> str:
        """Return the address of the id's page, or an empty text."""
        return self.link.replace("{id}", quote(value, safe="")) if self.link else ""


@dataclass(frozen=True, slots=True)
class Named:
    """One place in a text that names an id."""

    kind: str
    text: str
    value: str
    start: int
    end: int


def trace_id(text: str) -> str:
    """Return a trace's id in its one form: lower case, 32 digits."""
    return text.strip().lower().rjust(32, "0")


def trace(look_up: LookUp | None = None, link: str = "") -> Pattern:
    """Return the pattern of trace ids, with where this deployment looks them up."""
    return Pattern(TRACE, TRACE_SHAPE, look_up, link, trace_id, is_gone_when_not_found=True)


BUILT_IN = (trace(),)


def find(text: str, patterns: Sequence[Pattern]) -> tuple[Named, ...]:
    """Return what a text names, in its order. Where two kinds meet the longer one counts, then the first."""
    found = [*_entries(text)]
    for pattern in patterns:
        group = 1 if pattern.shape.groups else 0
        for match in pattern.shape.finditer(text):
            start, end = match.span(group)
            if start < end:
                said = text[start:end]
                found.append(Named(pattern.kind, said, pattern.normal(said), start, end))
    kept: list[Named] = []
    for each in sorted(found, key=lambda named: (named.start, -named.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return tuple(kept)


def _entries(text: str) -> Iterator[Named]:
    for match in _ENTRIES.finditer(text):
        if match[1] is not None:
            yield Named(ENTRY, match[0], str(int(match[1])), match.start(), match.end())
            continue
        for number in _NUMBER.finditer(text, *match.span(2)):
            yield Named(ENTRY, number[0], str(int(number[0])), number.start(), number.end())
