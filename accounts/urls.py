"""The addresses of signing in, of one's own account, and of people and teams."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import after_stepup
from accounts.views import invitations, own, people, security, signing, stepup, tokens

# Those of allauth would take PUT for POST.
_by_page = require_http_methods(["GET", "HEAD", "POST"])


def _guarded(view: Any) -> Callable[..., HttpResponse]:
    """A change of what opens the account: after a step-up, and with its entry or not at all."""
    guarded: Callable[..., HttpResponse] = _by_page(
        never_cache(after_stepup(transaction.atomic(view.as_view())))
    )
    return guarded


urlpatterns = [
    path("sign-in/", signing.sign_in, name="sign-in"),
    path("sign-in/", signing.sign_in, name="account_login"),
    path("sign-in/second-factor/", _by_page(signing.SecondFactor.as_view()), name="mfa_authenticate"),
    path(
        "sign-in/passkey/",
        _by_page(login_not_required(signing.PasskeySignIn.as_view())),
        name="mfa_login_webauthn",
    ),
    path("sign-in/<slug:provider_id>/start/", _by_page(signing.to_provider), name="openid_connect_login"),
    path("sign-in/<slug:provider_id>/done/", _by_page(signing.from_provider), name="openid_connect_callback"),
    path("sign-out/", signing.sign_out, name="sign-out"),
    path("theme/", signing.theme, name="theme"),
    path("step-up/", stepup.step_up, name="step-up"),
    path("invitations/<str:secret>/", invitations.accept, name="invitation"),
    path("new-password/<int:number>/<str:code>/", invitations.new_password, name="new-password"),
    # One's own account.
    path("account/", own.profile, name="profile"),
    path("account/sessions/", own.show_sessions, name="sessions"),
    path("account/sessions/end-others/", own.end_other_sessions, name="sessions_end_others"),
    path("account/sessions/<int:number>/end/", own.end_session, name="session_end"),
    path("account/tokens/", tokens.show_all, name="tokens"),
    path("account/tokens/<slug:name>/revoke/", tokens.revoke, name="token_revoke"),
    path("account/security/", security.show, name="security"),
    path("account/security/", security.show, name="mfa_index"),
    path("account/security/", security.show, name="mfa_list_webauthn"),
    path("account/security/", security.show, name="socialaccount_connections"),
    path("account/security/password/", security.password, name="password"),
    path("account/security/app/", _guarded(security.AddApp), name="mfa_activate_totp"),
    path("account/security/app/remove/", _guarded(security.RemoveApp), name="mfa_deactivate_totp"),
    path("account/security/passkeys/add/", _guarded(security.AddPasskey), name="mfa_add_webauthn"),
    path(
        "account/security/passkeys/<int:pk>/rename/",
        _guarded(security.RenamePasskey),
        name="mfa_edit_webauthn",
    ),
    path(
        "account/security/passkeys/<int:pk>/remove/",
        _guarded(security.RemovePasskey),
        name="mfa_remove_webauthn",
    ),
    path("account/security/codes/", _guarded(security.ShowCodes), name="mfa_view_recovery_codes"),
    path("account/security/codes/new/", _guarded(security.NewCodes), name="mfa_generate_recovery_codes"),
    # People and teams.
    path("people/", people.show_all, name="people"),
    path("people/invitations/", invitations.show_all, name="invitations"),
    path("people/invitations/<int:number>/withdraw/", invitations.withdraw, name="invitation_withdraw"),
    path("people/teams/", people.teams, name="teams"),
    path("people/teams/<slug:slug>/", people.team, name="team"),
    path("people/<int:number>/", people.show, name="person"),
    path("people/<int:number>/end-sessions/", people.end_sessions, name="person_end_sessions"),
    path(
        "people/<int:number>/take-second-factors/",
        people.take_second_factors,
        name="person_take_second_factors",
    ),
    path("people/<int:number>/password-link/", people.password_link, name="person_password_link"),
]
