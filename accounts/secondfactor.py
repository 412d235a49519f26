"""The forms that take a code or a passkey: guessing six digits must not get far, nor an invented passkey."""

from typing import Any, cast

from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts import browsers, throttle


class _Limited:
    """Counts each code that is tried, before it is looked at; a right one forgets those before it."""

    user: Any

    def clean_code(self) -> str:
        """Return the code. Raises ValidationError for a wrong one and for one too many."""
        request = context.request
        name, address = f"second factor of {self.user.pk}", throttle.address_of(request)
        browser = browsers.known(request, self.user.username)
        if throttle.note_attempt(name, address, timezone.now(), browser=browser) is None:
            raise ValidationError(
                f"Too many codes were wrong. Wait {throttle.WINDOW.seconds // 60} minutes, then try again."
            )
        code = cast("str", super().clean_code())  # type: ignore[misc]  # allauth's form comes next in line
        throttle.forget_attempts(name, address, timezone.now(), browser=browser)
        return code


class SignInCodeForm(_Limited, AuthenticateForm):  # type: ignore[misc]  # allauth ships no types
    """The code after the password, of an app or of the recovery codes."""


class StepUpCodeForm(_Limited, ReauthenticateForm):  # type: ignore[misc]  # allauth ships no types
    """The code that shows again who sits there."""


class NewAppForm(_Limited, ActivateTOTPForm):  # type: ignore[misc]  # allauth ships no types
    """The first code of an authenticator app that is being set up."""


_MALFORMED = (AttributeError, KeyError, TypeError, ValueError)
_NO_PASSKEY = "That was no passkey of this account. Try again."


class _Credential(forms.JSONField):
    """JSON whose reader gives up on it in more ways than Django's field knows of."""

    def to_python(self, value: Any) -> Any:
        """Read it. Raises ValidationError for what is too deep, or holds a number of thousands of digits."""
        try:
            return super().to_python(value)
        except (ValueError, RecursionError):
            raise ValidationError(_NO_PASSKEY) from None


class _Sent:
    """A form of allauth's whose passkey is JSON from anybody."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["credential"] = _Credential(required=True, widget=forms.HiddenInput)


class _Wary(_Sent):
    """What a browser sends as a passkey is read by a library that expects its whole shape."""

    def clean_credential(self) -> Any:
        """Return the passkey. Raises ValidationError for whatever is none."""
        try:
            return super().clean_credential()  # type: ignore[misc]  # allauth's form comes next in line
        except ValidationError:
            raise
        except _MALFORMED:
            raise ValidationError(_NO_PASSKEY) from None


class SignInPasskeyForm(_Wary, AuthenticateWebAuthnForm):  # type: ignore[misc]  # allauth ships no types
    """A passkey after the password."""


class StepUpPasskeyForm(_Wary, ReauthenticateWebAuthnForm):  # type: ignore[misc]  # allauth ships no types
    """A passkey that shows again who sits there."""


class PasskeyAloneForm(_Wary, LoginWebAuthnForm):  # type: ignore[misc]  # allauth ships no types
    """A passkey in place of name and password."""


class NewPasskeyForm(_Sent, AddWebAuthnForm):  # type: ignore[misc]  # allauth ships no types
    """A passkey that is being set up."""

    def clean(self) -> dict[str, Any]:
        """Read it whole. Raises ValidationError for whatever is none."""
        try:
            return cast("dict[str, Any]", super().clean())
        except ValidationError:
            raise
        except _MALFORMED:
            raise ValidationError(_NO_PASSKEY) from None
