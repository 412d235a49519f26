"""The palette: it knows every page that can be gone to, and leads nobody to one that refuses them."""

import pytest

from accounts.models import User
from accounts.roles import Role
from incidents import queue, queue_palette
from tests.browser.pages import PAGES
from tests.web.pages import MakeUser, signed_in

pytestmark = pytest.mark.django_db

# They are one step of what another page begins.
_WITHIN = {
    "/find/", "/step-up/", "/sign-in/", "/sign-in/second-factor/", "/nowhere/", "/invitations/gone/",
    "/account/security/app/", "/account/security/app/remove/", "/account/security/codes/",
    "/account/security/codes/new/", "/account/security/passkeys/add/",
    "/looks/400/", "/looks/403_csrf/", "/looks/429/", "/looks/500/", "/looks/503/", "/people/teams/platform/",
    "/rules/transient_upstream_timeout/", "/connectors/shop/",
}  # fmt: skip


def _hits(user: User) -> list[str]:
    return [hit.href for group in queue_palette.found(user, queue.sight(user), "") for hit in group.hits]


def test_every_page_without_a_number_is_found(make_user: MakeUser) -> None:
    paths = {page.path.partition("?")[0] for page in PAGES if "{" not in page.path.partition("?")[0]}
    found = {href.partition("?")[0] for href in _hits(make_user("root", role=Role.ADMINISTRATOR))}
    assert paths - _WITHIN - found == set()


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.AUDITOR])
def test_it_leads_nobody_to_a_page_that_refuses_them(make_user: MakeUser, role: Role) -> None:
    user = make_user("ada", role=role)
    client, hits = signed_in(user), _hits(user)
    assert "/account/" in hits
    refused = [href for href in hits if client.get(href).status_code not in (200, 302)]
    assert refused == []
