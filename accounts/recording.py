"""Audit entries for what happens inside allauth: second factors set up, used, refused and taken away."""

from typing import Any

from allauth.mfa import signals
from allauth.mfa.models import Authenticator
from django.http import HttpRequest

from accounts import throttle
from accounts.models import User
from audit import writing


def connect() -> None:
    """Listen. Repeating it does nothing."""
    for signal, listener in (
        (signals.authenticator_added, _on_added),
        (signals.authenticator_removed, _on_removed),
        (signals.authenticator_reset, _on_reset),
        (signals.authenticator_used, _on_used),
        (signals.authentication_failed, _on_failed),
    ):
        signal.connect(listener, dispatch_uid=f"accounts.{listener.__name__}")


def _on_added(user: User, authenticator: Authenticator, **more: Any) -> None:
    _write("second_factor.added", user, authenticator)


def _on_removed(user: User, authenticator: Authenticator, **more: Any) -> None:
    _write("second_factor.removed", user, authenticator)


def _on_reset(user: User, authenticator: Authenticator, **more: Any) -> None:
    _write("second_factor.renewed", user, authenticator)


def _on_used(user: User, authenticator: Authenticator, reauthenticated: bool, **more: Any) -> None:
    """A use at sign-in stands in `session.opened`; one in between is an entry of its own."""
    if reauthenticated:
        writing.write(
            "session.confirmed", {"username": user.username, "method": authenticator.type}, actor=user.actor
        )


def _on_failed(request: HttpRequest, user: User, **more: Any) -> None:
    writing.write(
        "session.refused",
        {
            "username": user.username,
            "address": throttle.address_of(request),
            "reason": "the code of the second factor is wrong",
        },
        actor="visitor",
    )


def _write(kind: str, user: User, authenticator: Authenticator) -> None:
    writing.write(kind, {"username": user.username, "method": str(authenticator.type)}, actor=user.actor)
