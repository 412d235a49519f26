"""verdict(): whether an incident may pass, decided from recorded answers alone."""

from collections.abc import Mapping, Sequence

from verdicts.attempt import attempt
from verdicts.case import Case, Entry, Subject
from verdicts.citations import citations, unused
from verdicts.evidence import judge_fact, judge_refutation, made
from verdicts.outcomes import (
    FAILS,
    SILENT,
    UNANSWERABLE,
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
    hypothesis, run = case.submission.hypothesis, case.investigation
    by_tool: dict[str, list[Entry]] = {}
    listed = []
    # In the order of their ids: in a tie, the order in which entries are given must not choose.
    for number in sorted(entries):
        entry = entries[number]
        if entry.investigation == run:
            tool = entry.tool
            if tool in by_tool:
                by_tool[tool].append(entry)
            else:
                by_tool[tool] = [entry]
            if entry.id == number and entry.leaf:
                listed.append((number, entry.leaf))
    # What holds at once for nearly every case: it lists its own entries, all of them, in order.
    if len(listed) != len(entries) or case.entries != tuple(listed):
        lacking = gap(case, entries)
        if lacking:
            return _fail(case, rulebook, lacking)
    inactive = rulebook.inactive_because(hypothesis)
    rule = None if hypothesis in rulebook.broken else rulebook.rules.get(hypothesis)
    if rule is None:
        return _fail(case, rulebook, inactive)
    shapes, judged_at = rulebook.shapes, case.judged_at
    judged, outcomes = {}, []
    for name, fact in rule.facts.items():
        tool = fact.tool
        judged[name] = found = judge_fact(
            name, fact, subject, judged_at, shape=shapes.get(tool), asked=by_tool.get(tool, ())
        )
        outcomes.append(found[0])
    facts = tuple(outcomes)
    has_refutations = rule.refutations or case.refutations
    refutations = _refutations(case, rule, subject, by_tool) if has_refutations else ()
    obstacles = (inactive,) if inactive else rule.obstacles(subject)
    passed = not obstacles and is_earned(facts, refutations)
    said = (
        passed,
        hypothesis,
        rule.version,
        facts,
        refutations,
        citations(case, judged, entries),
        " ".join(obstacles) if obstacles else "",
        "" if passed or obstacles else _deciding(facts, refutations),
        rulebook.digest,
    )
    return made(Verdict, said)


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


def _deciding(facts: Sequence[FactOutcome], refutations: Sequence[RefutationOutcome]) -> str:
    """Name what decided: what speaks against it, else the first fact that fails, else one that lacks."""
    for refutation in refutations:
        if refutation.outcome is not SILENT:
            return refutation.name
    unanswered = ""
    for fact in facts:
        if fact.outcome is FAILS:
            return fact.name
        if fact.outcome is UNANSWERABLE and not unanswered:
            unanswered = fact.name
    return unanswered


def _fail(case: Case, rulebook: Rulebook, reason: str) -> Verdict:
    return Verdict(
        passed=False,
        hypothesis=case.submission.hypothesis,
        rule_version=None,
        facts=(),
        refutations=(),
        citations=unused(case),
        words=reason,
        deciding="",
        rulebook_digest=rulebook.digest,
    )
