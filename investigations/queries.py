"""What pages read of investigations, as plain values."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from investigations import beside, models, rulebook
from investigations.demands import demands_of, is_early
from investigations.judging import Frozen
from investigations.lines import (
    CitationLine,
    EntryLine,
    FactLine,
    HeldLine,
    RefutationLine,
    Segment,
    Story,
    VerdictLine,
)
from verdicts.case import CaseUnreadable, Entry
from verdicts.fact import Check
from verdicts.outcomes import FactOutcome, Outcome, RefutationOutcome, Verdict
from verdicts.rule import RuleSpec

__all__ = [
    "CitationLine",
    "EntryLine",
    "FactLine",
    "RefutationLine",
    "Segment",
    "Story",
    "VerdictLine",
    "latest",
    "latest_verdict",
    "segments",
    "story",
]
_CITATION = re.compile(r"\[entry ([0-9]{1,18})\]")


def latest(incident_id: int) -> models.Investigation | None:
    """Return the incident's newest investigation, if it has one."""
    return models.Investigation.objects.filter(incident_id=incident_id).order_by("-pk").first()


def latest_verdict(incident_id: int) -> int | None:
    """Return the number of the incident's last verdict, if it has one."""
    rows = models.Verdict.objects.filter(investigation__incident_id=incident_id)
    return rows.order_by("-pk").values_list("pk", flat=True).first()


def story(investigation: models.Investigation) -> Story:
    """Return all that a page shows of one investigation; without a verdict the story is short."""
    bare = Story(
        investigation=investigation.pk,
        incident=investigation.incident_id,
        investigator=investigation.investigator,
        state=investigation.state,
        reason=investigation.reason,
        started_at=investigation.started_at,
        finished_at=investigation.finished_at,
        due_at=investigation.due_at,
    )
    stored = list(investigation.verdicts.select_related("case", "draft").order_by("-pk"))
    if not stored:
        return bare
    last, book = stored[0], rulebook.current_rulebook()
    try:
        frozen, decided = Frozen.stored(last.case), _decided(last)
        earlier = tuple(_verdict_line(each, _decided(each), None) for each in stored[1:])
    except CaseUnreadable as error:
        return replace(bare, reason=f"A stored verdict can't be read, and none counts here. {error}")
    rule = book.rules.get(decided.hypothesis)
    askable = {
        each.fact
        for each in demands_of(decided.hypothesis, frozen.subject, book)
        if not is_early(each, timezone.now())
    }
    facts = tuple(_fact_line(fact, rule, can_ask=fact.name in askable) for fact in decided.facts)
    deciding = {fact.entry for fact in facts}
    answers = tuple(_entry_line(entry) for _, entry in sorted(frozen.entries.items()))
    return replace(
        bare,
        verdict=_verdict_line(last, decided, rule),
        earlier=earlier,
        facts=facts,
        refutations=tuple(_refutation_line(each, rule) for each in decided.refutations),
        citations=tuple(
            CitationLine(each.fact, each.entry, each.accepted, each.reason) for each in decided.citations
        ),
        other_entries=tuple(line for line in answers if line.id not in deciding),
        answers=answers,
        held=tuple(
            HeldLine(each.entry, each.note) for each in frozen.case.refutations if each.author == "person"
        ),
        draft=last.draft.text,
        caution=beside.caution(last.draft),
        segments=segments(last.draft.text, frozen.entries),
    )


def segments(text: str, entries: Mapping[int, Entry]) -> tuple[Segment, ...]:
    """Cut a draft at its citations; one that names no entry of the case is not verified."""
    found: list[Segment] = []
    start = 0
    for match in _CITATION.finditer(text):
        number = int(match[1])
        if match.start() > start:
            found.append(Segment(text[start : match.start()]))
        found.append(Segment(match[0], number, number in entries))
        start = match.end()
    if start < len(text):
        found.append(Segment(text[start:]))
    return tuple(found)


def source_of(check: Check) -> str:
    """Return where a check is written, as file:line, relative to the project where it lies inside."""
    code = getattr(check, "__code__", None)
    if code is None:
        return ""
    file = Path(code.co_filename)
    inside = file.relative_to(settings.BASE_DIR) if file.is_relative_to(settings.BASE_DIR) else file
    return f"{inside}:{code.co_firstlineno}"


def _decided(stored: models.Verdict) -> Verdict:
    decided = Verdict.from_plain(json.loads(stored.body), f"verdict {stored.pk}")
    if decided.passed is not stored.passed:
        raise CaseUnreadable(f"verdict {stored.pk}", "says pass in one place and fail in another")
    return decided


def _fact_line(outcome: FactOutcome, rule: RuleSpec | None, *, can_ask: bool) -> FactLine:
    fact = rule.facts.get(outcome.name) if rule else None
    return FactLine(
        name=outcome.name,
        sentence=fact.sentence if fact else "",
        outcome=outcome.outcome,
        reason=outcome.reason,
        tool=outcome.tool,
        demanded=outcome.demanded,
        entry=outcome.entry,
        source=source_of(fact.holds) if fact else "",
        can_ask=can_ask and outcome.outcome is not Outcome.HOLDS,
    )


def _refutation_line(outcome: RefutationOutcome, rule: RuleSpec | None) -> RefutationLine:
    refutation = rule.refutations.get(outcome.name) if rule else None
    return RefutationLine(
        name=outcome.name,
        sentence=refutation.sentence if refutation else "",
        outcome=outcome.outcome,
        reason=outcome.reason,
        entry=outcome.entry,
        source=source_of(refutation.when) if refutation else "",
    )


def _entry_line(entry: Entry) -> EntryLine:
    return EntryLine(
        id=entry.id,
        tool=entry.tool,
        arguments=entry.arguments,
        status=entry.status,
        reason=entry.reason,
        called_at=entry.called_at,
        asked_by=entry.asked_by,
    )


def _verdict_line(stored: models.Verdict, decided: Verdict, rule: RuleSpec | None) -> VerdictLine:
    return VerdictLine(
        id=stored.pk,
        passed=stored.passed,
        hypothesis=stored.hypothesis,
        rule_sentence=rule.sentence if rule else "",
        rule_version=decided.rule_version,
        reason=stored.reason,
        deciding=decided.deciding,
        rulebook_digest=stored.rulebook_digest,
        case_digest=stored.case.digest,
        judged_at=stored.created_at,
    )
