"""Audit entries for second factors: set up, taken away, shown in between, refused."""

from typing import Any

from allauth.core import context
from allauth.mfa import signals
from allauth.mfa.models import Authenticator
from django.db.models.signals import post_delete, post_save
from django.http import HttpRequest

from accounts import throttle
from accounts.models import User
from audit import writing


def connect() -> None:
    """Listen. Repeating it does nothing.

    Rows are listened to where allauth's own signals come only after the commit: a second factor that has no
    entry must not exist.
    """
    post_save.connect(_on_saved, sender=Authenticator, dispatch_uid="accounts.second_factor.saved")
    post_delete.connect(_on_deleted, sender=Authenticator, dispatch_uid="accounts.second_factor.deleted")
    signals.authenticator_used.connect(_on_used, dispatch_uid="accounts.second_factor.used")
    signals.authentication_failed.connect(_on_failed, dispatch_uid="accounts.second_factor.failed")


def _on_saved(instance: Authenticator, created: bool, **more: Any) -> None:
    if created:
        _write("second_factor.added", instance)


def _on_deleted(instance: Authenticator, **more: Any) -> None:
    _write("second_factor.removed", instance)


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


def _write(kind: str, authenticator: Authenticator) -> None:
    """The actor is who asks for the page: an administrator may take away what a person lost."""
    asking = getattr(context.request, "user", None)
    owner = authenticator.user
    actor = asking.actor if isinstance(asking, User) else owner.actor
    writing.write(kind, {"username": owner.username, "method": str(authenticator.type)}, actor=actor)
