"""How many sign-ins may fail before the next one has to wait."""

import hashlib
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.http import HttpRequest

from accounts.models import SignInAttempt

WINDOW = timedelta(minutes=5)
TRIES_FOR_ONE_NAME_FROM_ONE_ADDRESS = 5
TRIES_FROM_ONE_ADDRESS = 30
TRIES_FOR_ONE_NAME = 20


def note_attempt(name: str, address: str, now: datetime, *, browser: str = "") -> SignInAttempt | None:
    """Write down one attempt before its password is looked at; None where there were too many.

    Counting after the insert keeps attempts sent at the same moment from slipping through together. A browser
    in which this name has signed in before has a count of its own: nobody else can use it up from outside.
    """
    attempt = SignInAttempt.objects.create(
        name_digest=_digest(name), address=_place(address, browser), tried_at=now
    )
    by_name, by_address = Q(name_digest=attempt.name_digest), Q(address=attempt.address)
    counts = SignInAttempt.objects.filter(by_name | by_address, tried_at__gt=now - WINDOW).aggregate(
        both=Count("pk", filter=by_name & by_address),
        by_address=Count("pk", filter=by_address),
        by_name=Count("pk", filter=by_name),
    )
    is_elsewhere_too_many = not browser and (
        counts["by_address"] > TRIES_FROM_ONE_ADDRESS or counts["by_name"] > TRIES_FOR_ONE_NAME
    )
    if counts["both"] > TRIES_FOR_ONE_NAME_FROM_ONE_ADDRESS or is_elsewhere_too_many:
        attempt.delete()
        return None
    return attempt


def forget_attempts(name: str, address: str, now: datetime, *, browser: str = "") -> None:
    """After a success: drop what this name tried from this place, and all that is long past."""
    SignInAttempt.objects.filter(
        Q(name_digest=_digest(name), address=_place(address, browser)) | Q(tried_at__lt=now - 10 * WINDOW)
    ).delete()


def address_of(request: HttpRequest) -> str:
    """Return the address that a request comes from, as attempts and entries keep it."""
    return str(request.META.get("REMOTE_ADDR", ""))[:64]


def _place(address: str, browser: str) -> str:
    return f"browser:{browser}" if browser else address


def _digest(name: str) -> str:
    return hashlib.sha256(name.strip().lower().encode("utf-8", "replace")).hexdigest()
