"""Whatever is written into names of people, teams, tokens and browsers is only text on the account pages."""

from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.utils import timezone

from accounts import invitations
from accounts.models import Invitation, Team, User
from accounts.roles import Role
from tests.web.hostile import TEXTS
from tests.web.pages import MakeUser, text_of
from tests.web.signing import fresh
from tests.web.test_csp import assert_clean

pytestmark = pytest.mark.django_db


def test_hostile_text_is_only_text_on_every_account_page(make_user: MakeUser) -> None:
    team = Team.objects.create(name="x", slug="payments")
    root = make_user("root", role=Role.ADMINISTRATOR, teams=[team])
    client = fresh(root, method="mfa", type="webauthn")
    invitation, secret = invitations.invite(
        "new@example.com", role=Role.SUPPORT, team=team, by=root, now=timezone.now()
    )
    session = UserSession.objects.create(user=root, ip="192.0.2.1", session_key=client.session.session_key)
    Authenticator.objects.create(user=root, type="webauthn", data={"name": "x"})
    paths = [
        "/account/", "/account/security/", "/account/sessions/", "/account/tokens/", "/people/",
        f"/people/{root.pk}/", "/people/teams/", "/people/teams/payments/", "/people/invitations/",
        f"/invitations/{secret}/",
    ]  # fmt: skip
    for text in TEXTS.values():
        Team.objects.filter(pk=team.pk).update(name=text[:80])
        User.objects.filter(pk=root.pk).update(first_name=text[:150], email=text[:254], username=text[:150])
        UserSession.objects.filter(pk=session.pk).update(user_agent=text[:200])
        Authenticator.objects.update(data={"name": text})
        Invitation.objects.filter(pk=invitation.pk).update(
            email=text[:254], made_at=timezone.now() - timedelta(1)
        )
        for path in paths:
            response = client.get(path)
            assert response.status_code in (200, 302), path
            assert_clean(text_of(response), path)
