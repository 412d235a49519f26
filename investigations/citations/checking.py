"""Checking a draft: each id that it names is verified, missing or unchecked, and each figure quoted or not.

Pure but for the look-up that it is given. Without one it decides from the recorded entries alone, so that a
draft which was looked at before is decided the same way again, from the answers that were recorded then.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay_core.arguments import ToolShape
from assay_core.results import Status
from investigations.citations.figures import Figure, Known, leaves, unsupported
from investigations.citations.patterns import BUILT_IN, ENTRY, Named, Pattern, find
from investigations.citations.striking import marked
from investigations.demands import question
from investigations.marking import seen
from investigations.outcomes import BudgetSpent
from investigations.states import CitationState
from verdicts.case import Entry, Subject

Ask = Callable[[str, Mapping[str, Any]], Entry]
MOST_LOOK_UPS = 20
#: A backend that is down would cost each id its time-out, and somebody may be waiting.
MOST_SILENCES = 3
_LONGEST_ID = 200
_SILENT = (Status.UNAVAILABLE, Status.ERROR)
_READABLE = (Status.OBSERVED, Status.TRUNCATED)


@dataclass(frozen=True, slots=True)
class Ground:
    """What a draft is checked against: the incident, the run's entries, the kinds of ids and their tools."""

    subject: Subject
    entries: Mapping[int, Entry]
    patterns: Sequence[Pattern] = BUILT_IN
    shapes: Mapping[str, ToolShape] | None = None
    #: Cited beside the draft, as findings are.
    cited: frozenset[int] = frozenset()
    #: Not for a draft that tested code wrote: its figures are quoted by the code.
    has_figures: bool = True


