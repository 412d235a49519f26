"""One golden row as a plain value, the digest of many, and the JSON lines that they are written as. Pure."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay_core.canonical import digest
from trials.states import Origin

FEWEST = 36  # of fewer, a drill notices a loss of ten points in a hundred less than one time in four
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled issue. `target` is the issue that a duplicate repeats, `hard` why people may differ.

    `is_frozen` rows belong to the part that every later version of the set keeps.
    """

    id: str
    label: str
    title: str
    body: str = ""
    target: str = ""
    hard: str = ""
    origin: Origin = Origin.WRITTEN
    is_frozen: bool = False

    @property
    def text(self) -> str:
        """Title and body as they are compared: neither case nor spacing makes another text."""
        return _SPACES.sub(" ", f"{self.title}\n{self.body}").strip().casefold()


def digest_of(rows: Iterable[Row]) -> str:
    """Return the digest of what a model can be asked and held to; the order of rows does not change it."""
    return digest(sorted([row.id, row.label, row.title, row.body, row.target] for row in rows))


def line_of(row: Row) -> str:
    """Return a row as one JSON line, without its end. Equal rows give equal lines."""
    said: dict[str, Any] = {"id": row.id, "label": row.label, "title": row.title, "body": row.body}
    extra: Mapping[str, Any] = {
        "target": row.target,
        "hard": row.hard,
        "origin": "" if row.origin is Origin.WRITTEN else row.origin.value,
        "frozen": row.is_frozen,
    }
    return json.dumps(said | {name: value for name, value in extra.items() if value}, ensure_ascii=False)


def cautions(rows: Sequence[Row], labels: Sequence[str]) -> list[str]:
    """Return what a set of rows lacks, in sentences: labels without a row, and rows in all."""
    there = {row.label for row in rows}
    missing = [label for label in labels if label not in there]
    found = []
    if missing:
        found.append(
            f"No row has the label {', '.join(missing)}: what an endpoint does with such issues is not seen."
        )
    if len(rows) < FEWEST:
        found.append(
            f"{len(rows)} rows are few: of fewer than {FEWEST}, a drill misses a loss of ten points in a "
            "hundred three times in four. Add rows."
        )
    return found
