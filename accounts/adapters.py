"""Where allauth asks us: who may come in, what a session's beginning writes, how secrets are kept."""

import base64
import hashlib
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ImproperlyConfigured
from django.core.validators import validate_ipv46_address
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from accounts import browsers, services, singlesignon, throttle
from accounts.models import User

_NOT_SAID = frozenset({"account/messages/logged_in.txt", "account/messages/logged_out.txt"})
_YEAR_SECONDS = 365 * 24 * 3600


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth ships no types
    """Nobody registers; each session begins and ends with an entry; no mail leaves from here."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """People are invited."""
        return False

    def login(self, request: HttpRequest, user: User) -> None:
        """Open the session once every step of the sign-in is done."""
        services.open_session(request, user)

    def logout(self, request: HttpRequest) -> None:
        """End the session, with its entry."""
        services.sign_out(request)

    def post_login(self, request: HttpRequest, user: User, **more: Any) -> HttpResponse:
        """Let the browser be known to this person, and take on the look that they chose."""
        response: HttpResponse = super().post_login(request, user, **more)
        browsers.remember(request, response, user)
        if user.theme:
            response.set_cookie("theme", user.theme, max_age=_YEAR_SECONDS, samesite="Lax")
        return response

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Say what is wrong on the sign-in page."""
        messages.error(request, "This account is switched off. Ask an administrator.")
        return redirect("sign-in")

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **more: Any
    ) -> None:
        """Leave out what the page itself shows."""
        if message_template not in _NOT_SAID:
            super().add_message(request, level, message_template, *args, **more)

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        """Our own views stand behind `access.after_stepup`, which also says what is enough."""
        return False

    def get_reauthentication_methods(self, user: User) -> list[dict[str, str]]:
        """One page for all of them."""
        return [{"id": "step-up", "description": "Show who you are", "url": reverse("step-up")}]

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address of the connection; what stands for none where it has none."""
        address = throttle.address_of(request)
        try:
            validate_ipv46_address(address)
        except ValueError:
            return "0.0.0.0"  # noqa: S104 not bound to: it stands for "unknown" in a list of sessions
        return address

    def is_safe_url(self, url: str) -> bool:
        """Allow addresses of this host alone."""
        return url_has_allowed_host_and_scheme(url, allowed_hosts=None)


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth ships no types
    """Seeds of apps and recovery codes are kept encrypted with the SECRET_KEY."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "That was not right. An app's code is good for 30 seconds, once.",
    }

    def encrypt(self, text: str) -> str:
        """Return what the database keeps."""
        return _boxes().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the seed. Raises ImproperlyConfigured where the key is another one now."""
        try:
            return _boxes().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise ImproperlyConfigured(
                "SECRET_KEY: second factors were kept with another one. Put that one back, or "
                "let an administrator take the person's second factors away."
            ) from None

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return whom a passkey is made for: this host, by our name."""
        return {**super().get_public_key_credential_rp_entity(), "name": "Assay"}

    def _get_user_identifier(self, user: User) -> str:
        return user.username


class SingleSignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth ships no types
    """Whom the identity provider vouches for comes in only as an account that exists or is invited."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """People are invited."""
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Find whose account it is; a stranger is sent back with the reason."""
        if sociallogin.is_existing:
            return
        found = singlesignon.person_for(singlesignon.claim_of(sociallogin), timezone.now())
        if isinstance(found, str):
            self._refuse(request, found)
        else:
            sociallogin.connect(request, found)

    def on_authentication_error(self, request: HttpRequest, provider: Any, **more: Any) -> None:
        """Send whoever could not be signed in back to the page, in our words."""
        self._refuse(request, f"The sign-in with {settings.SSO_NAME} did not finish. Try again.")

    def _refuse(self, request: HttpRequest, reason: str) -> None:
        singlesignon.write_refusal(throttle.address_of(request), reason)
        messages.error(request, reason)
        raise ImmediateHttpResponse(HttpResponseRedirect(reverse("sign-in")))


def _boxes() -> MultiFernet:
    keys = [str(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    digests = [hashlib.sha256(b"second factors:" + key.encode()).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])
