"""The audit log's seal: whether it is made, how far it is behind, and what became of its copies."""

from collections.abc import Iterator

from django.conf import settings
from django.db import connection

from audit import keys, lag, publishing, sealing
from audit.keys import KeyUnusable
from audit.places import PlaceUnknown, configured
from audit.sealing import SealRefused
from triage.doctor.line import Line, failing, warning, well


def seal() -> Iterator[Line]:
    """Whether entries are sealed in time; a late seal names the transaction that holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(size) FROM audit_checkpoint")
        size = cursor.fetchone()[0]
    behind = lag.lag()
    broken = _broken()
    if broken:
        yield failing("audit seal", broken, "manage.py verify_audit names what was changed.")
    elif size is None:
        yield warning(
            "audit seal",
            "no checkpoint was ever signed",
            "manage.py auditkey makes a key; give it to the upkeep worker as AUDIT_SIGNING_KEY.",
        )
    elif behind.is_late:
        cure = behind.holder.cure if behind.holder else "Start beat and the upkeep worker, which has the key."
        yield failing("audit seal", str(behind), cure)
    else:
        yield well("audit seal", f"{size} entries signed; {behind}")
    if not settings.AUDIT_VERIFIER:
        yield warning(
            "audit key",
            "AUDIT_VERIFIER is not set, so signatures can't be checked here",
            "Set it to the public key that auditkey printed.",
        )
    yield from _copies()


def _broken() -> str:
    """Say what is wrong with the seal itself, as far as the known keys tell."""
    try:
        known = keys.verifiers()
        last = sealing.latest(known) if known else None
        if last is not None:
            sealing.refuse_broken(last)
    except (KeyUnusable, SealRefused) as error:
        return str(error)
    return ""


def _copies() -> Iterator[Line]:
    try:
        places = configured()
    except PlaceUnknown as error:
        yield failing("audit copies", str(error), "Correct AUDIT_PLACES.")
        return
    if not places:
        yield warning(
            "audit copies",
            "no checkpoint leaves this database, so a log that was cut back would not be noticed",
            "Set AUDIT_PLACES to a place that the database's administrators can't rewrite.",
        )
    for place in places:
        last = publishing.latest_of(place.name)
        name = f"copy at {place.name}"
        if last is None:
            yield warning(name, "nothing was published yet", "Start beat and the upkeep worker.")
        elif last.outcome == publishing.DIVERGED:
            yield failing(name, f"IT IS ANOTHER LOG: {last.said}", "Keep both as they are; run verify_audit.")
        elif last.outcome == publishing.FAILED:
            yield warning(name, f"the last attempt failed: {last.said}", "It is tried again every minute.")
        else:
            yield well(name, f"{last.size} entries, {last.said}")
