"""Sign in, sign out, and the look that a browser remembers."""

import re
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from accounts import services
from accounts.forms import SignInForm, ThemeForm

# A move's own address answers POST only; who was sent to sign in from it comes back to the incident.
_MOVE = re.compile(r"^(/incidents/\d+/)[a-z]+/$")
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
    target = _safe(request, request.POST.get("next") or request.GET.get("next") or "")
    if request.user.is_authenticated:
        return HttpResponseRedirect(target)
    form = SignInForm(request.POST or None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                services.sign_in(
                    request,
                    name=form.cleaned_data["username"],
                    password=form.cleaned_data["password"],
                    now=timezone.now(),
                )
            except services.SignInRefused as refusal:
                form.add_error(None, str(refusal))
            except services.TooManyAttempts as refusal:
                form.add_error(None, str(refusal))
                status = 429
            else:
                return HttpResponseRedirect(target)
    return render(request, "accounts/sign_in.html", {"form": form, "next": target}, status=status)


@login_not_required
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session and go to the sign-in page."""
    services.sign_out(request)
    messages.success(request, "You are signed out.")
    return redirect("sign-in")


@login_not_required
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Remember light, dark or the system's look in a cookie, and go back."""
    form = ThemeForm(request.POST)
    response = HttpResponseRedirect(_safe(request, request.POST.get("next", "")))
    if form.is_valid():
        response.set_cookie("theme", form.cleaned_data["theme"], max_age=_YEAR_SECONDS, samesite="Lax")
    return response


def _safe(request: HttpRequest, target: str) -> str:
    if not url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return settings.LOGIN_REDIRECT_URL
    return _MOVE.sub(r"\1", target)
