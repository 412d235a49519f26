"""How the log stands, for the pages that show it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection

from audit import keys, lag, publishing, recording
from audit.keys import KeyUnusable
from audit.lag import Lag
from audit.places import PlaceUnknown, configured
from audit.publishing import Publication

_SHOWN = 25


@dataclass(frozen=True, slots=True)
class Verified:
    """The last recorded verification: entry, time, one of four results, and its sentences."""

    entry: int
    at: datetime
    result: str
    sentences: Sequence[str]


@dataclass(frozen=True, slots=True)
class Signed:
    """One checkpoint, when its batch was sealed, and the places that have it."""

    size: int
    root: str
    at: datetime | None
    places: Sequence[str]


@dataclass(frozen=True, slots=True)
class Copy:
    """One configured place and the last attempt there."""

    name: str
    last: Publication | None


@dataclass(frozen=True, slots=True)
class Sealing:
    """Where one entry stands in the tree; `index` is None until it is sealed."""

    index: int | None
    signed: int

    @property
    def is_signed(self) -> bool:
        """Whether a checkpoint covers it, so that there is a proof."""
        return self.index is not None and self.index < self.signed


@dataclass(frozen=True, slots=True)
class Standing:
    """The whole state. `problem` says what is wrong with the settings, if anything is."""

    entries: int
    lag: Lag
    checkpoints: Sequence[Signed]
    copies: Sequence[Copy]
    verifiers: Sequence[str]
    verified: Verified | None
    problem: str


def standing() -> Standing:
    """Read the state now. Raises DatabaseError."""
    problem, copies, verifiers = "", [], []
    try:
        copies = [Copy(place.name, publishing.latest_of(place.name)) for place in configured()]
        verifiers = [key.text for key in keys.verifiers(settings.AUDIT_VERIFIER)]
    except (PlaceUnknown, KeyUnusable) as error:
        problem = str(error)
    return Standing(
        entries=_query("SELECT coalesce(max(leaf_index) + 1, 0) FROM audit_leaf")[0][0],
        lag=lag.lag(),
        checkpoints=_checkpoints(),
        copies=copies,
        verifiers=verifiers,
        verified=_verified(),
        problem=problem,
    )


def sealing_of(entry: int) -> Sealing:
    """Return where an entry stands in the tree."""
    index = _query("SELECT leaf_index FROM audit_leaf WHERE entry = %s", [entry])
    signed = _query("SELECT coalesce(max(size), 0) FROM audit_checkpoint")
    return Sealing(index[0][0] if index else None, signed[0][0])


def _checkpoints() -> list[Signed]:
    rows = _query(
        "SELECT c.size, encode(c.root, 'hex'),"
        " (SELECT min(b.sealed_at) FROM audit_batch b WHERE b.size = c.size),"
        " ARRAY(SELECT DISTINCT p.place FROM audit_publication p"
        "       WHERE p.size = c.size AND p.outcome = 'published' ORDER BY p.place)"
        " FROM audit_checkpoint c ORDER BY c.id DESC LIMIT %s",
        [_SHOWN],
    )
    return [Signed(*row) for row in rows]


def _verified() -> Verified | None:
    rows = _query(
        "SELECT e.id, e.recorded_at, p.body FROM audit_entry e JOIN audit_payload p ON p.entry = e.id"
        # By its actor, who does nothing else, since no index knows the kinds.
        " WHERE e.actor = %s AND e.kind = %s AND p.body IS NOT NULL ORDER BY e.id DESC LIMIT 1",
        [recording.ACTOR, recording.KIND],
    )
    if not rows:
        return None
    number, at, body = rows[0]
    payload = json.loads(body)
    return Verified(
        number, at, str(payload.get("result")), [str(one) for one in payload.get("sentences", ())]
    )


def _query(query: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return list(cursor.fetchall())
