"""Signing in and out, each with its audit entry."""

from datetime import datetime

from django.contrib.auth import authenticate, login, logout
from django.db import transaction
from django.http import HttpRequest

from accounts import throttle
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


def sign_in(request: HttpRequest, *, name: str, password: str, now: datetime) -> User:
    """Sign a person in and write `session.opened`.

    Raises SignInRefused or TooManyAttempts, each after writing `session.refused`.
    """
    address = request.META.get("REMOTE_ADDR", "")[:64]
    if throttle.note_attempt(name, address, now) is None:
        _write_refusal(name, address, "too many attempts")
        raise TooManyAttempts
    user = authenticate(request, username=name, password=password)
    if not isinstance(user, User):
        _write_refusal(name, address, "name and password do not match")
        raise SignInRefused
    with transaction.atomic():
        throttle.forget_attempts(name, address, now)
        login(request, user)
        writing.write(
            "session.opened", {"username": user.username, "address": address}, actor=actor_name(user)
        )
    return user


def sign_out(request: HttpRequest) -> None:
    """End the session and write `session.closed`. Without a session nothing happens."""
    user = request.user
    if not isinstance(user, User):
        return
    with transaction.atomic():
        writing.write("session.closed", {"username": user.username}, actor=actor_name(user))
        logout(request)


def actor_name(user: User) -> str:
    """Return how the audit log names a person."""
    return f"person:{user.username}"


def _write_refusal(name: str, address: str, reason: str) -> None:
    """A name that no account has may be a password typed into the wrong field: it is not kept."""
    known = User.objects.filter(username=name).exists()
    writing.write(
        "session.refused",
        {"username": name if known else None, "address": address, "reason": reason},
        actor="visitor",
    )
