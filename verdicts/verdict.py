"""verdict(): whether an incident may pass, decided from recorded answers alone."""

from collections.abc import Mapping, Sequence

from verdicts.attempt import attempt
from verdicts.case import Case, Entry, Subject
from verdicts.citations import citations, unused
from verdicts.evidence import Judged, judge_fact, judge_refutation
from verdicts.outcomes import (
    CitationOutcome,
    Effect,
    FactOutcome,
    Outcome,
    RefutationOutcome,
    Verdict,
    is_earned,
)
from verdicts.rule import RuleSpec
from verdicts.rulebook import Rulebook
from verdicts.wholeness import gap

__all__ = ["CitationOutcome", "Effect", "FactOutcome", "Outcome", "RefutationOutcome", "Verdict", "verdict"]


def verdict(case: Case, subject: Subject, entries: Mapping[int, Entry], rulebook: Rulebook) -> Verdict:
    """Decide from recorded answers alone. Equal arguments give an equal Verdict, always.

    Never raises for what a case or an entry contains: whatever can't be read can't earn a pass.
    `entries` may hold entries of other runs (a finding may cite one); they earn nothing.
    """
    decided, problem = attempt(_decide, case, subject, entries, rulebook)
    if problem:
        return _fail(case, rulebook, f"The case could not be judged: {problem}.")
    answer: Verdict = decided
    return answer


def _decide(case: Case, subject: Subject, entries: Mapping[int, Entry], rulebook: Rulebook) -> Verdict:
    hypothesis = case.submission.hypothesis
    # In the order of their ids: in a tie, the order in which entries are given must not choose.
    run = case.investigation
    own = {number: entries[number] for number in sorted(entries) if entries[number].investigation == run}
    lacking = gap(case, entries, own)
    if lacking:
        return _fail(case, rulebook, lacking)
    inactive = rulebook.inactive_because(hypothesis)
    rule = None if hypothesis in rulebook.broken else rulebook.rules.get(hypothesis)
    if rule is None:
        return _fail(case, rulebook, inactive)
    by_tool: dict[str, list[Entry]] = {}
    for entry in own.values():
        by_tool.setdefault(entry.tool, []).append(entry)
    judged = _judged(case, rule, subject, rulebook=rulebook, by_tool=by_tool)
    facts = tuple([each.outcome for each in judged.values()])
    refutations = _refutations(case, rule, subject, by_tool)
    obstacles = (inactive,) if inactive else rule.obstacles(subject)
    passed = not obstacles and is_earned(facts, refutations)
    deciding, reason = _reason(rule, obstacles, facts, refutations)
    return Verdict(
        passed=passed,
        hypothesis=hypothesis,
        rule_version=rule.version,
        facts=facts,
        refutations=refutations,
        citations=citations(case, judged, entries),
        reason=reason,
        deciding=deciding,
        rulebook_digest=rulebook.digest,
    )


def _judged(
    case: Case,
    rule: RuleSpec,
    subject: Subject,
    *,
    rulebook: Rulebook,
    by_tool: Mapping[str, Sequence[Entry]],
) -> dict[str, Judged]:
    return {
        name: judge_fact(
            name,
            fact,
            subject=subject,
            judged_at=case.judged_at,
            shape=rulebook.shapes.get(fact.tool),
            asked=by_tool.get(fact.tool, ()),
        )
        for name, fact in rule.facts.items()
    }


def _refutations(
    case: Case, rule: RuleSpec, subject: Subject, by_tool: Mapping[str, Sequence[Entry]]
) -> tuple[RefutationOutcome, ...]:
    checked = [
        judge_refutation(name, refutation, subject=subject, asked=by_tool.get(refutation.tool, ()))
        for name, refutation in rule.refutations.items()
    ]
    for finding in case.refutations:
        if finding.author == "person":
            said = f"A person refuted this and pointed at entry {finding.entry}."
            checked.append(RefutationOutcome(finding.fact, Effect.FIRES, said, finding.entry))
        elif finding.fact not in rule.refutations:
            said = "The rule has no refutation of this name, and words alone lower nothing."
            checked.append(RefutationOutcome(finding.fact, Effect.SILENT, said, finding.entry))
    return tuple(checked)


def _reason(
    rule: RuleSpec,
    obstacles: Sequence[str],
    facts: Sequence[FactOutcome],
    refutations: Sequence[RefutationOutcome],
) -> tuple[str, str]:
    """Return what decided by name, and the sentence for people."""
    if obstacles:
        return "", " ".join(obstacles)
    for refutation in refutations:
        if refutation.outcome is not Effect.SILENT:
            return refutation.name, f"{refutation.name} speaks against it: {refutation.reason}"
    for outcome, says in ((Outcome.FAILS, "does not hold"), (Outcome.UNANSWERABLE, "is unanswered")):
        for fact in facts:
            if fact.outcome is outcome:
                return fact.name, f"{fact.name} {says}: {fact.reason}"
    return "", f"All {len(facts)} facts of {rule.name} hold." if len(facts) > 1 else f"{facts[0].name} holds."


def _fail(case: Case, rulebook: Rulebook, reason: str) -> Verdict:
    return Verdict(
        passed=False,
        hypothesis=case.submission.hypothesis,
        rule_version=None,
        facts=(),
        refutations=(),
        citations=unused(case),
        reason=reason,
        deciding="",
        rulebook_digest=rulebook.digest,
    )
