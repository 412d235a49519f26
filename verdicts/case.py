"""What is judged: the entries of a run, and the frozen case. Plain values in and out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from assay_core.instants import as_text
from assay_core.results import Status
from verdicts import plain
from verdicts.plain import CaseUnreadable
from verdicts.subject import IdentifierMissing, Subject, aware

__all__ = [
    "AUTHORS",
    "NONE_OF_THESE",
    "Case",
    "CaseUnreadable",
    "Entry",
    "Finding",
    "IdentifierMissing",
    "Subject",
    "Submission",
]

NONE_OF_THESE = "none_of_these"
AUTHORS = {name: name for name in ("playbook", "model", "external", "rule", "person")}
STATUSES = {str(status): status for status in Status}


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded tool call. `arguments` are in their one form: defaults filled in, normalised."""

    id: int
    leaf: str
    investigation: int
    tool: str
    arguments: Mapping[str, Any]
    status: Status
    result: Any
    reason: str
    called_at: datetime
    finished_at: datetime
    asked_by: str
    covered: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Refuse a naive time: it names no point in time."""
        aware(self.called_at, "called_at")
        aware(self.finished_at, "finished_at")

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON form that from_plain reads."""
        return {
            "id": self.id,
            "leaf": self.leaf,
            "investigation": self.investigation,
            "tool": self.tool,
            "arguments": dict(self.arguments),
            "status": str(self.status),
            "result": self.result,
            "reason": self.reason,
            "called_at": as_text(self.called_at),
            "finished_at": as_text(self.finished_at),
            "asked_by": self.asked_by,
            "covered": None if self.covered is None else dict(self.covered),
        }

    @classmethod
    def from_plain(cls, value: Any, path: str = "entry") -> Self:
        """Read the JSON form; raise CaseUnreadable naming the path."""
        raw = plain.record(value, path, _ENTRY_KEYS)
        covered = raw["covered"]
        return cls(
            id=plain.whole(raw["id"], path, "id"),
            leaf=plain.text(raw["leaf"], path, "leaf"),
            investigation=plain.whole(raw["investigation"], path, "investigation"),
            tool=plain.text(raw["tool"], path, "tool"),
            arguments=plain.mapping(raw["arguments"], path, "arguments"),
            status=plain.one_of(raw["status"], path, STATUSES, "status"),
            result=raw["result"],
            reason=plain.text(raw["reason"], path, "reason"),
            called_at=plain.instant(raw["called_at"], path, "called_at"),
            finished_at=plain.instant(raw["finished_at"], path, "finished_at"),
            asked_by=plain.text(raw["asked_by"], path, "asked_by"),
            covered=None if covered is None else plain.mapping(covered, path, "covered"),
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact's name, the entry that is said to show it, and a note for people that no check ever reads."""

    fact: str
    entry: int
    note: str = ""
    author: str = "playbook"

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON form that from_plain reads."""
        return {"fact": self.fact, "entry": self.entry, "note": self.note, "author": self.author}

    @classmethod
    def from_plain(cls, value: Any, path: str = "finding") -> Self:
        """Read the JSON form; raise CaseUnreadable naming the path."""
        raw = plain.record(value, path, _FINDING_KEYS)
        return cls(
            fact=plain.text(raw["fact"], path, "fact"),
            entry=plain.whole(raw["entry"], path, "entry"),
            note=plain.text(raw["note"], path, "note"),
            author=plain.one_of(raw["author"], path, AUTHORS, "author"),
        )


@dataclass(frozen=True, slots=True)
class Submission:
    """What an investigator returns: a hypothesis, findings and a draft. Never a verdict."""

    hypothesis: str
    findings: tuple[Finding, ...]
    draft: str
    proposed_hypothesis: str = ""

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON form that from_plain reads."""
        return {
            "hypothesis": self.hypothesis,
            "findings": [finding.to_plain() for finding in self.findings],
            "draft": self.draft,
            "proposed_hypothesis": self.proposed_hypothesis,
        }

    @classmethod
    def from_plain(cls, value: Any, path: str = "submission") -> Self:
        """Read the JSON form; raise CaseUnreadable naming the path."""
        raw = plain.record(value, path, _SUBMISSION_KEYS)
        return cls(
            hypothesis=plain.text(raw["hypothesis"], path, "hypothesis"),
            findings=plain.several(raw["findings"], f"{path}.findings", Finding.from_plain),
            draft=plain.text(raw["draft"], path, "draft"),
            proposed_hypothesis=plain.text(raw["proposed_hypothesis"], path, "proposed_hypothesis"),
        )


@dataclass(frozen=True, slots=True)
class Case:
    """What is judged and stored: the submission, what code and people added, and every entry of the run."""

    investigation: int
    submission: Submission
    added: tuple[Finding, ...]
    refutations: tuple[Finding, ...]
    judged_at: datetime
    entries: tuple[tuple[int, str], ...]

    def __post_init__(self) -> None:
        """Refuse a naive time: it names no point in time."""
        aware(self.judged_at, "judged_at")

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON form that from_plain reads."""
        return {
            "investigation": self.investigation,
            "submission": self.submission.to_plain(),
            "added": [finding.to_plain() for finding in self.added],
            "refutations": [finding.to_plain() for finding in self.refutations],
            "judged_at": as_text(self.judged_at),
            "entries": [[number, leaf] for number, leaf in self.entries],
        }

    @classmethod
    def from_plain(cls, value: Any, path: str = "case") -> Self:
        """Read the JSON form; raise CaseUnreadable naming the path."""
        raw = plain.record(value, path, _CASE_KEYS)
        return cls(
            investigation=plain.whole(raw["investigation"], path, "investigation"),
            submission=Submission.from_plain(raw["submission"], f"{path}.submission"),
            added=plain.several(raw["added"], f"{path}.added", Finding.from_plain),
            refutations=plain.several(raw["refutations"], f"{path}.refutations", Finding.from_plain),
            judged_at=plain.instant(raw["judged_at"], path, "judged_at"),
            entries=plain.several(raw["entries"], f"{path}.entries", _reference),
        )


def _reference(value: Any, path: str) -> tuple[int, str]:
    if type(value) is not list or len(value) != 2:
        raise CaseUnreadable(path, "must be a pair of an entry's id and its leaf")
    return plain.whole(value[0], f"{path}[0]"), plain.text(value[1], f"{path}[1]")


_ENTRY_KEYS = frozenset(Entry.__dataclass_fields__)
_FINDING_KEYS = frozenset(Finding.__dataclass_fields__)
_SUBMISSION_KEYS = frozenset(Submission.__dataclass_fields__)
_CASE_KEYS = frozenset(Case.__dataclass_fields__)
