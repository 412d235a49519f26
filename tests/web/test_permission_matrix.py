"""Who may ask what: every address by every role, another team, nobody and a token; printed in the docs."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from accounts.permissions import GRANTED, Permission
from accounts.roles import Role
from tests.web.matrix import MARK, METHODS, VISITORS, Walked, undone, walk

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "permissions.md"
_TABLE = re.compile(r"(<!-- table -->\n).*?(<!-- end -->)", re.DOTALL)
_ROLES = re.compile(r"(<!-- roles -->\n).*?(<!-- end of roles -->)", re.DOTALL)

# Whoever comes here shows something else than a session: a password, a link's secret, a sender's secret.
OPEN = {
    "/healthz",
    "/metrics",
    "/.well-known/oauth-protected-resource/mcp",
    "/hooks/<slug:slug>/",
    "/sign-in/",
    "/sign-in/second-factor/",
    "/sign-in/passkey/",
    "/sign-in/<slug:provider_id>/start/",
    "/sign-in/<slug:provider_id>/done/",
    "/sign-out/",
    "/theme/",
    "/invitations/<str:secret>/",
    "/new-password/<int:number>/<str:code>/",
}
# What one team has and another must not know of, by the beginning of its address.
OF_A_TEAM = (
    "/incidents/<int:number>/",
    "/entries/<int:number>",
    "/deliveries/<int:number>/",
    "/asks/<int:number>/",
    "/approvals/<int:number>/",
)


@pytest.fixture(scope="module")
def walked(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Walked]:
    with django_db_blocker.unblock(), undone():
        yield walk()


def words(walked: Walked, visitor: str, method: str) -> dict[str, str]:
    return {route: walked.cells[route, method, visitor].word for route in walked.routes()}


def others(allowed: set[str]) -> set[str]:
    """Return the addresses that are neither open to all nor of one's own account and look of the queue."""
    own = ("/account/", "/step-up/", "/queue/columns/", "/queue/views/")
    return {route for route in allowed - OPEN if not route.startswith(own)}


def test_no_address_breaks(walked: Walked) -> None:
    assert {key: cell.status for key, cell in walked.cells.items() if cell.status >= 500} == {}


@pytest.mark.parametrize("method", METHODS)
def test_nobody_gets_anything_without_signing_in(walked: Walked, method: str) -> None:
    found = words(walked, "nobody", method)
    assert {route for route, word in found.items() if word in ("yes", "no", "show again")} <= OPEN
    hidden = {route for route, word in found.items() if word == "404"} - OPEN
    assert all(route.startswith("/api/") for route in hidden), hidden


@pytest.mark.parametrize("method", METHODS)
def test_another_team_knows_of_nothing(walked: Walked, method: str) -> None:
    """404 and nothing else: 403 would say that it is there."""
    for route, word in words(walked, "another team", method).items():
        if route.startswith(OF_A_TEAM):
            assert word in ("404", "–", "no"), (method, route, word)
            own = walked.cells[route, method, "support"].word
            assert word != "no" or own == "no", f"{method} {route} tells that it is there"


def test_no_page_of_anybody_else_shows_what_another_team_has(walked: Walked) -> None:
    link = re.compile(rf"/incidents/{walked.incident}\b")
    for (route, method, visitor), cell in walked.cells.items():
        if visitor in ("nobody", "no role", "another team"):
            assert MARK not in cell.text, (method, route, visitor)
            assert not link.search(cell.text), (method, route, visitor)


def test_the_team_itself_sees_it(walked: Walked) -> None:
    """Without this the tests above would hold for a page that shows nothing to anybody."""
    for visitor in ("support", "on-call", "manager", "administrator", "auditor"):
        assert MARK in walked.cells["/", "GET", visitor].text
        assert MARK in walked.cells["/incidents/<int:number>/", "GET", visitor].text
        assert walked.cells["/entries/<int:number>/", "GET", visitor].word == "yes"
        assert walked.cells["/deliveries/<int:number>/", "GET", visitor].word == "yes"


