"""How a person shows who they are: password, authenticator app, passkeys, recovery codes."""

import json
from typing import Any

from allauth.mfa.base.internal.flows import post_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.views import GenerateRecoveryCodesView, ViewRecoveryCodesView
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView, EditWebAuthnView, RemoveWebAuthnView
from allauth.socialaccount.models import SocialAccount
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from accounts import secondfactors, services, sessions
from accounts.access import person
from accounts.forms import ChangePasswordForm
from accounts.views import OWN
from audit import writing


@require_safe
@never_cache
def show(request: HttpRequest) -> HttpResponse:
    """Everything that opens the account, and what is missing."""
    user = person(request)
    context = {
        **OWN,
        "here": "security",
        "factors": secondfactors.of_person(user),
        "links": list(SocialAccount.objects.filter(user_id=user.pk)),
    }
    return render(request, "accounts/security.html", context)


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """Change the password; all other sessions end."""
    user = person(request)
    form = ChangePasswordForm(request.POST or None, person=user)
    if request.method == "POST" and form.is_valid():
        try:
            services.checked_password(
                request, name=user.username, password=form.cleaned_data["current"], now=timezone.now()
            )
        except services.SignInRefused:
            form.add_error("current", "That is not your password.")
        except services.TooManyAttempts as refusal:
            form.add_error("current", str(refusal))
        else:
            old_key = request.session.session_key
            with transaction.atomic():
                user.set_password(form.cleaned_data["password"])
                user.save(update_fields=["password"])
                sessions.end_all(user, by=user, but=old_key)
                writing.write("password.changed", {"username": user.username}, actor=user.actor)
            update_session_auth_hash(request, user)
            sessions.list_under_new_key(request, user, old_key=old_key)
            messages.success(request, "The password is changed. Your other sessions have ended.")
            return redirect("security")
    context = {**OWN, "here": "security", "form": form}
    return render(request, "accounts/password.html", context, status=422 if form.errors else 200)


class Refusing:
    """A form that was refused answers 422, as every form here does."""

    def form_invalid(self, form: Any) -> HttpResponse:
        """Show the form again with what was wrong."""
        response: HttpResponse = super().form_invalid(form)  # type: ignore[misc]  # allauth's view comes next
        response.status_code = 422
        return response


class Proving(Refusing):
    """Whoever has just set a second factor up has shown it: they need not show it again for the codes."""

    kind: str
    request: HttpRequest

    def form_valid(self, form: Any) -> HttpResponse:
        """Count what was set up as shown."""
        response: HttpResponse = super().form_valid(form)  # type: ignore[misc]  # allauth's view comes next
        newest = Authenticator.objects.filter(user_id=self.request.user.pk, type=self.kind).latest("pk")
        post_authentication(self.request, newest, reauthenticated=True)
        return response


class AddApp(Proving, ActivateTOTPView):  # type: ignore[misc]  # allauth ships no types
    """Set up an authenticator app: its picture, its key in letters, and a first code."""

    kind = Authenticator.Type.TOTP
    template_name = "accounts/app_add.html"
    extra_context = {**OWN, "here": "security"}


class RemoveApp(Refusing, DeactivateTOTPView):  # type: ignore[misc]  # allauth ships no types
    """Take the authenticator app away."""

    template_name = "accounts/app_remove.html"
    extra_context = {**OWN, "here": "security"}


class AddPasskey(Proving, AddWebAuthnView):  # type: ignore[misc]  # allauth ships no types
    """Set up a passkey. The browser makes it; without script the page says so."""

    kind = Authenticator.Type.WEBAUTHN
    template_name = "accounts/passkey_add.html"

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """Add what the browser is asked for, and the form that was refused."""
        context: dict[str, Any] = super().get_context_data(**more)
        context.setdefault("form", more.get("form") or self.get_form())
        context["options"] = json.dumps(context["js_data"]["creation_options"])
        return {**context, **OWN, "here": "security"}


class RenamePasskey(Refusing, EditWebAuthnView):  # type: ignore[misc]  # allauth ships no types
    """Give a passkey another name."""

    template_name = "accounts/passkey_rename.html"
    extra_context = {**OWN, "here": "security"}


class RemovePasskey(RemoveWebAuthnView):  # type: ignore[misc]  # allauth ships no types
    """Take a passkey away."""

    template_name = "accounts/passkey_remove.html"
    extra_context = {**OWN, "here": "security"}


class ShowCodes(ViewRecoveryCodesView):  # type: ignore[misc]  # allauth ships no types
    """The recovery codes, readable once."""

    template_name = "accounts/codes.html"
    extra_context = {**OWN, "here": "security"}


class NewCodes(Refusing, GenerateRecoveryCodesView):  # type: ignore[misc]  # allauth ships no types
    """Make new recovery codes; the old ones end."""

    template_name = "accounts/codes_new.html"
    extra_context = {**OWN, "here": "security"}
