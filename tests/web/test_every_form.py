"""Every form of every page, sent twice at once and once more later: one effect, and a calm answer to each."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from itertools import islice
from operator import attrgetter
from typing import Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.browser.markup import brought_in
from tests.browser.pages import ADMINISTRATOR, MANAGER, NOBODY, ON_CALL, PAGES, SUPPORT, Page
from tests.servers import ROOT, Servers
from tests.web.doubled import Marks, Pair
from tests.web.form_pairs import NAMED, PAIRS, Both
from tests.web.form_table import LINES, NOT_SENT, Line
from tests.web.forms import Attributes, Form
from tests.web.furnished import ADDRESS, Furnished, committed, furnished
from tests.web.malice import Malice, elsewhere
from tests.web.matrix import undone

_POSTS = re.compile(r'<form [^\n]*?method="post"([^\n]*?)">|formaction="([^\n]*?)" hx-post')
_NAMED = re.compile(r'{% url "([\w-]+)"')
_FILE = re.compile(r'(attachment; filename="[\w.-]+")?', re.ASCII)
# A part that a page swaps in has no heading of its own; a list's own links say what was asked, encoded.
_OURS = re.compile(r"0 h1|\w+ [\w-]+=/[\w/-]*\?[\w%+=&.~-]*", re.ASCII)
# Each page is read by whoever the inventory names; with FULL=1 by every role.
_FULL = os.environ.get("FULL") == "1"
_ROLES = (SUPPORT, ON_CALL, MANAGER, ADMINISTRATOR) if _FULL else ()
_STRIDE = 307  # of all that fields may hold; a prime, so that neither fields nor values are passed over
# Files and parts of pages: no page of the inventory, and read by people all the same.
DOWNLOADS = (
    "/incidents/{worked}/record.csv", "/incidents/{worked}/record.md", "/incidents/{worked}/record.json",
    "/incidents/{worked}/rule/", "/incidents/{worked}/replay/", "/incidents/{worked}/proof",
    "/entries/{entry}/proof", "/figures/stages.csv", "/trials/evaluations/{evaluation}.csv",
    "/trials/drill-runs/{drill_run}.csv", "/pulse/", "/queue/people/", "/log/checkpoint",
    "/endpoints/default/probed/", "/api/v1/incidents", "/api/v1/incidents.csv", "/api/v1/entries", "/find/",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of one form: the three answers, and what was left by two at once, then by the third."""

    statuses: tuple[int, int, int]
    together: str
    later: str


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a form stands, and who reads it there."""

    page: Page
    who: str
    form: Form
    button: Attributes


@pytest.fixture(scope="module")
def world(
    servers: Servers,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Furnished]:
    with (
        django_db_blocker.unblock(),
        committed(servers),
        furnished(servers, tmp_path_factory.mktemp("shop")) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def found(world: Furnished) -> dict[str, Stand]:
    """Each form that stands on a page, the first of its kind. Read before anything is sent."""
    seen: dict[str, Stand] = {}
    for page in PAGES:
        if not page.path.startswith("/looks/"):
            for who in dict.fromkeys((page.who, *(_ROLES if page.who else ()))):
                for form in world.forms(who, world.path(page.path)):
                    seen = {key: Stand(page, who, form, button) for key, button in form.called()} | seen
    return seen


@pytest.mark.parametrize("meant", PAIRS, ids=attrgetter("name"))
def test_of_two_people_at_once_each_sees_what_happened_and_by_whom(
    world: Furnished, found: dict[str, Stand], meant: Both
) -> None:
    """Each has the page open as it was before the other; `found` comes first, as it reads what stands."""
    sendings = []
    for one in (meant.first, meant.second):
        path = world.path(one.path)
        standing = _standing(world.forms(one.who, path), one.key)
        assert standing is not None, f"{one.who} finds no {one.key} on {path}"
        pairs = standing[0].filled(standing[1], one.given)
        sendings.append(partial(world.post, one.who, standing[0].address(standing[1]), pairs))
    marks = Marks()
    with closing(Pair()) as pair:
        answers = pair.at_once(*sendings)
    assert sorted(each.status_code for each in answers) == meant.statuses
    left = marks.left().split(", ")
    assert [each for each in meant.leaves.split(", ") if each not in left] == [], left
    assert not [each for each in left if " x" in each and not each.startswith(("write.", "approvals_"))], left
    for answer, one, other in zip(
        answers, (meant.first, meant.second), (meant.second, meant.first), strict=True
    ):
        if answer.status_code >= HTTPStatus.BAD_REQUEST:
            told = answer.content.decode()
            typed = [*one.given.values(), *(other.given.values() if meant.shows_both else ())]
            missing = [word for word in (NAMED[other.who], *typed) if str(word) not in told]
            assert missing == [], f"{one.who} is not told of {missing}"


@pytest.fixture(scope="module")
def sent(world: Furnished, found: dict[str, Stand]) -> dict[str, Sent | None]:
    """Send each line of the table, in its order."""
    marks, outcomes = Marks(), {}
    with closing(Pair()) as pair:
        for line in LINES:
            outcomes[line.key] = _send(world, pair, marks, line)
    return outcomes


def _send(world: Furnished, pair: Pair, marks: Marks, line: Line) -> Sent | None:
    path = world.path(line.path)
    standing = _standing(world.forms(line.who, path), line.key)
    if standing is None:
        return None
    form, button = standing
    given = {name: world.path(said) if isinstance(said, str) else said for name, said in line.given.items()}
    pairs, address = form.filled(button, given), form.address(button)

    def post() -> Any:
        return world.post(line.who, address, pairs, Referer=f"{ADDRESS}{path}")

    marks.left()
    first, second = pair.at_once(post, post)
    together = marks.left()
    third = post()
    world.words["last"] = first.headers.get("Location", "")
    return Sent((first.status_code, second.status_code, third.status_code), together, marks.left())


def _standing(forms: list[Form], key: str) -> tuple[Form, Attributes] | None:
    return next(((form, button) for form in forms for name, button in form.called() if name == key), None)


def test_every_form_of_every_page_has_its_line(found: dict[str, Stand]) -> None:
    known = {line.key for line in LINES} | set(NOT_SENT)
    new = {key: stand.page.name for key, stand in found.items() if key not in known}
    assert not new, f"Say in tests/web/form_table.py what these leave when they are sent twice: {new}"


def test_no_template_has_a_form_without_a_line() -> None:
    known = {key.partition(" ")[0] for key in (*NOT_SENT, *(line.key for line in LINES))}
    named = {
        name
        for file in (ROOT / "templates").rglob("*.html")
        for action in _POSTS.findall(file.read_text(encoding="utf-8"))
        for name in _NAMED.findall("".join(action))
    }
    assert {"note", "draft_keep", "rule_lift", "approval_decide"} <= named
    assert named - known == set()


@pytest.mark.parametrize("kind", ["typed", "malformed", "repeated"])
def test_what_means_harm_in_every_field_is_refused_or_stays_text(
    world: Furnished, found: dict[str, Stand], kind: str
) -> None:
    malice, faults = Malice(), []
    for key, stand in _share(found.items(), kind):
        address = stand.form.address(stand.button)
        with undone():
            pairs = getattr(malice, kind)(stand.form, stand.button)
            answer = world.post(stand.who, address, pairs, Referer=f"{ADDRESS}{world.path(stand.page.path)}")
            faults += [f"{key}: {fault}" for fault in _faults(answer)]
            if kind == "typed" and answer.status_code == HTTPStatus.FOUND:
                led = world.get(stand.who, answer.headers["Location"])
                faults += [f"{key}, then: {fault}" for fault in _faults(led)]
    assert faults == []


def test_what_means_harm_in_one_field_alone_is_refused_or_stays_text(
    world: Furnished, found: dict[str, Stand]
) -> None:
    """With every other field as it should be: a fault of one may hide behind the refusal of another."""
    malice, faults = Malice(), []
    every = ((key, stand, given) for key, stand in found.items() for given in malice.alone(stand.form))
    for key, stand, (name, said) in islice(every, 0, None, 1 if _FULL else _STRIDE):
        address = stand.form.address(stand.button)
        pairs = stand.form.filled(stand.button, {name: said})
        with undone():
            answer = world.post(stand.who, address, pairs, Referer=f"{ADDRESS}{world.path(stand.page.path)}")
            faults += [f"{key}, {name}={said[:80]!r}: {fault}" for fault in _faults(answer)]
    assert faults == []


@pytest.mark.parametrize("kind", ["query", "broken_query"])
def test_what_means_harm_in_every_address_is_refused_or_stays_text(world: Furnished, kind: str) -> None:
    malice, faults = Malice(), []
    routes = {page.path.partition("?")[0]: page for page in PAGES if not page.path.startswith("/looks/")}
    paths = {world.path(path): page.who for path, page in routes.items()}
    paths |= {world.path(path): ADMINISTRATOR for path in DOWNLOADS}
    for path, who in _share(paths.items(), kind):
        asked = [f"{path}?{getattr(malice, kind)()}", *(elsewhere(path) if kind == "broken_query" else ())]
        for address in asked:
            with undone():
                faults += [f"{address[:80]}: {fault}" for fault in _faults(world.get(who, address))]
    assert faults == []


def _share(items: Iterable[Any], kind: str) -> list[Any]:
    """All of them for typed text and with FULL=1; else each second one, which the next kind leaves out."""
    every = list(items)
    return every if kind == "typed" or _FULL else every[kind in ("repeated", "broken_query") :: 2]


def _faults(answer: Any) -> list[str]:
    """What is wrong with an answer: an error of ours, a way out, a header broken in two, markup of others."""
    headers = answer.headers
    place, file = headers.get("Location", "/"), headers.get("Content-Disposition", "")
    faults = [f"answered {answer.status_code}"] * (answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR)
    faults += [f"led to {place[:80]!r}"] * (not re.match(r"/(?![/\\])", place))
    faults += [f"names a file {file!r}"] * (not _FILE.fullmatch(file))
    if headers.get("Content-Type", "").startswith("text/html") and not answer.streaming:
        read = brought_in(answer.content.decode())
        faults += [f"{answer.status_code}: {one}" for one in read if not _OURS.fullmatch(one)]
        faults += ["has no policy"] * ("Content-Security-Policy" not in headers)
    return faults


@pytest.mark.parametrize("line", LINES, ids=attrgetter("key"))
def test_sent_twice_it_is_done_once(sent: dict[str, Sent | None], line: Line) -> None:
    was = sent[line.key]
    assert was is not None, f"No such form stands on {line.path} any more."
    assert (was.together, was.later) == (line.leaves, "")
    refused = [status for status in was.statuses if status >= (500 if line.who == NOBODY else 400)]
    assert refused == [], f"answered {was.statuses}"