def test_an_auditor_changes_nothing_but_their_own_account(walked: Walked) -> None:
    allowed = {route for route, word in words(walked, "auditor", "POST").items() if word == "yes"}
    assert others(allowed) == set()


def test_a_person_without_a_role_has_their_own_account_and_no_more(walked: Walked) -> None:
    for method in METHODS:
        allowed = {route for route, word in words(walked, "no role", method).items() if word == "yes"}
        assert {
            route for route in allowed - OPEN if not route.startswith(("/account/", "/step-up/"))
        } == set()


def test_people_are_an_administrators(walked: Walked) -> None:
    for (route, method, visitor), cell in walked.cells.items():
        if route.startswith("/people/") and visitor not in ("administrator", "nobody", "token"):
            assert cell.word in ("no", "–"), (method, route, visitor)


def test_a_token_opens_the_api_alone(walked: Walked) -> None:
    """So none can decide an approval, change a role or make another token: those have no address there."""
    for method in METHODS:
        allowed = {route for route, word in words(walked, "token", method).items() if word in ("yes", "no")}
        assert {route for route in allowed - OPEN if not route.startswith("/api/")} == set()
        for route in walked.routes():
            if route.startswith("/api/") and any(
                word in route for word in ("approv", "decision", "role", "people")
            ):
                assert walked.cells[route, "POST", "token"].word != "yes", route


def test_no_address_takes_a_method_that_it_does_not_name(walked: Walked) -> None:
    refused = (401, 403, 404, 405)
    assert {key: cell.status for key, cell in walked.others.items() if cell.status not in refused} == {}


def test_a_page_of_another_site_sends_nothing_in_somebody_s_name(walked: Walked) -> None:
    """Where a session is what opens an address, a form without the token of a page is refused."""
    for route, cell in walked.unasked.items():
        with_it = walked.cells[route, "POST", "administrator"].status
        if with_it not in (401, 404, 405) and not route.startswith(("/api/", "/hooks/")):
            assert cell.status == 403, route


def test_no_cache_keeps_what_is_shown_to_somebody(walked: Walked) -> None:
    """Not even that something is refused, or not there: the same address answers each person otherwise."""
    for (route, method, visitor), cell in walked.cells.items():
        if route not in ("/healthz", "/metrics", "/.well-known/oauth-protected-resource/mcp"):
            assert "no-store" in cell.kept, (route, method, visitor, cell.status)


def test_the_docs_hold_this_table(walked: Walked) -> None:
    page = PAGE.read_text(encoding="utf-8")
    now = _TABLE.sub(lambda found: found.group(1) + table(walked) + found.group(2), page)
    now = _ROLES.sub(lambda found: found.group(1) + roles() + found.group(2), now)
    if os.environ.get("WRITE_DOCS") == "1":
        PAGE.write_text(now, encoding="utf-8")
    assert now == PAGE.read_text(encoding="utf-8"), (
        "The addresses have changed. Look at who may ask them, then write the table anew: "
        "WRITE_DOCS=1 python -m pytest tests/web/test_permission_matrix.py"
    )


def table(walked: Walked) -> str:
    lines = [
        f"| address | | {' | '.join(VISITORS)} |",
        f"| --- | --- |{' --- |' * len(VISITORS)}",
    ]
    for route in sorted(walked.routes()):
        for method in METHODS:
            cells = [walked.cells[route, method, visitor].word for visitor in VISITORS]
            if set(cells) != {"–"}:
                lines.append(f"| `{route}` | {method} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def roles() -> str:
    lines = [f"| may | {' | '.join(Role)} |", f"| --- |{' --- |' * len(Role)}"]
    for permission in Permission:
        held = ["yes" if permission in GRANTED[role] else "" for role in Role]
        lines.append(f"| `{permission.codename}` | {' | '.join(held)} |")
    return "\n".join(lines) + "\n"
