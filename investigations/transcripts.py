"""Exchanges as they are kept: stored before they are sent, ended with their reply, their texts by digest."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from django.conf import settings
from django.utils import timezone

from audit import prepared
from investigations.models import Exchange, Transcript
from investigations.states import Exchanged, Purpose
from investigations.talk import Reply, Spent
from toolbox import counting, redaction

# A part that is said again counts as new, noted once a day: a newer exchange never loses what it names.
_REFRESHED = timedelta(days=1)
_BATCH = 1_000
# In one order: of two exchanges that say the same at a time, neither waits for the other.
_KEEPING = """
    said AS MATERIALIZED (
        SELECT digest, body FROM unnest(%(digests)s::text[], %(bodies)s::text[]) AS said (digest, body)
    ), fresh AS (
        INSERT INTO investigations_transcript (digest, body, created_at)
        SELECT digest, body, %(now)s FROM said ORDER BY digest
        ON CONFLICT DO NOTHING
    ), again AS (
        UPDATE investigations_transcript AS kept SET created_at = %(now)s
        FROM said WHERE kept.digest = said.digest AND kept.created_at < %(long_ago)s
    )
    {then}
"""
_KEPT = _KEEPING.format(then="SELECT FROM unawaited")
# Two of these stand around each reply of a run, so each is one round trip.
_BEGUN = _KEEPING.format(
    then="""
    INSERT INTO investigations_exchange (
        investigation_id, incident_id, purpose, endpoint, model, fingerprint, step, transcript_digest,
        outcome, reason, tries, tokens_in, tokens_out, micros, seconds, created_at
    )
    SELECT %(investigation)s::bigint, %(incident)s::bigint, %(purpose)s, %(endpoint)s, %(model)s, '',
           %(step)s, '', %(sent)s, '', 0, 0, 0, 0, 0, %(now)s
    FROM unawaited
    RETURNING id
    """
)
_ENDED = _KEEPING.format(
    then="""
    UPDATE investigations_exchange SET
        transcript_digest = %(transcript)s, outcome = %(outcome)s, reason = %(reason)s, tries = %(tries)s,
        model = coalesce(nullif(%(model)s, ''), model), fingerprint = %(fingerprint)s,
        tokens_in = %(tokens_in)s, tokens_out = %(tokens_out)s, micros = %(micros)s, seconds = %(seconds)s
    FROM unawaited WHERE id = %(id)s AND outcome = %(sent)s
    RETURNING id
    """
)


class TranscriptMissing(LookupError):
    """No transcript, or not every part of it, is kept under a digest."""


@dataclass(frozen=True, slots=True)
class Part:
    """A redacted text with the digest under which it is kept."""

    digest: str
    body: str

    @classmethod
    def of(cls, value: Any) -> "Part":
        """Return a JSON value, which is redacted already, as a part."""
        # Not the canonical form: schemas hold floats. Escaped, so that NUL and lone surrogates can be stored.
        body = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return cls(hashlib.sha256(body.encode("ascii")).hexdigest(), body)


@dataclass(frozen=True, slots=True)
class Occasion:
    """On which occasion a model is spoken to."""

    purpose: Purpose
    investigation: int | None = None
    incident: int | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """An exchange that is stored and not ended."""

    id: int
    endpoint: str
    purpose: str
    request: Mapping[str, Any]


class Keeper(Protocol):
    """Where exchanges are kept. This module is the one of production; what is only compared has another."""

    def count(self, occasion: Occasion) -> int:
        """Return how many exchanges there were on this occasion."""

    def begin(
        self,
        occasion: Occasion,
        *,
        endpoint: str,
        model: str,
        step: int,
        request: Mapping[str, Any],
        parts: Iterable[Part],
    ) -> Opened:
        """Keep an exchange that is about to be sent."""

    def end(self, opened: Opened, reply: Reply, *, tries: int) -> None:
        """Keep its reply with what it cost."""

    def fail(self, opened: Opened, reason: str, *, tries: int, seconds: float) -> None:
        """Keep that no reply came, and why."""


def begin(
    occasion: Occasion,
    *,
    endpoint: str,
    model: str,
    step: int,
    request: Mapping[str, Any],
    parts: Iterable[Part],
) -> Opened:
    """Store an exchange that is about to be sent, and the parts that were not kept before.

    `request` is the body with each part in its place named by digest.
    """
    ((number,),) = prepared.unawaited(
        _BEGUN,
        _said(parts)
        | {
            "investigation": occasion.investigation,
            "incident": occasion.incident,
            "purpose": occasion.purpose.value,
            "endpoint": endpoint,
            "model": model[:200],
            "step": step,
            "sent": Exchanged.SENT.value,
        },
    )
    return Opened(number, endpoint, str(occasion.purpose), request)


def end(opened: Opened, reply: Reply, *, tries: int) -> None:
    """Store the reply of an exchange with its cost."""
    outcome, spent = Exchanged(reply.finish.value), reply.spent
    _close(
        opened, plain_reply(reply), outcome, spent=spent, tries=tries, named=(reply.model, reply.fingerprint)
    )
    counting.note_spent(
        opened.endpoint, tokens_in=spent.tokens_in, tokens_out=spent.tokens_out, micros=spent.micros
    )


def fail(opened: Opened, reason: str, *, tries: int, seconds: float) -> None:
    """Store that no reply came, and why."""
    _close(opened, None, Exchanged.DOWN, spent=Spent(seconds=seconds), tries=tries, reason=reason)


def _close(
    opened: Opened,
    reply: Mapping[str, Any] | None,
    outcome: Exchanged,
    *,
    spent: Spent,
    tries: int,
    reason: str = "",
    named: tuple[str, str] = ("", ""),
) -> None:
    part = Part.of({"request": opened.request, "reply": reply, "reason": reason})
    prepared.unawaited(
        _ENDED,
        _said([part])
        | {
            "id": opened.id,
            "transcript": part.digest,
            "sent": Exchanged.SENT.value,
            "outcome": outcome.value,
            "reason": reason,
            "tries": tries,
            "model": named[0],
            "fingerprint": named[1],
            "tokens_in": spent.tokens_in,
            "tokens_out": spent.tokens_out,
            "micros": spent.micros,
            "seconds": spent.seconds,
        },
    )
    counting.note_exchange(opened.endpoint, opened.purpose, outcome.value)


def keep(parts: Iterable[Part]) -> None:
    """Store texts by their digests; those that are kept already stay as they are."""
    prepared.unawaited(_KEPT, _said(parts))


def _said(parts: Iterable[Part]) -> dict[str, Any]:
    now, said = timezone.now(), list(parts)
    return {
        "digests": [part.digest for part in said],
        "bodies": [part.body for part in said],
        "now": now,
        "long_ago": now - _REFRESHED,
    }


def forget(now: datetime) -> int:
    """Delete one batch of what nobody has said since TRANSCRIPT_DAYS; return how many. 0 days keep all."""
    if not settings.TRANSCRIPT_DAYS:
        return 0
    since = now - timedelta(days=settings.TRANSCRIPT_DAYS) - _REFRESHED
    old = Transcript.objects.filter(created_at__lt=since).order_by("pk").values_list("pk", flat=True)[:_BATCH]
    # A part that is said again meanwhile is told by its time, and stays.
    return Transcript.objects.filter(pk__in=list(old), created_at__lt=since).delete()[0]


def plain_reply(reply: Reply) -> dict[str, Any]:
    """Return a reply as its transcript keeps it: without its secrets, and without its numbers."""
    return {
        "text": redaction.text(reply.text),
        "refusal": redaction.text(reply.refusal),
        "calls": [
            {"id": call.id, "name": redaction.text(call.name), "arguments": redaction.text(call.arguments)}
            for call in reply.calls
        ],
        "finish": reply.finish.value,
        "model": reply.model,
        "fingerprint": reply.fingerprint,
    }


def read(digest: str) -> dict[str, Any]:
    """Return an exchange's transcript with every message in full; raise TranscriptMissing."""
    record = _bodies([digest])[digest]
    request = record["request"]
    digests = [*request["messages"], *filter(None, (request.get("tools"), request.get("response_format")))]
    found = _bodies(digests)
    whole = {**request, "messages": [found[each] for each in request["messages"]]}
    for name in ("tools", "response_format"):
        if request.get(name):
            whole[name] = found[request[name]]
    return {**record, "request": whole}


def _bodies(digests: Iterable[str]) -> dict[str, Any]:
    wanted = set(digests)
    rows = Transcript.objects.filter(digest__in=wanted).values_list("digest", "body")
    found = {digest: json.loads(body) for digest, body in rows}
    if missing := wanted - set(found):
        raise TranscriptMissing(f"nothing is kept under {min(missing)}")
    return found


def count(occasion: Occasion) -> int:
    """Return how many exchanges a run has had for this purpose; it goes on numbering from there."""
    if occasion.investigation is None:
        return 0
    rows = Exchange.objects.filter(investigation_id=occasion.investigation, purpose=occasion.purpose)
    return rows.count()
