"""What a person does about a verdict: speak against it, name what it is about, have it looked into again."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from accounts.models import User
from accounts.services import actor_name
from incidents import identifiers, moves, rubrics, sending
from incidents.identifiers import IdentifierRefused
from incidents.models import Identifier, Incident
from incidents.moves import Asked, MoveRefused
from incidents.services import judged
from incidents.states import Move
from incidents.subjects import origins_of, subject_of
from investigations import queries, refuting
from investigations import services as investigations
from investigations.outcomes import Judgement
from investigations.refuting import RefutationRefused, Word


@dataclass(frozen=True, slots=True)
class Named:
    """An identifier as a person gives it; with `confirms`, the row of a model's that is confirmed.

    `seen` is the newest identifier that their page knew of, None where it was given from no page.
    """

    name: str = ""
    value: str = ""
    confirms: int | None = None
    seen: int | None = None


def refute(incident_id: int, word: Word, *, by: User, now: datetime) -> Judgement:
    """Store a person's word against the verdict, or withdraw it, and judge again. Raises MoveRefused."""
    move = Move.WITHDRAW if word.withdraws else Move.REFUTE
    asked = Asked(move, incident_id, actor_name(by), now)
    with moves.transaction_of(asked):
        latest = queries.latest(incident_id)
        if latest is None:
            raise MoveRefused(f"Incident {incident_id} has no investigation to speak against.")
        try:
            return refuting.refute(
                latest.pk, word, by=asked.actor, on_judged=partial(_refuted, asked=asked, word=word)
            )
        except RefutationRefused as refusal:
            raise MoveRefused(str(refusal)) from refusal


def identify(incident_id: int, named: Named, *, by: User, now: datetime) -> Identifier:
    """Store or confirm an identifier: the next investigation may ask about it. Raises MoveRefused."""
    asked = Asked(Move.IDENTIFY, incident_id, actor_name(by), now)
    with moves.transaction_of(asked):
        incident = (
            Incident.objects.select_for_update(no_key=True, of=("self",)).filter(pk=incident_id).first()
        )
        if incident is None:
            raise MoveRefused(moves.why_not(asked))
        try:
            row = (
                identifiers.give(
                    incident, (named.name, named.value), by=asked.actor, now=now, seen=named.seen
                )
                if named.confirms is None
                else identifiers.confirm(incident, named.confirms, by=asked.actor, now=now)
            )
        except IdentifierRefused as refusal:
            raise MoveRefused(str(refusal)) from refusal
        payload = {"name": row.name, "value": row.value, "origin": row.origin, "identifier": row.pk}
        moves.make_or_refuse(asked, {**payload, "words": f"{row.name} is {row.value}"})
        return row


def investigate_again(
    incident_id: int, *, by: User, version: int, now: datetime, rubric: str = ""
) -> Incident:
    """Queue another investigation, with the identifiers that stand now. Raises MoveRefused.

    `rubric` is what a model's draft of this run is graded by, in place of its source's.
    """
    asked = Asked(Move.INVESTIGATE, incident_id, actor_name(by), now, version)
    with moves.transaction_of(asked):
        incident = Incident.objects.select_related("source").filter(pk=incident_id).first()
        if incident is None:
            raise MoveRefused(moves.why_not(asked))
        # The investigation first, as a run's own ending locks it before the incident: no deadlock.
        queued = investigations.open_investigation(
            incident.pk, subject_of(incident), now=now, origins=origins_of(incident)
        )
        try:
            rubrics.give(queued, incident.source, own=rubric)
        except rubrics.RubricRefused as refusal:
            raise MoveRefused(str(refusal)) from None
        sending.investigate_after_commit(queued.pk)
        return moves.make_or_refuse(asked, {"investigation": queued.pk})


def _refuted(judgement: Judgement, *, asked: Asked, word: Word) -> None:
    """In the transaction that stores the judgement: the incident moves, and who said what is on record."""
    payload = {"entry": word.entry, "reason": word.because.strip(), "verdict": judgement.verdict}
    moves.make_or_refuse(asked, payload)
    judged(judgement, actor=asked.actor)
