"""What differs between two texts, word by word, and between two recorded answers, place by place. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

SHOWN = 200
_DEEPEST = 30
# Comparing takes at worst as many steps as the product of both lengths: beyond this all counts as changed.
_MOST_STEPS = 400_000
_WORD = re.compile(r"\s*\S+|\s+\Z")
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_NOTHING = object()


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text that is the same, gone or new."""

    kind: str  # same | gone | new
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """One place of an answer that is gone, new or changed; `place` reads `job.state` or `rows[2].id`."""

    kind: str  # changed | gone | new
    place: str
    before: Any
    after: Any


def of_texts(before: str, after: str) -> tuple[Piece, ...]:
    """Return both texts as one run of pieces: without those that are new it reads as the first."""
    if before == after:
        return (Piece("same", before),) if before else ()
    return tuple(_joined(_pieces(_LINE, before, after)))


def of_answers(before: object, after: object) -> tuple[Sequence[Change], int]:
    """Return at most SHOWN differences between two JSON values, and how many more there are."""
    shown: list[Change] = []
    more = 0
    for change in _changes("", before, after, 0):
        if len(shown) < SHOWN:
            shown.append(change)
        else:
            more += 1
    return shown, more


def _pieces(cut: re.Pattern[str], before: str, after: str) -> Iterator[Piece]:
    old, new = cut.findall(before), cut.findall(after)
    for tag, a, b, c, d in _steps(old, new):
        gone, came = "".join(old[a:b]), "".join(new[c:d])
        if tag == "equal":
            yield Piece("same", gone)
        elif tag == "replace" and cut is _LINE:
            yield from _pieces(_WORD, gone, came)
        else:
            yield Piece("gone", gone)
            yield Piece("new", came)


def _steps(old: Sequence[str], new: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    if len(old) * len(new) > _MOST_STEPS:
        return [("replace", 0, len(old), 0, len(new))]
    return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
    last: Piece | None = None
    for piece in pieces:
        if not piece.text:
            continue
        if last is not None and last.kind == piece.kind:
            last = Piece(last.kind, last.text + piece.text)
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last


def _changes(place: str, before: object, after: object, depth: int) -> Iterator[Change]:
    if depth < _DEEPEST and isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys((*before, *after)):
            inner = f"{place}.{name}" if place else str(name)
            yield from _changes(inner, before.get(name, _NOTHING), after.get(name, _NOTHING), depth + 1)
    elif depth < _DEEPEST and isinstance(before, list) and isinstance(after, list):
        for index in range(max(len(before), len(after))):
            old = before[index] if index < len(before) else _NOTHING
            new = after[index] if index < len(after) else _NOTHING
            yield from _changes(f"{place}[{index}]", old, new, depth + 1)
    elif after is _NOTHING:
        yield Change("gone", place, before, None)
    elif before is _NOTHING:
        yield Change("new", place, None, after)
    elif type(before) is not type(after) or before != after:
        yield Change("changed", place, before, after)
