"""A case as it is stored, exported and judged again: the subject, the case, and every entry of the run."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

from assay_core.canonical import canonical
from verdicts import plain
from verdicts.case import Case, CaseUnreadable, Entry, Subject
from verdicts.wholeness import gap

BODY_VERSION = 1
_BODY_KEYS = frozenset({"v", "subject", "case", "entries"})


class StoredCase(Protocol):
    """A row that holds a case: its number, its text, and the digest of that text."""

    pk: int
    body: str
    digest: str


@dataclass(frozen=True, slots=True)
class Frozen:
    """A case with all that a verdict reads of it but the rulebook."""

    subject: Subject
    case: Case
    entries: Mapping[int, Entry]

    @property
    def lacks(self) -> str:
        """Say why the entries are not exactly those of the run, or nothing."""
        return gap(self.case, self.entries)

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON value whose canonical text is stored and whose digest names the case."""
        return {
            "v": BODY_VERSION,
            "subject": self.subject.to_plain(),
            "case": self.case.to_plain(),
            "entries": [self.entries[number].to_plain() for number in sorted(self.entries)],
        }

    @classmethod
    def from_plain(cls, value: Any, path: str) -> Self:
        """Read the JSON value; raise CaseUnreadable naming the path."""
        whole = plain.record(value, path, _BODY_KEYS)
        if whole["v"] != BODY_VERSION:
            raise CaseUnreadable(f"{path}.v", f"is {whole['v']!r}, and this version reads {BODY_VERSION}")
        return cls.of_parts(whole)

    @classmethod
    def of_parts(cls, whole: Mapping[str, Any]) -> Self:
        """Read subject, case and entries of an object that has more; raise CaseUnreadable."""
        entries = plain.several(whole["entries"], "entries", Entry.from_plain)
        by_id = {entry.id: entry for entry in entries}
        if len(by_id) != len(entries):
            raise CaseUnreadable("entries", "two of them have one id")
        return cls(Subject.from_plain(whole["subject"]), Case.from_plain(whole["case"]), by_id)

    @classmethod
    def from_text(cls, body: str, digest: str, path: str) -> Self:
        """Read a stored text; raise CaseUnreadable for one that was changed since."""
        if hashlib.sha256(body.encode()).hexdigest() != digest:
            raise CaseUnreadable(path, "is not what was judged: its text does not have its digest")
        return cls.from_plain(json.loads(body), path)

    @classmethod
    def stored(cls, row: StoredCase) -> Self:
        """Read a stored case back; raise CaseUnreadable for one that is not whole or was changed since."""
        return cls.from_text(row.body, row.digest, f"case {row.pk}")

    def text(self) -> str:
        """Return the text that is stored."""
        return canonical(self.to_plain())
