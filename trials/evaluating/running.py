"""Making the runs of an evaluation: each by one worker, once, however often it is sent or killed.

Whoever makes a run holds a lock of the database's for it, which ends with its connection: what a killed
worker had begun is free at once. The attempt's number lets only the last one write.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from investigations import endpoints, rulebook
from investigations.talk import EndpointDown, EndpointRefused
from trials import worlds
from trials.evaluating.onerun import Result, repeat
from trials.evaluating.planning import digests
from trials.evaluating.purse import CapReached, Purse
from trials.evaluating.repeated import How
from trials.holding import Held, held
from trials.models import Evaluation, EvaluationCase, EvaluationRun, EvaluationTranscript
from trials.states import UNFINISHED, RunState, Stopped
from trials.worlds import World, WorldMissing
from verdicts.case import CaseUnreadable
from verdicts.rulebook import Rulebook

_MOST_FAULTS = 3


class WorldChanged(Exception):
    """A case is not what was planned any more; the message says what changed."""


def run(number: int) -> RunState | None:
    """Make one planned run; return how it stands now, or None where it is not to be had.

    It is not to be had when it is done, when somebody else is at it, or when its evaluation was stopped. A
    fault of our own is raised, after the row says so: the run is tried again, and left out after three.
    """
    with held(Held.EVALUATION_RUN, number) as is_ours:
        row = _claimed(number) if is_ours else None
        if row is None:
            return None
        try:
            return _made(row)
        except Exception as error:
            last = row.attempt >= _MOST_FAULTS
            _end(row, RunState.LEFT_OUT if last else RunState.WAITING, f"Our code failed: {error!r}"[:500])
            raise


def is_held(number: int) -> bool:
    """Say whether somebody is making this run at the moment."""
    with held(Held.EVALUATION_RUN, number) as is_ours:
        return not is_ours


@contextmanager
def _unawaited() -> Iterator[None]:
    """Commit without waiting for the disk: a run that a crash of the database loses is made again."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = off")
        yield


def _claimed(number: int) -> EvaluationRun | None:
    to_be_had = EvaluationRun.objects.filter(pk=number, state__in=UNFINISHED, evaluation__stopped="")
    with _unawaited():
        if not to_be_had.update(state=RunState.RUNNING, attempt=F("attempt") + 1):
            return None
    return EvaluationRun.objects.select_related("evaluation", "case").get(pk=number)


def _made(row: EvaluationRun) -> RunState | None:
    evaluation, book = row.evaluation, rulebook.current_rulebook()
    if complaint := changed(evaluation, book):
        _stop(evaluation, Stopped.INTERRUPTED, complaint)
        return _end(row, RunState.WAITING, complaint)
    try:
        world = _world(row.case_id, row.case.world_digest)
    except (WorldChanged, WorldMissing, CaseUnreadable) as error:
        return _end(row, RunState.LEFT_OUT, str(error)[:500])
    purse = Purse(evaluation.pk, evaluation.cap_micros)
    how = How(evaluation.endpoint, evaluation.is_live, purse, via=f"evaluation {evaluation.pk}")
    try:
        result = repeat(world, how, rule=row.case.rule, book=book)
    except CapReached as reached:
        _stop(evaluation, Stopped.CAP, str(reached))
        return _end(row, RunState.WAITING, str(reached))
    except (EndpointDown, EndpointRefused) as trouble:
        return _end(row, RunState.DOWN, str(trouble)[:500])
    return _keep(row, result)


def changed(evaluation: Evaluation, book: Rulebook) -> str:
    """Say what of the agent's surroundings is not what was planned, in words; nothing where all is."""
    try:
        now = digests(endpoints.endpoint_named(evaluation.endpoint), book)
    except EndpointRefused as refused:
        return str(refused)
    other = [
        name.removesuffix("_digest") for name, value in now.items() if getattr(evaluation, name) != value
    ]
    if not other:
        return ""
    return f"Evaluation {evaluation.pk} was planned with another {' and another '.join(other)} than here."


def _world(case: int, planned: str) -> World:
    world = _loaded(case)
    if world.digest != planned:
        raise WorldChanged("What was recorded of the case has changed since it was planned.")
    return world


@lru_cache(maxsize=1)
def _loaded(case: int) -> World:
    row = EvaluationCase.objects.get(pk=case)
    if row.incident_id is not None:
        return worlds.of_incident(row.incident_id)
    return worlds.of_file(Path(row.path))


def forget() -> None:
    """Forget the world that was loaded last."""
    _loaded.cache_clear()


def _keep(row: EvaluationRun, result: Result) -> RunState | None:
    with _unawaited():
        kept = _ours(row).update(state=RunState.DONE, finished_at=timezone.now(), **result.columns)
        if not kept:
            return None
        EvaluationTranscript.objects.create(run=row, body=result.transcript)
    return RunState.DONE


def _end(row: EvaluationRun, state: RunState, reason: str) -> RunState | None:
    return state if _ours(row).update(state=state, reason=reason) else None


def _ours(row: EvaluationRun) -> QuerySet[EvaluationRun]:
    return EvaluationRun.objects.filter(pk=row.pk, attempt=row.attempt, state=RunState.RUNNING)


def _stop(evaluation: Evaluation, why: Stopped, note: str) -> None:
    Evaluation.objects.filter(pk=evaluation.pk, stopped="").update(stopped=why, note=note)
