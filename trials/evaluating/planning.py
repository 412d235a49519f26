"""Planning an evaluation, and finding the one that the same command began before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from assay_core.canonical import digest
from investigations import contract, endpoints
from investigations.modelrun import PROMPTS
from investigations.named import Endpoint
from investigations.prompts import prompts_digest
from trials.evaluating import beside
from trials.evaluating.cases import Found, Planned
from trials.models import Evaluation, EvaluationCase, EvaluationRun
from trials.states import UNFINISHED
from verdicts.rulebook import Rulebook

_LOCK = 0x5472_6961  # of PostgreSQL's advisory locks: one plans at a time
_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asked for: which set, through which endpoint, how often, and within what."""

    chosen: str
    endpoint: str
    runs: int
    is_live: bool = False
    cap_micros: int | None = None
    asked_by: str = ""


def digests(place: Endpoint, book: Rulebook) -> dict[str, str]:
    """Return what an agent at this endpoint is told, held to and judged by, as digests."""
    return {
        "prompt_digest": prompts_digest(*PROMPTS),
        "contract_digest": contract.schema_digest(book),
        "rulebook_digest": book.digest,
        "endpoint_digest": endpoint_digest(place),
    }


def endpoint_digest(place: Endpoint) -> str:
    """Return the digest of what an endpoint's answers depend on: not of its key, prices or patience."""
    asked = (place.base_url, place.model, str(place.temperature), place.max_tokens, place.context)
    return digest([*asked, _told(place.quirks)])


def _told(value: Any) -> Any:
    """Return a value as JSON, the same in every process: sets have no order of their own."""
    if is_dataclass(value):
        return {each.name: _told(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _told(each) for name, each in value.items()}
    if isinstance(value, frozenset):
        return sorted(str(each) for each in value)
    return [_told(each) for each in value] if isinstance(value, tuple | list) else str(value)


def planned(wanted: Wanted, found: Found, book: Rulebook, *, anew: bool = False) -> tuple[Evaluation, bool]:
    """Return the evaluation to run, and whether it was begun before.

    It goes on with the last one that is the same in everything and not finished. Of two commands at once the
    second finds what the first has planned.
    """
    place = endpoints.endpoint_named(wanted.endpoint)
    same = {
        "chosen": wanted.chosen,
        "endpoint": wanted.endpoint,
        "model": place.model,
        "runs": wanted.runs,
        "is_live": wanted.is_live,
        "set_digest": _set_digest(found.cases),
        **digests(place, book),
    }
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        begun = None if anew else Evaluation.objects.filter(finished_at=None, **same).first()
        if begun is not None:
            Evaluation.objects.filter(pk=begun.pk).update(cap_micros=wanted.cap_micros)
            begun.refresh_from_db()
            return begun, True
        made = Evaluation.objects.create(
            **same,
            cap_micros=wanted.cap_micros,
            asked_by=wanted.asked_by,
            created_at=timezone.now(),
        )
        _plan(made, found.cases)
    return made, False


def unfinished(evaluation: Evaluation) -> int:
    """Return how many runs are still to be made."""
    return EvaluationRun.objects.filter(evaluation=evaluation, state__in=UNFINISHED).count()


def _set_digest(cases: Sequence[Planned]) -> str:
    return digest(
        [[each.key, each.world_digest, each.actual.value, each.rule, each.is_twin] for each in cases]
    )


def _plan(evaluation: Evaluation, cases: Sequence[Planned]) -> None:
    real = [each for each in cases if not each.is_twin]
    guesses = beside.by_title([(each.title, each.actual) for each in real])
    by_title = dict(zip((each.key for each in real), guesses, strict=True))
    rows = [
        _case(evaluation, place, each, title_passed=by_title.get(each.key))
        for place, each in enumerate(cases)
    ]
    EvaluationCase.objects.bulk_create(rows, batch_size=_AT_ONCE)
    EvaluationRun.objects.bulk_create(
        (
            EvaluationRun(evaluation=evaluation, case=row, number=number)
            for row in rows
            for number in range(1, evaluation.runs + 1)
        ),
        batch_size=_AT_ONCE,
    )


def _case(
    evaluation: Evaluation, position: int, planned: Planned, *, title_passed: bool | None
) -> EvaluationCase:
    return EvaluationCase(
        evaluation=evaluation,
        position=position,
        key=planned.key[:300],
        incident_id=planned.incident,
        path=planned.path,
        title=planned.title[:300],
        kind=planned.kind[:10],
        is_twin=planned.is_twin,
        actual=planned.actual.value,
        rule=planned.rule[:120],
        needs=list(planned.needs),
        answers=planned.answers,
        erased=planned.erased,
        world_digest=planned.world_digest,
        recorded_passed=planned.recorded_passed,
        playbook_passed=planned.played.passed,
        playbook_gathered=list(planned.played.gathered),
        title_passed=title_passed,
    )
