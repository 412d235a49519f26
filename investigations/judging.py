"""Judging a run: freeze the case with every entry, decide, draft, and store it all in one transaction."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from assay_core.canonical import canonical, digest
from audit import writing
from investigations import drafts, drift, models
from investigations.evidence import erased_of
from investigations.outcomes import Judgement
from verdicts.case import Case, Entry, Finding, Subject, Submission
from verdicts.frozen import Frozen
from verdicts.outcomes import Verdict
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

__all__ = ["Frozen", "freeze", "store"]


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
    What a person holds against the incident stays in every later case until it is withdrawn; what a critic
    of this run holds against it stays for good.
    """
    subject = Subject.from_text(row.subject)
    listed = erased_of(row.pk) | {number: entry.leaf for number, entry in entries.items()}
    case = Case(
        investigation=row.pk,
        submission=submission,
        added=tuple(added),
        refutations=(*standing_refutations(row.incident_id), *_critics(row)),
        judged_at=max([now, *(entry.finished_at for entry in entries.values())]),
        entries=tuple(sorted(listed.items())),
    )
    return Frozen(subject, case, entries)


def standing_refutations(incident_id: int) -> tuple[Finding, ...]:
    """Return what people hold against the incident, as the case that was stored last has it."""
    body = (
        models.Case.objects.filter(investigation__incident_id=incident_id)
        .order_by("-pk")
        .values_list("body", flat=True)
        .first()
    )
    if body is None:
        return ()
    held = Case.from_plain(json.loads(body)["case"]).refutations
    return tuple(finding for finding in held if finding.author == "person")


def _critics(row: models.Investigation) -> tuple[Finding, ...]:
    return tuple(
        Finding(each.refutation, each.entry, note=each.says, author="model")
        for each in row.objections.exclude(refutation="")
    )


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
    drafted = drafts.keep(stored, frozen, decided, rulebook, at=judged_at)
    jumps = drift.note(stored, frozen, decided, rulebook)
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
        jumps=jumps,
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
