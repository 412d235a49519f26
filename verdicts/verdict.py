"""verdict(): whether an incident may pass, decided from recorded answers alone."""

from collections.abc import Mapping, Sequence

from verdicts.answer import shown
from verdicts.attempt import attempt
from verdicts.case import Case, Entry, Finding, Subject
from verdicts.demand import difference, same
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
    gap = "" if _is_whole(case, entries, own) else _gap(case, entries, own)
    if gap:
        return _fail(case, rulebook, gap)
    inactive = rulebook.inactive_because(hypothesis)
    rule = None if hypothesis in rulebook.broken else rulebook.rules.get(hypothesis)
    if rule is None:
        return _fail(case, rulebook, inactive)
    by_tool: dict[str, list[Entry]] = {}
    for entry in own.values():
        by_tool.setdefault(entry.tool, []).append(entry)
    judged = {
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
        citations=tuple([_citation(each, judged, entries, own) for each in _cited(case)]),
        reason=reason,
        deciding=deciding,
        rulebook_digest=rulebook.digest,
    )


def _is_whole(case: Case, entries: Mapping[int, Entry], own: Mapping[int, Entry]) -> bool:
    """Say at once what holds for nearly every case: it lists its own entries, all of them, in order."""
    return len(entries) == len(own) and case.entries == tuple(
        [(number, entry.leaf) for number, entry in own.items() if entry.id == number and entry.leaf]
    )


def _gap(case: Case, entries: Mapping[int, Entry], own: Mapping[int, Entry]) -> str:
    """Say why the entries given are not exactly the entries of the run; nobody may leave one out."""
    for number, entry in entries.items():
        if number != entry.id:
            return f"Entry {entry.id} was given as entry {number}: the case can't be judged."
    listed = dict(case.entries)
    if len(listed) != len(case.entries):
        return "The case lists an entry twice: it can't be judged."
    lacking = sorted(listed.keys() - own.keys())
    if lacking:
        return f"The case lacks entry {lacking[0]} of its run: it can't be judged."
    unlisted = sorted(own.keys() - listed.keys())
    if unlisted:
        return f"The case does not list entry {unlisted[0]} of its run: it can't be judged."
    for number, leaf in listed.items():
        if not leaf or own[number].leaf != leaf:
            return f"Entry {number} is not the one that the case lists: its leaf differs."
    return ""


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


def _cited(case: Case) -> tuple[Finding, ...]:
    return case.submission.findings + case.added if case.added else case.submission.findings


def _citation(
    finding: Finding,
    judged: Mapping[str, Judged],
    entries: Mapping[int, Entry],
    own: Mapping[int, Entry],
) -> CitationOutcome:
    about = judged.get(finding.fact)
    if about is not None and about.newest == (finding.entry,) and about.outcome.outcome is Outcome.HOLDS:
        return CitationOutcome(finding.fact, finding.entry, True, "It answers the question and decides.")
    problem = _citation_problem(finding, about, entries, own)
    reason = problem or "It answers the question and decides."
    return CitationOutcome(finding.fact, finding.entry, not problem, reason)


def _citation_problem(
    finding: Finding,
    about: Judged | None,
    entries: Mapping[int, Entry],
    own: Mapping[int, Entry],
) -> str:
    if about is None:
        return f"The rule has no fact named {shown(finding.fact)}."
    entry = own.get(finding.entry)
    if entry is None:
        if finding.entry in entries:
            return f"Entry {finding.entry} belongs to another investigation."
        return f"This run has no entry {finding.entry}."
    outcome = about.outcome
    if entry.tool != outcome.tool:
        return f"Entry {entry.id} is an answer of {entry.tool}, and the fact asks {outcome.tool}."
    if outcome.demanded is None:
        return outcome.reason
    if not same(outcome.demanded, entry.arguments):
        return f"Entry {entry.id} asked {difference(outcome.demanded, entry.arguments)}."
    if entry.id not in about.newest:
        return f"Entry {about.newest[-1]} answered the same question later, and decides."
    if outcome.outcome is Outcome.UNANSWERABLE:
        return outcome.reason
    return ""


def _fail(case: Case, rulebook: Rulebook, reason: str) -> Verdict:
    unused = tuple(
        CitationOutcome(finding.fact, finding.entry, False, "Nothing was judged by it.")
        for finding in _cited(case)
    )
    return Verdict(
        passed=False,
        hypothesis=case.submission.hypothesis,
        rule_version=None,
        facts=(),
        refutations=(),
        citations=unused,
        reason=reason,
        deciding="",
        rulebook_digest=rulebook.digest,
    )
