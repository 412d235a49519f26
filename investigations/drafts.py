"""The draft of a verdict as it is kept: whose words, its ids and figures checked from recorded entries."""

from datetime import datetime

from investigations import models
from investigations.citations import BUILT_IN, Checked, Ground, Pattern, check, declared
from investigations.drafting import draft
from investigations.marking import seen
from investigations.states import RubricResult
from toolbox.yamlfile import DefinitionError
from verdicts.frozen import Frozen
from verdicts.outcomes import Verdict
from verdicts.rulebook import Rulebook

CODE = "code"


def patterns() -> tuple[Pattern, ...]:
    """Return the declared kinds of ids, or the built-in ones where the declaration can't be read.

    A system check says what is wrong with it. A draft's marks are no reason to judge nothing.
    """
    try:
        return declared.current()
    except DefinitionError:
        return BUILT_IN


def ground_of(frozen: Frozen, book: Rulebook) -> Ground:
    """Return what the draft of a case is checked against."""
    submission = frozen.case.submission
    return Ground(
        subject=frozen.subject,
        entries={
            number: entry
            for number, entry in frozen.entries.items()
            if entry.investigation == frozen.case.investigation
        },
        patterns=patterns(),
        shapes=book.shapes,
        cited=frozenset(finding.entry for finding in (*submission.findings, *frozen.case.added)),
        has_figures=bool(submission.draft.strip()),
    )


def written(frozen: Frozen, decided: Verdict, book: Rulebook) -> str:
    """Return the investigator's draft, or the code's where it wrote none."""
    own = frozen.case.submission.draft
    return own if own.strip() else draft(frozen.subject, decided, book.rules.get(decided.hypothesis))


def keep(
    verdict: models.Verdict, frozen: Frozen, decided: Verdict, book: Rulebook, *, at: datetime
) -> models.Draft:
    """Store the draft with its citations and figures in the caller's transaction. Asks nobody anything."""
    row, checked = verdict.investigation, check(written(frozen, decided, book), ground_of(frozen, book), None)
    is_own = bool(frozen.case.submission.draft.strip())
    kept = models.Draft.objects.create(
        investigation=row,
        verdict=verdict,
        text=checked.text,
        written_by=row.investigator if is_own else CODE,
        rubric_result=_graded(row, checked) if is_own else "",
        created_at=at,
    )
    models.Citation.objects.bulk_create(
        models.Citation(
            draft=kept,
            kind=each.kind,
            text=each.text[:200],
            value=each.value[:200],
            state=each.state,
            reason=each.reason,
            entry=each.entry,
            link=each.link[:500],
        )
        for each in checked.citations
    )
    models.Figure.objects.bulk_create(models.Figure(draft=kept, text=text[:60]) for text in checked.figures)
    return kept


def _graded(row: models.Investigation, checked: Checked) -> str:
    """Return how the grading ended. What was said of another text does not count for this one."""
    last = row.evaluations.order_by("-pk").first()
    if last is None:
        return ""
    return last.result if seen(last.draft) == checked.written else RubricResult.GRADER_ERROR.value
