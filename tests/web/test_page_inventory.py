"""No page is left out of what the browser looks at: each GET stands in one of two lists."""

import re

from tests.browser.pages import NO_PAGE, PAGES
from tests.web.matrix import routes
from tests.web.test_permission_matrix import PAGE as PERMISSIONS

_PIECE = re.compile(r"<(?:(\w+):)?\w+>")
_PIECES = {"int": r"(?:\d+|\{\w+\})"}
_WITHOUT_GET = re.compile(r"^\| `([^`]+)` \| (GET|POST) \|", re.MULTILINE)


def is_looked_at(route: str) -> bool:
    pieces = (re.escape(piece) for piece in _PIECE.split(route)[::2])
    kinds = [_PIECES.get(kind or "str", r"[^/]+") for kind in _PIECE.findall(route)]
    address = re.compile("".join(a + b for a, b in zip(pieces, [*kinds, ""], strict=True)))
    return any(address.fullmatch(page.path.partition("?")[0]) for page in PAGES)


def is_no_page(route: str) -> bool:
    """A beginning ends with a slash and holds nothing to fill; anything else is the whole address."""
    return any(
        route == address or (address.endswith("/") and "<" not in address and route.startswith(address))
        for address in NO_PAGE
    )


def answers_get() -> list[str]:
    """Every address but those that the printed table knows to take a POST alone."""
    rows = set(_WITHOUT_GET.findall(PERMISSIONS.read_text(encoding="utf-8")))
    return [route for route in routes() if (route, "GET") in rows or (route, "POST") not in rows]


def test_the_table_of_addresses_is_read() -> None:
    found = answers_get()
    assert {"/", "/incidents/<int:number>/", "/rules/"} <= set(found)
    assert "/incidents/<int:number>/close/" not in found
    assert not is_looked_at("/people/<int:number>/nowhere/")


def test_every_page_is_looked_at_or_is_no_page() -> None:
    missing = [route for route in answers_get() if not is_looked_at(route) and not is_no_page(route)]
    assert not missing, (
        f"Nobody looks at {', '.join(missing)} in a browser. Add a line for each to PAGES in "
        f'tests/browser/pages.py, such as Page("a-name", "{_PIECE.sub("{word}", missing[0])}"), and what '
        "fills its words to tests/browser/furniture.py. Where it answers no page, add it to NO_PAGE there, "
        "with the reason."
    )


def test_no_line_stands_for_an_address_that_is_gone() -> None:
    for address in NO_PAGE:
        assert any(is_no_page(route) and route.startswith(address) for route in routes()), address


def test_no_two_pages_share_a_picture() -> None:
    names = [page.name for page in PAGES]
    assert len(names) == len(set(names))
