"""Signing in and out, each with its audit entry."""

from datetime import datetime
from typing import Any, cast

from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.login import perform_password_login
from allauth.account.models import Login
from django.contrib.auth import authenticate, login, logout
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from accounts import browsers, throttle
from accounts.models import User
from audit import writing


class SignInRefused(Exception):
    """The name and the password do not belong together, or the account is switched off."""

    def __init__(self) -> None:
        super().__init__("Name and password do not match an account that may sign in. Check both.")


class TooManyAttempts(Exception):
    """Too many sign-ins failed of late for this name or from this address."""

    def __init__(self) -> None:
        super().__init__(
            f"Too many sign-ins failed. Wait {throttle.WINDOW.seconds // 60} minutes, then try again."
        )


def sign_in(request: HttpRequest, *, name: str, password: str, target: str, now: datetime) -> HttpResponse:
    """Check a name and a password and return the next page: `target`, or that of the second factor.

    Raises SignInRefused or TooManyAttempts, each after writing `session.refused`.
    """
    user = checked_password(request, name=name, password=password, now=now)
    return cast(
        "HttpResponse",
        perform_password_login(request, {"username": name}, Login(user=user, redirect_url=target)),
    )


def checked_password(request: HttpRequest, *, name: str, password: str, now: datetime) -> User:
    """Return the person whose name and password these are, counting the attempt. Raises as `sign_in` does."""
    address, browser = throttle.address_of(request), browsers.known(request, name)
    if throttle.note_attempt(name, address, now, browser=browser) is None:
        _write_refusal(name, address, "too many attempts")
        raise TooManyAttempts
    user = authenticate(request, username=name, password=password)
    if not isinstance(user, User):
        _write_refusal(name, address, "name and password do not match")
        raise SignInRefused
    throttle.forget_attempts(name, address, now, browser=browser)
    return user


def open_session(request: HttpRequest, user: User) -> None:
    """Make the request's session this person's and write `session.opened` with what they showed."""
    with transaction.atomic():
        login(request, user)
        writing.write(
            "session.opened",
            {
                "username": user.username,
                "address": throttle.address_of(request),
                "methods": _methods(request, user),
            },
            actor=user.actor,
        )


def sign_out(request: HttpRequest) -> None:
    """End the session and write `session.closed`. Without a session nothing happens."""
    user = request.user
    if not isinstance(user, User):
        return
    with transaction.atomic():
        writing.write("session.closed", {"username": user.username}, actor=user.actor)
        logout(request)


def actor_name(user: User) -> str:
    """Return how the audit log names a person."""
    return user.actor


def _methods(request: HttpRequest, user: User) -> list[str]:
    records = cast("list[dict[str, Any]]", get_authentication_records(request, user))
    return [str(record.get("type") or record.get("method")) for record in records]


def _write_refusal(name: str, address: str, reason: str) -> None:
    """A name that no account has may be a password typed into the wrong field: it is not kept."""
    known = User.objects.filter(username=name).exists()
    writing.write(
        "session.refused",
        {"username": name if known else None, "address": address, "reason": reason},
        actor="visitor",
    )
