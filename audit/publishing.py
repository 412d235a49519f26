"""Take the newest checkpoint to the places outside, and say loudly when one of them holds another log."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone

from assay_core.notes import Checkpoint, NoteUnreadable, SignatureWrong, Verifier, open_checkpoint
from audit import keys, places, sealing
from audit.places import Place, PlaceDiverged, PlaceFailed
from audit.tree import StoredTree

PUBLISHED, FAILED, DIVERGED = "published", "failed", "diverged"
_RETRY = timedelta(seconds=60)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Publication:
    """What became of one attempt at one place."""

    size: int
    place: str
    outcome: str
    said: str
    tried_at: datetime


def publish_due(
    *,
    to: Sequence[Place] | None = None,
    verifiers: Sequence[Verifier] | None = None,
    now: datetime | None = None,
    using: str = DEFAULT_DB_ALIAS,
) -> list[Publication]:
    """Publish to each place where a newer checkpoint is due; every attempt is recorded.

    A failed place is tried again after a minute, a diverged one is looked at again and never written to.
    Raises KeyUnusable, PlaceUnknown, SealRefused.
    """
    known = keys.verifiers() if verifiers is None else verifiers
    newest = sealing.latest(known, using=using) if known else None
    if newest is None:
        return []
    return [
        _publish(place, newest, known, using)
        for place in (places.configured() if to is None else to)
        if _is_due(latest_of(place.name, using=using), place, newest, now or timezone.now())
    ]


def latest_of(place: str, *, using: str = DEFAULT_DB_ALIAS) -> Publication | None:
    """Return the last attempt at a place."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT size, place, outcome, said, tried_at FROM audit_publication WHERE place = %s"
            " ORDER BY id DESC LIMIT 1",
            [place],
        )
        row = cursor.fetchone()
    return Publication(*row) if row else None


def _is_due(last: Publication | None, place: Place, newest: Checkpoint, now: datetime) -> bool:
    if last is None:
        return True
    age = now - last.tried_at
    if last.outcome != PUBLISHED:
        return age >= _RETRY
    return last.size < newest.size and age >= timedelta(seconds=place.every)


def _publish(place: Place, newest: Checkpoint, verifiers: Sequence[Verifier], using: str) -> Publication:
    try:
        _compare(place.last(), newest, verifiers, using)
        outcome, said = PUBLISHED, place.publish(newest.note)
    except PlaceFailed as error:
        outcome, said = FAILED, str(error)
        _log.warning("The audit log's checkpoint did not reach %s: %s. It is tried again.", place.name, error)
    except PlaceDiverged as error:
        outcome, said = DIVERGED, str(error)
        _log.critical(
            "THE AUDIT LOG AND ITS COPY AT %s ARE TWO LOGS: %s. Nothing is published there any more. "
            "Keep both as they are and run verify_audit.",
            place.name,
            error,
        )
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT audit_note_publication(%s, %s, %s, %s)", [newest.size, place.name, outcome, said]
        )
    return Publication(newest.size, place.name, outcome, said, timezone.now())


def _compare(found: str | None, newest: Checkpoint, verifiers: Sequence[Verifier], using: str) -> None:
    """Raise PlaceDiverged unless the log grew from what the place holds."""
    if found is None:
        return
    try:
        theirs = open_checkpoint(found, verifiers)
    except (NoteUnreadable, SignatureWrong) as error:
        raise PlaceDiverged(f"what stands there is not signed by this log: {error}") from None
    if theirs.size > newest.size:
        raise PlaceDiverged(
            f"a log of {theirs.size} entries was published there, ours has {newest.size}: it was cut back, "
            "or restored from an older backup"
        )
    if StoredTree(using).root(theirs.size) != theirs.root:
        raise PlaceDiverged(f"at size {theirs.size} it was another log than ours")
