"""One run of one case: production's own code in the case's world, and what is measured of it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay_core.canonical import canonical
from investigations import drafts, gathering
from investigations.citations import check
from investigations.conversation import to_plain
from investigations.happenings import Unwatched
from investigations.modelrun import Run
from investigations.playbook import Gathered
from investigations.states import CitationState, RunResult
from toolbox import redaction
from trials.evaluating.answering import Answer
from trials.evaluating.beside import gathered
from trials.evaluating.repeated import How, Repeated, frozen
from trials.states import Source
from trials.worlds import World
from verdicts.comparison import decided_by
from verdicts.frozen import Frozen
from verdicts.outcomes import Verdict
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

#: Only these handed something in that can be right or wrong.
HANDED_IN = frozenset({RunResult.FIRST_PASS, RunResult.REPAIRED})
_ANSWER_CUT = redaction.Cut(text=2_000, items=50)


@dataclass(frozen=True, slots=True)
class Result:
    """What is stored of one run: the columns of its row, and what was said."""

    columns: Mapping[str, Any]
    transcript: str


def repeat(world: World, how: How, *, rule: str, book: Rulebook) -> Result:
    """Run a case once. Raises CapReached, EndpointDown and EndpointRefused."""
    around, began = Repeated(world, how), time.monotonic()
    came = gathering.by_model(Run(around, world.subject, Unwatched(), book))
    submission, outcome = came.gathered.submission, RunResult(came.columns["outcome"])
    whole = around.freeze(submission, came.added)
    decided = _decided(whole, book)
    own = {each.entry.id: each.entry for each in around.record.answers if each.is_own}
    before = _decided(frozen(world, submission, (), entries=own), book)
    is_in = outcome in HANDED_IN
    return Result(
        columns={
            "outcome": outcome.value,
            "reason": _note(came.gathered),
            "hypothesis": decided.hypothesis[:120] if is_in else "",
            "passed_before": before.passed if is_in else None,
            "passed": decided.passed if is_in else None,
            "decided_by": decided_by(decided) if is_in else "",
            "gathered": list(gathered(rule, around.record, book)),
            "seconds": time.monotonic() - began,
            **_counted(around),
            **(_cited(whole, book) if is_in else {}),
        },
        transcript=_transcript(around),
    )


def _decided(whole: Frozen, book: Rulebook) -> Verdict:
    return verdict(whole.case, whole.subject, whole.entries, book)


def _note(came: Gathered) -> str:
    waits = f"It would wait for {came.waits_for}." if came.wait_until is not None else ""
    return f"{came.note} {waits}".strip()


def _counted(around: Repeated) -> dict[str, Any]:
    answers, tally = around.record.answers, around.tally
    of = {source: sum(each.source is source for each in answers) for source in Source}
    return {
        "calls": len(answers) + around.misasked,
        "own_calls": sum(each.is_own for each in answers) + around.misasked,
        "not_recorded": of[Source.NOT_RECORDED],
        "live": of[Source.LIVE],
        "refused": of[Source.REFUSED],
        "redeclared": sum(each.is_redeclared for each in answers),
        "exchanges": tally.exchanges,
        "tokens_in": tally.spent.tokens_in,
        "tokens_out": tally.spent.tokens_out,
        "micros": tally.spent.micros,
        "model_seconds": tally.spent.seconds,
        "model": tally.model,
        "fingerprint": tally.fingerprint[:200],
        "critic_note": (around.review.note if around.review else "")[:400],
    }


def _cited(whole: Frozen, book: Rulebook) -> dict[str, int]:
    found = check(whole.case.submission.draft, drafts.ground_of(whole, book), None)
    return {
        "citations_missing": len(found.of(CitationState.MISSING)),
        "citations_unchecked": len(found.of(CitationState.UNCHECKED)),
    }


def _transcript(around: Repeated) -> str:
    steps = [{"kind": step.kind.value, "entry": step.entry, **to_plain(step)} for step in around.notes.kept()]
    said = redaction.copy_for_readers(steps).value
    return canonical({"steps": said, "answers": [_plain(each) for each in around.record.answers]})


def _plain(answer: Answer) -> dict[str, Any]:
    entry = answer.entry
    return {
        "number": entry.id,
        "tool": entry.tool,
        "arguments": redaction.copy_for_readers(dict(entry.arguments), cut=_ANSWER_CUT).value,
        "status": entry.status.value,
        "source": answer.source.value,
        "entry": answer.recorded,
        "by": entry.asked_by,
        "own": answer.is_own,
    }
