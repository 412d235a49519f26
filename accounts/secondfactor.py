"""The forms that take a code, with a limit of our own: guessing six digits must not get far."""

from typing import Any, cast

from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts import throttle


class _Limited:
    """Counts each code that is tried, before it is looked at; a right one forgets those before it."""

    user: Any

    def clean_code(self) -> str:
        """Return the code. Raises ValidationError for a wrong one and for one too many."""
        request = context.request
        name, address = f"second factor of {self.user.pk}", throttle.address_of(request)
        if throttle.note_attempt(name, address, timezone.now()) is None:
            raise ValidationError(
                f"Too many codes were wrong. Wait {throttle.WINDOW.seconds // 60} minutes, then try again."
            )
        code = cast("str", super().clean_code())  # type: ignore[misc]  # allauth's form comes next in line
        throttle.forget_attempts(name, address, timezone.now())
        return code


class SignInCodeForm(_Limited, AuthenticateForm):  # type: ignore[misc]  # allauth ships no types
    """The code after the password, of an app or of the recovery codes."""


class StepUpCodeForm(_Limited, ReauthenticateForm):  # type: ignore[misc]  # allauth ships no types
    """The code that shows again who sits there."""


class NewAppForm(_Limited, ActivateTOTPForm):  # type: ignore[misc]  # allauth ships no types
    """The first code of an authenticator app that is being set up."""
