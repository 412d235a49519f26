"""Invitations, and the two public pages that a link opens: a new account, a new password."""

import smtplib
from typing import cast

from allauth.account.utils import perform_login
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import get_connection, send_mail
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from accounts import invitations, sessions
from accounts.access import after_stepup, person, requires
from accounts.forms import AcceptForm, InviteForm, NewPasswordForm
from accounts.models import Invitation, User
from accounts.permissions import Permission
from accounts.roles import Role
from accounts.views import PEOPLE
from audit import writing

_SHOWN = 100
_MAIL_SECONDS = 5
_GONE = (
    "This link is used, withdrawn or too old. If you used it a moment ago, sign in. "
    "Else ask an administrator for another one."
)


@never_cache
@sensitive_variables("link", "secret")
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.MANAGE_PEOPLE)
@after_stepup
def show_all(request: HttpRequest) -> HttpResponse:
    """The invitations and a form for one more; the link of a new one is shown this once."""
    form = InviteForm(request.POST or None)
    link = ""
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        try:
            invitation, secret = invitations.invite(
                wanted["email"], role=Role(wanted["role"]), team=wanted["team"],
                by=person(request), now=timezone.now(),
            )  # fmt: skip
        except invitations.InvitationRefused as refusal:
            form.add_error("email", str(refusal))
        else:
            link = f"{settings.BASE_URL}{reverse('invitation', args=[secret])}"
            if wanted["is_sent"]:
                _send(request, invitation, link)
            form = InviteForm()
    context = {
        **PEOPLE,
        "here": "invitations",
        "form": form,
        "link": link,
        "now": timezone.now(),
        "invitations": Invitation.objects.select_related("team", "made_by", "accepted_by")[:_SHOWN],
    }
    return render(request, "accounts/invitations.html", context, status=422 if form.errors else 200)


@require_POST
@requires(Permission.MANAGE_PEOPLE)
def withdraw(request: HttpRequest, number: int) -> HttpResponse:
    """End an invitation that nobody has used."""
    try:
        invitation = invitations.withdraw(number, by=person(request), now=timezone.now())
    except invitations.InvitationRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, f"The invitation of {invitation.email} is withdrawn.")
    return redirect("invitations")


@login_not_required
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest, secret: str) -> HttpResponse:
    """Make the account that one was invited to, and sign in."""
    invitation = invitations.behind(secret, timezone.now())
    if invitation is None:
        return render(request, "accounts/link_gone.html", {"words": _GONE}, status=404)
    form = AcceptForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        newcomer = invitations.Newcomer(wanted["username"], wanted["full_name"], wanted["password"])
        try:
            user = invitations.accept(invitation, newcomer, now=timezone.now())
        except invitations.InvitationRefused as refusal:
            form.add_error("username", str(refusal))
        else:
            return cast("HttpResponse", perform_login(request, user, redirect_url=reverse("security")))
    context = {"form": form, "invitation": invitation}
    return render(request, "accounts/accept.html", context, status=422 if form.errors else 200)


@login_not_required
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def new_password(request: HttpRequest, number: int, code: str) -> HttpResponse:
    """Set a new password with a link that an administrator made; it opens nothing a second time."""
    user = User.objects.filter(pk=number, is_active=True).first()
    if user is None or not default_token_generator.check_token(user, code):
        return render(request, "accounts/link_gone.html", {"words": _GONE}, status=404)
    form = NewPasswordForm(request.POST or None, person=user)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            user = User.objects.select_for_update().get(pk=user.pk)
            if not default_token_generator.check_token(user, code):
                raise Http404(_GONE)
            user.set_password(form.cleaned_data["password"])
            user.save(update_fields=["password"])
            writing.write("password.changed", {"username": user.username}, actor=user.actor)
            sessions.end_all(user, by=user)
        messages.success(request, "The new password is set. Sign in with it.")
        return redirect("sign-in")
    return render(
        request,
        "accounts/new_password.html",
        {"form": form, "person": user},
        status=422 if form.errors else 200,
    )


def _send(request: HttpRequest, invitation: Invitation, link: str) -> None:
    """Send the link; where that fails the administrator is told, and has the link on the page."""
    try:
        send_mail(
            "You are invited to Assay",
            f"{invitation.made_by} invites you to Assay as {invitation.role}.\n\n"
            "This link makes your account. It works once, "
            f"until {invitation.expires_at:%d %b %Y %H:%M} UTC:\n"
            f"{link}\n",
            None,
            [invitation.email],
            connection=get_connection(timeout=_MAIL_SECONDS),
        )
    except (OSError, smtplib.SMTPException):
        messages.error(request, "The mail could not be sent. Hand the link over yourself: it is below.")
    else:
        messages.success(request, f"The link is on its way to {invitation.email}.")
