"""Judging a run: freeze the case with every entry, decide, draft, and store it all in one transaction."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assay_core.canonical import canonical, digest
from audit import writing
from investigations import models
from investigations.drafting import draft
from investigations.evidence import erased_of
from investigations.outcomes import Judgement
from verdicts import plain
from verdicts.case import Case, CaseUnreadable, Entry, Finding, Subject, Submission
from verdicts.outcomes import Verdict
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

BODY_VERSION = 1
_BODY_KEYS = frozenset({"v", "subject", "case", "entries"})


@dataclass(frozen=True, slots=True)
class Frozen:
    """A case as it is stored and judged again: the subject, the case, and every entry of the run."""

    subject: Subject
    case: Case
    entries: Mapping[int, Entry]

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON value whose canonical text is stored and whose digest names the case."""
        return {
            "v": BODY_VERSION,
            "subject": self.subject.to_plain(),
            "case": self.case.to_plain(),
            "entries": [self.entries[number].to_plain() for number in sorted(self.entries)],
        }

    @classmethod
    def stored(cls, row: models.Case) -> "Frozen":
        """Read a stored case back; raise CaseUnreadable for one that is not whole or was changed since."""
        where = f"case {row.pk}"
        if hashlib.sha256(row.body.encode()).hexdigest() != row.digest:
            raise CaseUnreadable(where, "is not what was judged: its text does not have its digest")
        whole = plain.record(json.loads(row.body), where, _BODY_KEYS)
        if whole["v"] != BODY_VERSION:
            raise CaseUnreadable(f"{where}.v", f"is {whole['v']!r}, and this version reads {BODY_VERSION}")
        entries = plain.several(whole["entries"], f"{where}.entries", Entry.from_plain)
        return cls(
            Subject.from_plain(whole["subject"]),
            Case.from_plain(whole["case"]),
            {entry.id: entry for entry in entries},
        )


def freeze(
    row: models.Investigation,
    submission: Submission,
    added: Sequence[Finding],
    entries: Mapping[int, Entry],
    *,
    now: datetime,
) -> Frozen:
    """Make the case of a run. Judged no earlier than its newest answer, whatever the clocks say.

    An answer that was erased and that no earlier case holds is listed all the same: the case then
    lacks it and can't earn a pass. Whoever could erase the bad answer could make the verdict else.
    """
    subject = Subject.from_plain(json.loads(row.subject))
    listed = erased_of(row.pk) | {number: entry.leaf for number, entry in entries.items()}
    case = Case(
        investigation=row.pk,
        submission=submission,
        added=tuple(added),
        refutations=(),
        judged_at=max([now, *(entry.finished_at for entry in entries.values())]),
        entries=tuple(sorted(listed.items())),
    )
    return Frozen(subject, case, entries)


def store(row: models.Investigation, frozen: Frozen, rulebook: Rulebook, *, actor: str) -> Judgement:
    """Decide and store Case, Verdict, Draft and the audit entry inside the caller's transaction."""
    decided = verdict(frozen.case, frozen.subject, frozen.entries, rulebook)
    body = canonical(frozen.to_plain())
    judged_at = frozen.case.judged_at
    case = models.Case.objects.create(
        investigation=row, body=body, digest=digest(frozen.to_plain()), judged_at=judged_at
    )
    stored = models.Verdict.objects.create(
        case=case,
        investigation=row,
        passed=decided.passed,
        hypothesis=decided.hypothesis[:120],
        reason=decided.reason,
        body=canonical(decided.to_plain()),
        rulebook_digest=decided.rulebook_digest,
        created_at=judged_at,
    )
    text = draft(frozen.subject, decided, rulebook.rules.get(decided.hypothesis))
    drafted = models.Draft.objects.create(investigation=row, verdict=stored, text=text, created_at=judged_at)
    writing.write(
        "investigation.judged",
        _payload(row, case, stored, decided, frozen),
        actor=actor,
        incident=row.incident_id,
        investigation=row.pk,
    )
    return Judgement(
        investigation=row.pk,
        incident=row.incident_id,
        verdict=stored.pk,
        draft=drafted.pk,
        passed=decided.passed,
        hypothesis=decided.hypothesis,
        reason=decided.reason,
        deciding=decided.deciding,
        judged_at=judged_at,
    )


def _payload(
    row: models.Investigation, case: models.Case, stored: models.Verdict, decided: Verdict, frozen: Frozen
) -> dict[str, Any]:
    """Bind the verdict to its evidence: each entry read, by id and leaf, before anything is sealed."""
    return {
        "attempt": row.attempt,
        "verdict": stored.pk,
        "passed": decided.passed,
        "hypothesis": decided.hypothesis,
        "rule_version": decided.rule_version,
        "deciding": decided.deciding,
        "reason": decided.reason,
        "case": case.pk,
        "case_digest": case.digest,
        "rulebook_digest": decided.rulebook_digest,
        "entries": [[number, leaf] for number, leaf in frozen.case.entries],
    }
