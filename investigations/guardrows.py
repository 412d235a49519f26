"""What the guards of a run came to, kept at once and only while the run is ours."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from assay_core.canonical import digest
from audit import writing
from investigations import leases, models
from investigations.critic import ACTOR as CRITIC
from investigations.critic import Review
from investigations.leases import Lease
from investigations.outcomes import LeaseLost
from investigations.rewriting import GRADER
from investigations.rubric import Evaluation, Grading, Judged, Rubric
from investigations.states import RubricResult


def is_reviewed(row: models.Investigation) -> bool:
    """Say whether a critic has looked at this run, in an earlier attempt perhaps."""
    return models.Investigation.objects.filter(pk=row.pk).exclude(critic_note="").exists()


def keep_review(row: models.Investigation, lease: Lease, review: Review) -> None:
    """Store what a critic came to; raise LeaseLost."""
    found = len(review.objections) + len(review.refutations)
    note = review.note or (f"The critic made {_counted(found)}." if found else "The critic found nothing.")
    said = [(each.about, "", each.entry, each.says) for each in review.objections]
    said += [("", each.fact, each.entry, each.note) for each in review.refutations]
    with transaction.atomic():
        _hold(lease, critic_note=note[:400])
        models.Objection.objects.bulk_create(
            models.Objection(
                investigation=row,
                attempt=lease.attempt,
                about=about,
                refutation=refutation,
                entry=entry,
                says=says,
                endpoint=review.endpoint,
                model=review.model,
                created_at=timezone.now(),
            )
            for about, refutation, entry, says in said
        )
        _record(
            lease,
            ("case.criticised", CRITIC),
            words=note,
            objections=[[each.entry, each.about, each.says] for each in review.objections],
            refutations=[[each.entry, each.fact] for each in review.refutations],
            by={"endpoint": review.endpoint, "model": review.model, "prompt": review.prompt_digest},
        )


def evaluations(row: models.Investigation, given: Rubric) -> Sequence[Evaluation]:
    """Return the gradings by this rubric so far, in order."""
    return [_evaluation(each) for each in row.evaluations.filter(rubric_digest=given.digest).order_by("pk")]


def keep_evaluation(row: models.Investigation, lease: Lease, given: Rubric, evaluation: Evaluation) -> None:
    """Store one grading; raise LeaseLost."""
    grading = evaluation.grading
    with transaction.atomic():
        _hold(lease)
        models.RubricEvaluation.objects.create(
            investigation=row,
            attempt=lease.attempt,
            iteration=evaluation.iteration,
            result=evaluation.result,
            explanation=grading.explanation,
            criteria=[each.plain() for each in grading.criteria],
            rubric_digest=given.digest,
            prompt_digest=grading.prompt_digest,
            endpoint=grading.endpoint,
            model=grading.model,
            draft=evaluation.draft,
            draft_digest=digest(evaluation.draft),
            created_at=timezone.now(),
        )
        _record(
            lease,
            ("draft.graded", GRADER),
            words=f"{evaluation.result} after grading {evaluation.iteration + 1}",
            rubric=given.digest,
            draft=digest(evaluation.draft),
            met=[[each.id, each.passed] for each in grading.criteria],
            by={"endpoint": grading.endpoint, "model": grading.model, "prompt": grading.prompt_digest},
        )


def _evaluation(row: models.RubricEvaluation) -> Evaluation:
    judged = tuple(Judged(each["id"], each["text"], each["passed"], each["gap"]) for each in row.criteria)
    grading = Grading(
        judged, row.explanation, endpoint=row.endpoint, model=row.model, prompt_digest=row.prompt_digest
    )
    return Evaluation(row.iteration, RubricResult(row.result), row.draft, grading)


def _hold(lease: Lease, **columns: str) -> None:
    held = models.Investigation.objects.filter(leases.held(lease))
    if not held.update(attempt=lease.attempt, **columns):
        raise LeaseLost(f"attempt {lease.attempt} of investigation {lease.investigation} is over")


def _record(lease: Lease, act: tuple[str, str], **payload: Any) -> None:
    """Write the audit entry of one act: its kind, and in whose name."""
    kind, actor = act
    writing.write(kind, payload, actor=actor, incident=lease.incident, investigation=lease.investigation)


def _counted(points: int) -> str:
    return f"{points} point{'s' if points > 1 else ''}"
