"""Show again who you are, then go back to where you came from."""

import json
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.webauthn.internal import auth as webauthn
from allauth.mfa.webauthn.internal import flows as passkeys
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import secondfactors, services, throttle
from accounts.access import person, repeats, safe_target
from accounts.secondfactor import StepUpCodeForm, StepUpPasskeyForm
from audit import writing


@never_cache
@sensitive_post_parameters("password", "code", "credential")
@require_http_methods(["GET", "HEAD", "POST"])
@repeats
def step_up(request: HttpRequest) -> HttpResponse:
    """Take a passkey, a code or a password; a password only of who has nothing else, where it suffices."""
    given = request.POST if request.method == "POST" else request.GET
    target = safe_target(request, given.get("next", ""))
    factors = secondfactors.of_person(person(request))
    is_strong = given.get("for") == "strong"
    takes_password = not is_strong and not factors.is_set_up
    refusal = ""
    if request.method == "POST":
        refusal = _shown(request, takes_password=takes_password)
        if not refusal:
            return HttpResponseRedirect(target)
    context = {
        "next": target,
        "factors": factors,
        "is_strong": is_strong,
        "takes_password": takes_password,
        "refusal": refusal,
        "options": json.dumps(webauthn.begin_authentication(person(request))) if factors.passkeys else "",
    }
    return render(request, "accounts/step_up.html", context, status=422 if refusal else 200)


def _shown(request: HttpRequest, *, takes_password: bool) -> str:
    """Look at what was shown and record it; the reason in words where it is not enough."""
    user = person(request)
    if "credential" in request.POST:
        form = StepUpPasskeyForm(user=user, data=request.POST)
        if not form.is_valid():
            told = {"username": user.username, "address": throttle.address_of(request)}
            writing.write(
                "session.refused", {**told, "reason": "the passkey is not theirs"}, actor=user.actor
            )
            return _first_error(form)
        passkeys.reauthenticate(request, form.cleaned_data["credential"])
        return ""
    if "code" in request.POST:
        form = StepUpCodeForm(user=user, data=request.POST)
        if not form.is_valid():
            return _first_error(form)
        form.save()
        return ""
    if not takes_password:
        return "A password is not enough here. Use a passkey or a code of your authenticator app."
    try:
        services.checked_password(
            request, name=user.username, password=request.POST.get("password", ""), now=timezone.now()
        )
    except services.SignInRefused:
        return "That is not your password."
    except services.TooManyAttempts as refusal:
        return str(refusal)
    record_authentication(request, user, "password", reauthenticated=True)
    writing.write("session.confirmed", {"username": user.username, "method": "password"}, actor=user.actor)
    return ""


def _first_error(form: Any) -> str:
    return next((str(error) for errors in form.errors.values() for error in errors), "That was not right.")
