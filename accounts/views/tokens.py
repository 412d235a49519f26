"""Tokens: one's own, and for an administrator everybody's. A secret is shown once, when it is made."""

from datetime import timedelta
from typing import cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from accounts import tokens
from accounts.access import after_stepup, person
from accounts.forms import TokenForm
from accounts.models import Token, User
from accounts.permissions import Permission
from accounts.views import OWN

SCOPES = {
    tokens.Scope.INGEST: "hand in claims and deliveries",
    tokens.Scope.READ: "read incidents, entries, verdicts and rules",
    tokens.Scope.TOOLS: "ask tools",
    tokens.Scope.SUBMIT: "submit an investigation, close, assign and note",
}


@never_cache
@sensitive_variables("secret")
@require_http_methods(["GET", "HEAD", "POST"])
@after_stepup
def show_all(request: HttpRequest) -> HttpResponse:
    """The tokens, and a form for a new one whose secret is shown this once."""
    user = person(request)
    form = TokenForm(request.POST or None)
    allowed = [scope for scope in tokens.Scope if user.has_perm(tokens.NEEDS[scope])]
    cast("forms.MultipleChoiceField", form.fields["scopes"]).choices = [
        (scope.value, SCOPES[scope]) for scope in allowed
    ]
    made, secret = None, ""
    if request.method == "POST" and form.is_valid():
        try:
            made, secret = tokens.make(_wanted(form), owner=user, by=user.actor, now=timezone.now())
        except tokens.TokenNotMade as refusal:
            form.add_error(None, str(refusal))
    context = {
        **OWN,
        "here": "tokens",
        "form": form,
        "allowed": allowed,
        "tokens": _seen_by(user).select_related("owner").order_by("revoked_at", "expires_at"),
        "made": made,
        "secret": secret,
        "now": timezone.now(),
    }
    return render(request, "accounts/tokens.html", context, status=422 if form.errors else 200)


@require_POST
def revoke(request: HttpRequest, name: str) -> HttpResponse:
    """End a token for good; 404 for one that is somebody else's."""
    user = person(request)
    if not _seen_by(user).filter(name=name).exists():
        raise Http404(f"There is no token {name} of yours.")
    because = request.POST.get("because", "").strip()[:300] or "no reason given"
    try:
        tokens.revoke(name, by=user.actor, because=because, now=timezone.now())
    except tokens.TokenRefused as refusal:
        messages.error(request, refusal.reason.capitalize() + ".")
    else:
        messages.success(request, f"The token {name} opens nothing from now on.")
    return redirect("tokens")


def _wanted(form: TokenForm) -> tokens.Wanted:
    wanted = form.cleaned_data
    return tokens.Wanted(
        name=wanted["name"],
        scopes=wanted["scopes"],
        audience=settings.BASE_URL,
        lasts=timedelta(days=wanted["days"]),
        tools=wanted["tools"].split(),
    )


def _seen_by(user: User) -> QuerySet[Token]:
    if user.has_perm(Permission.MANAGE_PEOPLE):
        return Token.objects.all()
    return Token.objects.filter(owner=user)
