"""Each finding against the run: whether its entry is the one that answers the fact's question."""

from collections.abc import Mapping

from verdicts.answer import inert, shown
from verdicts.case import Case, Entry, Finding
from verdicts.demand import difference, same
from verdicts.evidence import Judged
from verdicts.outcomes import HOLDS, UNANSWERABLE, CitationOutcome

_DECIDES = "It answers the question and decides."


def citations(
    case: Case, judged: Mapping[str, Judged], entries: Mapping[int, Entry]
) -> tuple[CitationOutcome, ...]:
    """Return the outcome of each finding, the submitted ones first. None of them weighs in a verdict."""
    findings = cited(case)
    return (
        tuple([_citation(each, judged, entries, case.investigation) for each in findings]) if findings else ()
    )


def unused(case: Case) -> tuple[CitationOutcome, ...]:
    """Return the outcome of each finding of a case that no rule judged."""
    reason = "Nothing was judged by it."
    return tuple([CitationOutcome(each.fact, each.entry, False, reason) for each in cited(case)])


def cited(case: Case) -> tuple[Finding, ...]:
    """Return the findings of the submission and those that code or people added."""
    return case.submission.findings + case.added if case.added else case.submission.findings


def _citation(
    finding: Finding, judged: Mapping[str, Judged], entries: Mapping[int, Entry], run: int
) -> CitationOutcome:
    about = judged.get(finding.fact)
    if about is not None and about[1] == (finding.entry,) and about[0].outcome is HOLDS:
        return CitationOutcome(finding.fact, finding.entry, True, _DECIDES)
    problem = _problem(finding, about, entries, run=run)
    return CitationOutcome(finding.fact, finding.entry, not problem, problem or _DECIDES)


def _problem(finding: Finding, about: Judged | None, entries: Mapping[int, Entry], *, run: int) -> str:
    if about is None:
        return f"The rule has no fact named {shown(finding.fact)}."
    entry = entries.get(finding.entry)
    if entry is None:
        return f"This run has no entry {shown(finding.entry)}."
    if entry.investigation != run:
        return f"Entry {entry.id} belongs to another investigation."
    return _question_problem(entry, about)


def _question_problem(entry: Entry, about: Judged) -> str:
    outcome, newest = about
    if entry.tool != outcome.tool:
        return f"Entry {entry.id} is an answer of {inert(entry.tool, 80)}, and the fact asks {outcome.tool}."
    if outcome.demanded is None:
        return outcome.reason
    if not same(outcome.demanded, entry.arguments):
        return f"Entry {entry.id} asked {difference(outcome.demanded, entry.arguments)}."
    if entry.id not in newest:
        return f"Entry {newest[-1]} answered the same question later, and decides."
    if outcome.outcome is UNANSWERABLE:
        return outcome.reason
    return ""
