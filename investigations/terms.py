"""Who hosts the models that we speak to: recorded by an administrator before anything leaves this machine."""

from datetime import datetime

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.permissions import Permission
from audit import prepared, writing
from investigations.models import EndpointTerms

# Every exchange asks it, so it goes past the ORM.
_STANDING = "SELECT FROM investigations_endpointterms WHERE host = %s AND ended_at IS NULL"


class TermsRefused(ValueError):
    """Something about a host cannot be recorded; the message says why and what to do."""


def standing(host: str) -> EndpointTerms | None:
    """Return what is recorded of a host now."""
    return EndpointTerms.objects.filter(host=host, ended_at=None).first()


def obstacle(host: str, *, is_local: bool) -> str:
    """Return why nothing may be sent to a host, or an empty text. What is on this machine needs no word."""
    if is_local or prepared.rows(_STANDING, [host]):
        return ""
    return (
        f"nobody has recorded who hosts {host} and that its data terms were read: an administrator does that "
        f"on the page Models, or with `manage.py endpointterms record {host}`"
    )


def record(host: str, *, hosted_by: str, terms: str, by: User, now: datetime) -> EndpointTerms:
    """Record who hosts it and which data terms were read. Audited. Raises TermsRefused."""
    _demand_administrator(by)
    hosted_by, terms = " ".join(hosted_by.split())[:200], " ".join(terms.split())[:500]
    if not hosted_by or not terms:
        raise TermsRefused("Say both who hosts it and which data terms were read, with where they stand.")
    if not host or len(host) > 255:
        raise TermsRefused("Name the host as it stands in the endpoint's base URL.")
    try:
        with transaction.atomic():
            row = EndpointTerms.objects.create(
                host=host, hosted_by=hosted_by, terms=terms, recorded_by=by.username, recorded_at=now
            )
            _note("endpoint.permitted", row, by)
    except IntegrityError:
        raise TermsRefused(f"{host} has its word already. End that one to record another.") from None
    return row


def end(host: str, *, by: User, now: datetime) -> None:
    """Take the word back: from the next request on nothing is sent there. Audited. Raises TermsRefused."""
    _demand_administrator(by)
    with transaction.atomic():
        row = EndpointTerms.objects.select_for_update().filter(host=host, ended_at=None).first()
        if row is None:
            raise TermsRefused(f"Nothing is recorded of {host}.")
        row.ended_by, row.ended_at = by.username, now
        row.save(update_fields=["ended_by", "ended_at"])
        _note("endpoint.forbidden", row, by)


def _note(kind: str, row: EndpointTerms, by: User) -> None:
    payload = {"host": row.host, "hosted_by": row.hosted_by, "terms": row.terms}
    writing.write(kind, payload, actor=f"person:{by.username}")


def _demand_administrator(by: User) -> None:
    if not (by.is_active and by.has_perm(Permission.MANAGE_TOOLS)):
        raise TermsRefused(f"{by.username} may not: who hosts a model is recorded by administrators.")
