"""Closing: the outcome against the verdict, duplicates without circles, the answer as it was sent."""

from dataclasses import dataclass

from accounts.models import User
from incidents import labelled, moves, veiling
from incidents.models import Incident, Override, Resolution
from incidents.moves import Asked, MoveRefused
from incidents.states import Outcome
from investigations.models import Draft, Verdict
from toolbox.values import is_storable
from verdicts.closings import VERSION, NoSuchOutcome, actual, contradicts

LONGEST = {"answer": 20_000, "reason": 2_000}


@dataclass(frozen=True, slots=True)
class Words:
    """What a person says on closing."""

    outcome: str
    answer: str
    reason: str
    duplicate_of: int | None
    label: str = ""  # of an issue, where the person gives one


def close(asked: Asked, words: Words, by: User | None, *, by_rule: str = "") -> Incident:
    """Close inside the caller's transaction, in a person's name or in a rule's. Raises MoveRefused."""
    check_text("answer", words.answer)
    check_text("reason", words.reason)
    target = _target(asked, words)
    incident = Incident.objects.select_for_update(no_key=True).filter(pk=asked.incident).first()
    if incident is None:
        raise MoveRefused(moves.why_not(asked))
    if by is not None and veiling.is_veiled(by, incident.pk):
        # Whether an outcome contradicts the verdict would tell it.
        raise MoveRefused(f"You audit incident {incident.pk}. Answer the audit first, then close it.")
    contradicting = _contradicts(incident, words)
    _check_label(incident, words.label)
    verdict_id, draft_id = _judged_last(incident.pk)
    closed = moves.make_or_refuse(
        asked,
        {
            "outcome": words.outcome,
            "reason": words.reason,
            "answer": words.answer,
            "contradicts_verdict": contradicting,
            "table_version": VERSION,
            "duplicate_of": target,
            "verdict": verdict_id,
            **({"label": words.label} if words.label else {}),
        },
        closed_at=asked.now,
        snoozed_until=None,
    )
    resolution = Resolution.objects.create(
        incident=closed,
        outcome=words.outcome,
        answer=words.answer,
        reason=words.reason,
        contradicts_verdict=contradicting,
        duplicate_of_id=target,
        verdict_id=verdict_id,
        draft_id=draft_id,
        by=by,
        by_rule=by_rule,
        created_at=asked.now,
    )
    if contradicting:
        _keep_override(resolution, incident)
    if by is not None:
        labelled.keep(resolution, words.label, by)
    return closed


def _check_label(incident: Incident, label: str) -> None:
    try:
        labelled.check(incident.kind, label)
    except labelled.LabelRefused as error:
        raise MoveRefused(str(error)) from None


def _keep_override(resolution: Resolution, incident: Incident) -> None:
    """Keep what people said against code apart: it labels the case for whoever compares rules and models."""
    Override.objects.create(
        resolution=resolution,
        incident_id=incident.pk,
        verdict_id=resolution.verdict_id,
        hypothesis=incident.hypothesis,
        verdict_passed=bool(incident.verdict_passed),
        actual=actual(incident.kind, resolution.outcome),
        table_version=VERSION,
        created_at=resolution.created_at,
    )


def _judged_last(incident_id: int) -> tuple[int | None, int | None]:
    """The verdict and the draft that the person had before them."""
    of_incident = {"investigation__incident_id": incident_id}
    verdict = Verdict.objects.filter(**of_incident).order_by("-pk").values_list("pk", flat=True).first()
    draft = Draft.objects.filter(**of_incident).order_by("-pk").values_list("pk", flat=True).first()
    return verdict, draft


def check_text(name: str, text: str) -> None:
    """Raise MoveRefused where an answer or a reason is too long or can't be stored."""
    limit = LONGEST[name]
    if len(text) > limit:
        raise MoveRefused(f"The {name} has {len(text)} characters; {limit} is the most. Shorten it.")
    if not is_storable(text):
        raise MoveRefused(f"The {name} holds a character that cannot be stored. Type that part again.")


def _contradicts(incident: Incident, words: Words) -> bool:
    try:
        contradicting = contradicts(incident.kind, words.outcome, incident.verdict_passed)
    except NoSuchOutcome as error:
        raise MoveRefused(str(error)) from None
    if contradicting and not words.reason:
        verdict = "a pass" if incident.verdict_passed else "a fail"
        raise MoveRefused(
            f"The verdict is {verdict} and {words.outcome!r} says otherwise. Give the reason: "
            "that is how the rules get better."
        )
    return contradicting


def _target(asked: Asked, words: Words) -> int | None:
    """The incident that this one repeats. It is itself no duplicate, so that no circle can close.

    Both rows are locked in the order of their ids: of two that name each other one comes second.
    """
    if words.outcome != Outcome.DUPLICATE:
        if words.duplicate_of is not None:
            raise MoveRefused("Only a duplicate names another incident. Choose that outcome or leave it out.")
        return None
    if words.duplicate_of is None:
        raise MoveRefused("Give the number of the incident that this one repeats.")
    if words.duplicate_of == asked.incident:
        raise MoveRefused("An incident cannot repeat itself. Give the number of another one.")
    pair = sorted((asked.incident, words.duplicate_of))
    locked = {
        row.pk: row
        for row in Incident.objects.select_for_update(no_key=True).filter(pk__in=pair).order_by("pk")
    }
    target = locked.get(words.duplicate_of)
    if target is None:
        raise MoveRefused(f"There is no incident {words.duplicate_of}.")
    last = target.resolutions.order_by("pk").last() if target.closed_at else None
    if last is not None and last.duplicate_of_id is not None:
        raise MoveRefused(
            f"Incident {target.pk} is itself a duplicate of {last.duplicate_of_id}. Name that one, "
            "if it is not this incident."
        )
    return target.pk