@dataclass(frozen=True, slots=True)
class Cited:
    """One id of a draft, however often it stands there."""

    kind: str
    text: str
    value: str
    state: CitationState
    reason: str = ""
    entry: int | None = None
    link: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft with what could not be shown struck through or marked, and what was found of each id."""

    text: str
    written: str
    citations: tuple[Cited, ...] = ()
    figures: tuple[str, ...] = ()

    def of(self, state: CitationState) -> tuple[Cited, ...]:
        """Return the citations of one state."""
        return tuple(each for each in self.citations if each.state is state)

    @property
    def missing(self) -> tuple[Cited, ...]:
        """The ids that name nothing."""
        return self.of(CitationState.MISSING)


def check(draft: str, ground: Ground, look_up: Ask | None) -> Checked:
    """Look each distinct id of a draft up once, in the run's entries first, and mark what is not shown.

    `look_up` puts one question through the gateway and returns its entry; BudgetSpent from it leaves the rest
    unchecked. Raises what else it raises, as a lost lease.
    """
    written = seen(draft)
    named = find(written, ground.patterns)
    looking = _Looking(ground, look_up)
    states = {(each.kind, each.value): looking.cited(each) for each in _distinct(named)}
    figures = _figures(written, named, states, looking.ground) if ground.has_figures else ()
    return Checked(
        text=marked(written, [(each, states[each.kind, each.value].state) for each in named], figures),
        written=written,
        citations=tuple(states.values()),
        figures=tuple(dict.fromkeys(figure.text for figure in figures)),
    )


def _distinct(named: Iterable[Named]) -> list[Named]:
    first: dict[tuple[str, str], Named] = {}
    for each in named:
        first.setdefault((each.kind, each.value), each)
    return list(first.values())


def _figures(
    text: str, named: Sequence[Named], states: Mapping[tuple[str, str], Cited], ground: Ground
) -> tuple[Figure, ...]:
    cited = ground.cited | {
        each.entry
        for each in states.values()
        if each.state is CitationState.VERIFIED and each.entry is not None
    }
    entries = [ground.entries[number] for number in sorted(cited) if number in ground.entries]
    return unsupported(text, Known(ground.subject, entries), but=[(each.start, each.end) for each in named])


class _Looking:
    """One draft's look-ups: bounded, each question once, the answers kept beside the run's entries."""

    def __init__(self, ground: Ground, look_up: Ask | None) -> None:
        self._subject, self._shapes = ground.subject, ground.shapes or {}
        self._patterns = {pattern.kind: pattern for pattern in ground.patterns}
        self._entries = dict(ground.entries)
        self._look_up, self._left = look_up, MOST_LOOK_UPS
        self._ground = ground
        self._found: dict[str, dict[str, int]] = {}
        self._silent: dict[str, int] = {}
        self._recorded = {question(e.tool, e.arguments): e for _, e in sorted(ground.entries.items())}

    @property
    def ground(self) -> Ground:
        """The ground with what was looked up since."""
        ground = self._ground
        return Ground(ground.subject, self._entries, ground.patterns, ground.shapes, ground.cited)

    def cited(self, named: Named) -> Cited:
        """Return what is known of one id, asking where nothing is."""
        if named.kind == ENTRY:
            return self._entry(named)
        pattern = self._patterns[named.kind]
        entry = self._held(pattern).get(named.value)
        return self._verified(named, pattern, entry) if entry is not None else self._asked(named, pattern)

    def _held(self, pattern: Pattern) -> Mapping[str, int]:
        """Return the ids of one kind that the run's answers hold, each with the first entry that does."""
        if pattern.kind not in self._found:
            found: dict[str, int] = {}
            for number, entry in sorted(self._ground.entries.items()):
                if entry.status in _READABLE:
                    for value in _held(entry.result, pattern):
                        found.setdefault(value, number)
            self._found[pattern.kind] = found
        return self._found[pattern.kind]

    def _entry(self, named: Named) -> Cited:
        entry = self._entries.get(int(named.value))
        if entry is None:
            reason = f"This run has no entry {named.value}."
            return _said(named, CitationState.MISSING, reason)
        if entry.status in (*_READABLE, Status.EMPTY):
            return _said(named, CitationState.VERIFIED, "", entry=entry.id)
        # Tested code cites it for just that; a model would have it show something.
        state = CitationState.UNCHECKED if self._ground.has_figures else CitationState.VERIFIED
        return _said(named, state, f"It gave no answer ({entry.status}).", entry=entry.id)

    def _asked(self, named: Named, pattern: Pattern) -> Cited:
        look_up = pattern.look_up
        if look_up is None:
            reason = f"No entry of this run names it, and no tool here looks up a {named.kind}."
            return _said(named, CitationState.UNCHECKED, reason)
        shape = self._shapes.get(look_up.tool)
        if shape is None:
            return _said(named, CitationState.UNCHECKED, f"There is no tool named {look_up.tool}.")
        arguments = look_up.arguments(named.value, self._subject.started_at, shape)
        wanted = question(look_up.tool, arguments)
        if wanted in self._recorded:
            return self._decided(named, pattern, self._recorded[wanted])
        try:
            entry = self._put(look_up.tool, arguments)
        except BudgetSpent as spent:
            return _said(named, CitationState.UNCHECKED, f"Nobody could look it up: {spent}")
        if entry is None:
            return _said(named, CitationState.UNCHECKED, "Nobody has looked it up.")
        self._entries[entry.id] = entry
        return self._decided(named, pattern, entry)

    def _put(self, tool: str, arguments: Mapping[str, Any]) -> Entry | None:
        if self._look_up is None:
            return None
        if not self._left:
            raise BudgetSpent(f"a draft has at most {MOST_LOOK_UPS} ids looked up.")
        if self._silent.get(tool, 0) >= MOST_SILENCES:
            raise BudgetSpent(f"{tool} gave no answer {MOST_SILENCES} times in a row.")
        self._left -= 1
        entry = self._look_up(tool, arguments)
        self._silent[tool] = self._silent.get(tool, 0) + 1 if entry.status in _SILENT else 0
        return entry

    def _decided(self, named: Named, pattern: Pattern, entry: Entry) -> Cited:
        if entry.status in _READABLE:
            if named.value in set(_held(entry.result, pattern)):
                return self._verified(named, pattern, entry.id)
            reason = f"The answer of {entry.tool} (entry {entry.id}) does not name it."
            return _said(named, CitationState.UNCHECKED, reason, entry=entry.id)
        if _is_gone(entry, pattern):
            reason = f"{entry.tool} does not find it (entry {entry.id})."
            return _said(named, CitationState.MISSING, reason, entry=entry.id)
        why = f": {entry.reason}" if entry.reason else "."
        reason = f"{entry.tool} gave no answer (entry {entry.id}, {entry.status}){why}"
        return _said(named, CitationState.UNCHECKED, reason, entry=entry.id)

    def _verified(self, named: Named, pattern: Pattern, entry: int) -> Cited:
        return _said(named, CitationState.VERIFIED, "", entry=entry, link=pattern.linked(named.value))


def _is_gone(entry: Entry, pattern: Pattern) -> bool:
    if entry.status is Status.EMPTY:
        return True
    return (
        pattern.is_gone_when_not_found
        and entry.status is Status.UNANSWERABLE
        and isinstance(entry.result, Mapping)
        and not any(entry.result.values())
    )


def _held(result: Any, pattern: Pattern) -> Iterator[str]:
    """Yield the ids that an answer holds. What it was asked for does not count: anybody can ask."""
    group = pattern.shape.groups and 1
    for leaf in leaves(result):
        if isinstance(leaf, str | int) and not isinstance(leaf, bool):
            text = str(leaf)
            if len(text) <= _LONGEST_ID:
                yield pattern.normal(text)
            for match in pattern.shape.finditer(text):
                yield pattern.normal(match[group])


def _said(
    named: Named, state: CitationState, reason: str, *, entry: int | None = None, link: str = ""
) -> Cited:
    return Cited(named.kind, named.text, named.value, state, reason[:400], entry, link)
