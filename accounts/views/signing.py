"""Sign in, the second factor, a passkey alone, sign out, and the look that a browser remembers."""

import json
from typing import Any, cast
from urllib.parse import urlencode

from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.webauthn.views import LoginWebAuthnView
from allauth.socialaccount.providers.openid_connect import views as openid_connect
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails
from requests import RequestException

from accounts import services, singlesignon, throttle
from accounts.access import repeats, safe_target
from accounts.forms import SignInForm, ThemeForm
from accounts.models import User

_YEAR_SECONDS = 365 * 24 * 3600


@login_not_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """The sign-in page. A part of a page that finds its session gone sends the whole page here."""
    htmx = getattr(request, "htmx", None)
    if isinstance(htmx, HtmxDetails) and htmx:
        here = htmx.current_url_abs_path or "/"
        return HttpResponseClientRedirect(f"{settings.LOGIN_URL}?{urlencode({'next': here})}")
    target = safe_target(request, request.POST.get("next") or request.GET.get("next") or "")
    if request.user.is_authenticated:
        return HttpResponseRedirect(target)
    form = SignInForm(request.POST or None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                return services.sign_in(
                    request,
                    name=form.cleaned_data["username"],
                    password=form.cleaned_data["password"],
                    target=target,
                    now=timezone.now(),
                )
            except services.SignInRefused as refusal:
                form.add_error(None, str(refusal))
            except services.TooManyAttempts as refusal:
                form.add_error(None, str(refusal))
                status = 429
    context = {"form": form, "next": target, "sso": settings.SSO_NAME if settings.SSO_ISSUER else ""}
    return render(request, "accounts/sign_in.html", context, status=status)


class SecondFactor(AuthenticateView):  # type: ignore[misc]  # allauth ships no types
    """The step after the password, for who has set up an app or a passkey."""

    template_name = "accounts/second_factor.html"

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """Add what the passkey button needs, and the status of a code that was refused."""
        context: dict[str, Any] = super().get_context_data(**more)
        context["options"] = json.dumps(context.get("js_data", {}).get("request_options"))
        return context

    def form_invalid(self, form: Any) -> HttpResponse:
        """Show the page again, as refused."""
        response: HttpResponse = super().form_invalid(form)
        response.status_code = 422
        return response


class PasskeySignIn(LoginWebAuthnView):  # type: ignore[misc]  # allauth ships no types
    """Sign in by a passkey alone: it is something one has, and asks for a finger or a PIN."""

    def form_invalid(self, form: Any) -> HttpResponse:
        """Say on the sign-in page that the passkey was not accepted."""
        address = throttle.address_of(self.request)
        singlesignon.write_refusal(address, "the passkey opens no account")
        messages.error(
            self.request, "This passkey opens no account here. Sign in with your name and password."
        )
        return redirect("sign-in")


@login_not_required
@never_cache
@require_safe
def to_provider(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Go to the identity provider; one that cannot be reached is said in words."""
    return _single_sign_on(request, openid_connect.login, provider_id)


@login_not_required
@never_cache
@require_safe
def from_provider(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Take the identity provider's answer; one that cannot be read is said in words."""
    return _single_sign_on(request, openid_connect.callback, provider_id)


def _single_sign_on(request: HttpRequest, step: Any, provider_id: str) -> HttpResponse:
    try:
        return cast("HttpResponse", step(request, provider_id))
    except (KeyError, TypeError, ValueError, RequestException):
        words = f"The sign-in with {settings.SSO_NAME} did not finish. Try again."
        singlesignon.write_refusal(throttle.address_of(request), words)
        messages.error(request, words)
        return redirect("sign-in")


@login_not_required
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session and go to the sign-in page."""
    services.sign_out(request)
    messages.success(request, "You are signed out.")
    return redirect("sign-in")


@login_not_required
@require_POST
@repeats
def theme(request: HttpRequest) -> HttpResponse:
    """Remember light, dark or the system's look, in a cookie and with the account, and go back."""
    form = ThemeForm(request.POST)
    response = HttpResponseRedirect(safe_target(request, request.POST.get("next", "")))
    if form.is_valid():
        chosen = form.cleaned_data["theme"]
        response.set_cookie("theme", chosen, max_age=_YEAR_SECONDS, samesite="Lax")
        if request.user.is_authenticated:
            User.objects.filter(pk=request.user.pk).update(theme=chosen)
    return response
