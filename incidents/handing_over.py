"""Handing an incident to somebody's own agent, and taking back what it submits."""

import time
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction

from accounts import tokens
from accounts.models import Token, User
from audit import writing
from incidents import moves, queries, sending, services
from incidents.moves import Asked
from incidents.states import Move, State
from incidents.subjects import subject_of
from investigations import services as investigations
from investigations.outcomes import Judgement, SubmissionPending, SubmissionRefused

PATIENCE_SECONDS = 20.0
_EVERY_SECONDS = 0.5


class NotHandedOver(Exception):
    """An incident can't be handed to an agent now; the message says why."""


def hand_over(
    incident_id: int, wanted: tokens.Wanted, *, owner: User, by: str, lasts: timedelta, now: datetime
) -> tuple[Token, str]:
    """Open an investigation for an agent and make the token that sees and submits to it, and to no other.

    Raises NotHandedOver, and TokenNotMade for a token that can't be made as asked.
    """
    with transaction.atomic():
        incident = queries.incident(owner, incident_id)
        if incident is None:
            raise NotHandedOver(f"There is no incident {incident_id} that {owner} sees.")
        if incident.state == State.CLOSED:
            raise NotHandedOver(f"Incident {incident_id} is closed. Reopen it first.")
        until = now + min(lasts, wanted.lasts)
        try:
            row = investigations.open_for_agent(
                incident.pk, subject_of(incident), until=until, by=by, now=now
            )
        except investigations.NotOpened as refusal:
            raise NotHandedOver(str(refusal)) from None
        moves.make(Asked(Move.TAKE, incident.pk, by, now), {"investigation": row.pk})
        return tokens.make(replace(wanted, investigation=row.pk), owner=owner, by=by, now=now)


def submit(investigation_id: int, value: Any, *, by: str) -> Judgement:
    """Judge an agent's submission, and move the incident with it.

    Raises SubmissionRefused, and records it first. The same submission of the same agent is judged once.
    Where a critic is to look at it a worker judges: that is awaited for a while, then SubmissionPending is
    raised.
    """
    try:
        try:
            return _taken(investigation_id, value, by)
        except SubmissionPending:
            sending.send("incidents.tasks.investigate", investigation_id)
        return _awaited(investigation_id, value, by)
    except SubmissionRefused as refusal:
        told = {"reason": str(refusal)}
        writing.write("submission.refused", told, actor=by, investigation=investigation_id)
        raise


def _taken(investigation_id: int, value: Any, by: str) -> Judgement:
    return investigations.submit_external(
        investigation_id, value, by=by, on_judged=partial(services.judged, actor=by)
    )


def _awaited(investigation_id: int, value: Any, by: str) -> Judgement:
    """Ask again until it is judged. Raises SubmissionPending after a while."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return _taken(investigation_id, value, by)
        except SubmissionPending:
            if time.monotonic() > end:
                raise
            time.sleep(_EVERY_SECONDS)
