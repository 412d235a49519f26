"""One rule as its page shows it: each check with its source, the cases, what could not be answered."""

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from types import FunctionType

from investigations.drift import SHOWN_DAYS, DayLine
from investigations.queries import source_of
from verdicts.fact import Check, Fact, Refutation
from verdicts.rule import RuleSpec


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One fact or refutation: what it asks, under which conditions, where it is written and how."""

    name: str
    tool: str
    sentence: str
    place: str  # file:line, "" where it is unknown
    text: str
    conditions: Sequence[str]


@dataclass(frozen=True, slots=True)
class CaseLine:
    """One case that proves the rule."""

    name: str
    passes: bool
    because: str
    deciding: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One day of the drawing: its place, and the height of what could not be answered."""

    day: date
    count: int
    x: int
    y: int
    height: int


def checks(spec: RuleSpec) -> tuple[CheckLine, ...]:
    """Return the facts of a rule with the source of their checks."""
    written = _written(spec.source)
    return tuple(
        CheckLine(
            name,
            fact.tool,
            fact.sentence,
            source_of(fact.holds),
            _text(written, name, fact.holds, fact.ask),
            _conditions(fact),
        )
        for name, fact in spec.facts.items()
    )


def refutations(spec: RuleSpec) -> tuple[CheckLine, ...]:
    """Return the refutations of a rule with the source of their checks."""
    written = _written(spec.source)
    return tuple(_refutation(name, each, written) for name, each in spec.refutations.items())


def cases(spec: RuleSpec) -> tuple[CaseLine, ...]:
    """Return the cases of a rule; nothing where their text can't be read."""
    try:
        return tuple(
            CaseLine(each["name"], each["expect"] == "pass", each["because"], each.get("deciding", ""))
            for each in json.loads(spec.cases)
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return ()


def bars(days: Sequence[DayLine], now: datetime) -> tuple[Bar, ...]:
    """Return a bar for each of the last days, the oldest first; nothing where there was no trouble."""
    counts: dict[date, int] = {}
    for line in days:
        counts[line.day] = counts.get(line.day, 0) + line.count
    if not counts:
        return ()
    most = max(counts.values())
    shown = [now.date() - timedelta(days=back) for back in range(SHOWN_DAYS - 1, -1, -1)]
    return tuple(_bar(place, day, counts.get(day, 0), most) for place, day in enumerate(shown))


def _bar(place: int, day: date, count: int, most: int) -> Bar:
    height = max(2, round(46 * count / most)) if count else 1
    return Bar(day, count, place * 20, 48 - height, height)


def _refutation(name: str, refutation: Refutation, written: Mapping[str, str]) -> CheckLine:
    text = _text(written, name, refutation.when)
    return CheckLine(name, refutation.tool, refutation.sentence, source_of(refutation.when), text, ())


def _conditions(fact: Fact) -> tuple[str, ...]:
    said = []
    if fact.not_before is not None:
        said.append(f"asked {fact.not_before} after the start or later")
    said.append(f"no older than {fact.max_age}")
    if fact.covers:
        edges = ", ".join(f"{edge} the asked {argument}" for argument, edge in fact.covers.items())
        said.append(f"the answer covers {edges}")
    if fact.accepts_empty:
        said.append("an empty answer counts")
    if fact.truncation_harmless_because:
        said.append(f"a cut answer counts: {fact.truncation_harmless_because}")
    return tuple(said)


def _text(written: Mapping[str, str], name: str, *called: Check | object) -> str:
    """Return the declaration, and each function by name that it calls upon."""
    names = [
        each.__code__.co_name
        for each in called
        if isinstance(each, FunctionType) and each.__code__.co_name != "<lambda>"
    ]
    parts = [written.get(name, ""), *(written.get(each, "") for each in dict.fromkeys(names))]
    return "\n\n".join(part for part in parts if part)


def _written(source: str) -> Mapping[str, str]:
    """Return the text of each attribute and function of a rule file, by its name."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    lines = source.splitlines()
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        elif isinstance(node, ast.FunctionDef):
            name = node.name
        else:
            continue
        whole = lines[node.lineno - 1 : node.end_lineno]
        found.setdefault(name, "\n".join(line[min(node.col_offset, len(line)) :] for line in whole))
    return found
