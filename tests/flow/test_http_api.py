"""JSON APIs: pages that go on, answers that are errors, things that are hidden rather than missing."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay_core.results import Status
from tests.fakes.asking import Asking
from tests.fakes.families import FAMILIES, api
from tests.fakes.server import Asked, FakeServer, Reply, serving
from tests.fakes.toolboxes import ask, load
from toolbox import registry, schemas
from toolbox.connectors.base import Outcome
from toolbox.yamlfile import DefinitionError

ONE = FAMILIES["http"]
ROWS = replace(
    ONE,
    question="""\
    get: /repos/{owner}/{repo}/issues
    query: {state: {argument: state}, per_page: 3}
    control: /repos/{owner}/{repo}
    shape: rows
    page_size: 3
    fields: {number: number, author: "user.login?"}
    key: issues
""",
    properties="".join(f"\n        {name}: {{type: string}}" for name in ("owner", "repo", "state")),
    arguments={"owner": "assay", "repo": "shop", "state": "open"},
)
SHIPPED = Path(registry.__file__).parent / "definitions_shipped"


GOOD = {"number": 7, "state": "open", "user": {"login": "ada"}}


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asking:
    return Asking(tmp_path, monkeypatch)


def rows(count: int, **headers: str) -> Any:
    items = [{"number": index, "user": {"login": "ada"}} for index in range(count)]
    return lambda asked: Reply(body=items, headers=headers)


def test_one_thing_comes_with_its_declared_fields_and_no_others(asking: Asking) -> None:
    outcome = asking(ONE, api)
    assert outcome.status is Status.OBSERVED
    assert outcome.result == {"issue": {"number": 7, "state": "open", "author": "ada"}}
    assert outcome.covered == {"path": "/repos/assay/shop/issues/7", "page": 1}


def test_a_404_where_the_place_is_hidden_too_is_no_answer(asking: Asking) -> None:
    outcome = asking(ONE, api, number=8)
    assert outcome.status is Status.UNANSWERABLE
    assert "missing, or hidden" in outcome.reason


def test_a_404_in_a_place_that_is_there_is_empty(asking: Asking) -> None:
    def answer(asked: Asked) -> Reply:
        return Reply(body={}) if asked.path == "/repos/assay/shop" else Reply(404, {})

    outcome = asking(ONE, answer)
    assert (outcome.status, outcome.result) == (Status.EMPTY, {"issue": None})


@pytest.mark.parametrize("body", [{"error": "forbidden"}, {"ok": False}, {"errors": ["forbidden"]}])
def test_a_control_that_is_an_error_in_a_200_proves_nothing(asking: Asking, body: Any) -> None:
    def answer(asked: Asked) -> Reply:
        return Reply(body=body) if asked.path == "/repos/assay/shop" else Reply(404, {})

    assert asking(ONE, answer).status is Status.ERROR


def test_without_a_control_nothing_found_is_no_answer(asking: Asking) -> None:
    question = ONE.question.replace("    control: /repos/{owner}/{repo}\n", "")
    assert asking(replace(ONE, question=question), api, number=8).status is Status.UNANSWERABLE


def test_another_thing_than_asked_is_an_error(asking: Asking) -> None:
    body = {"number": 70, "state": "open", "user": {"login": "ada"}}
    outcome = asking(ONE, lambda asked: Reply(body=body))
    assert outcome.status is Status.ERROR
    assert "number='70'" in outcome.reason


@pytest.mark.parametrize(
    "body",
    [
        {"number": 7, "state": "open"}, {"number": 7, "state": "open", "user": "ada"},
        {"error": "too many"}, [],
        {**GOOD, "error": "too many"}, {**GOOD, "errors": [{"message": "forbidden"}]},
        {**GOOD, "ok": False}, {**GOOD, "success": False}, {**GOOD, "errors": {"state": "hidden"}},
    ],
)  # fmt: skip
def test_an_answer_without_a_declared_field_is_an_error(asking: Asking, body: Any) -> None:
    assert asking(ONE, lambda asked: Reply(body=body)).status is Status.ERROR


def test_what_is_asked_for_by_its_name_is_no_error_of_the_servers(asking: Asking) -> None:
    body = {**GOOD, "error": "out of memory", "success": False, "errors": 3}
    question = ONE.question.replace("state: state,", "state: error, done: success, count: errors,")
    outcome = asking(replace(ONE, question=question), lambda asked: Reply(body=body))
    assert outcome.status is Status.OBSERVED, outcome
    assert outcome.result["issue"]["state"] == "out of memory"


@pytest.mark.parametrize(
    "reply", [Reply(304, None), Reply(302, None, headers={"Location": ""}), Reply(201, GOOD)]
)
def test_what_answers_for_nothing_is_not_sought_elsewhere(asking: Asking, reply: Reply) -> None:
    outcome = asking(ONE, lambda asked: Reply(body=GOOD) if asked.path == "/" else reply)
    assert outcome.status is Status.ERROR, outcome
    assert asking.server is not None
    assert [asked.path for asked in asking.server.asked] == ["/repos/assay/shop/issues/7"]


@pytest.mark.parametrize(
    ("owner", "written"),
    [
        ("../../admin", "/repos/..%2F..%2Fadmin/shop/issues/7"),
        ("a?b=c#d", "/repos/a%3Fb%3Dc%23d/shop/issues/7"),
        ("a%2Fb", "/repos/a%252Fb/shop/issues/7"), ("ä b", "/repos/%C3%A4%20b/shop/issues/7"),
    ],
)  # fmt: skip
def test_an_argument_stays_one_segment(asking: Asking, owner: str, written: str) -> None:
    asking(ONE, api, owner=owner)
    assert asking.server is not None
    assert asking.server.asked[0].raw_path == written


@pytest.mark.parametrize("owner", ["..", ".", "", "a\nb", "a\x00b", "\ud800"])
def test_an_argument_that_would_be_another_path_is_refused(asking: Asking, owner: str) -> None:
    assert asking(ONE, api, owner=owner).status is Status.REFUSED
    assert asking.server is not None
    assert asking.server.asked == []


def test_a_list_is_whole_where_the_page_is_not_full(asking: Asking) -> None:
    outcome = asking(ROWS, rows(2))
    assert outcome.status is Status.OBSERVED
    assert outcome.covered == {"path": "/repos/assay/shop/issues", "page": 1, "scanned": 2}
    assert asking.server is not None
    assert asking.server.asked[0].query == {"state": ["open"], "per_page": ["3"]}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, Status.TRUNCATED),
        ({"Link": '<https://x/?page=2>; rel="next"'}, Status.TRUNCATED),
        ({"Link": '<https://x/?page=1>; rel="prev"'}, Status.OBSERVED),
        ({"Link": '<https://x/>; rel="next"; results="false"'}, Status.OBSERVED),
        ({"Link": '<https://x/>; rel="next"; results="true"'}, Status.TRUNCATED),
        ({"Link": '<https://x/?page=2>; rel="last next"'}, Status.TRUNCATED),
        ({"Link": "<https://x/?page=2>; REL=next"}, Status.TRUNCATED),
        ({"Link": '<https://x/?a=1,2>; rel="prev"\r\nLink: <https://x/>; rel="next"'}, Status.TRUNCATED),
        ({"Link": "</style.css>; rel=preload"}, Status.TRUNCATED),
    ],
)
def test_a_full_page_is_whole_only_where_the_server_says_so(
    asking: Asking, headers: dict[str, str], status: Status
) -> None:
    assert asking(ROWS, rows(3, **headers)).status is status


def test_an_empty_list_needs_its_control(asking: Asking) -> None:
    def answer(asked: Asked) -> Reply:
        return Reply(body=[]) if asked.path.endswith("/issues") else Reply(body={})

    assert asking(ROWS, answer).status is Status.EMPTY
    hidden = asking(ROWS, lambda asked: Reply(body=[]) if asked.path.endswith("/issues") else Reply(404, {}))
    assert hidden.status is Status.UNANSWERABLE


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"items": [{"number": 1}], "total_count": 1, "incomplete_results": False}, Status.OBSERVED),
        ({"items": [{"number": 1}], "total_count": 9, "incomplete_results": False}, Status.TRUNCATED),
        ({"items": [{"number": 1}], "total_count": 1, "incomplete_results": True}, Status.TRUNCATED),
        ({"items": [], "total_count": 0, "incomplete_results": True}, Status.UNANSWERABLE),
        ({"items": [{"number": 1}], "total_count": 0, "incomplete_results": False}, Status.ERROR),
        ({"items": [{"number": 1}], "total_count": -1, "incomplete_results": False}, Status.ERROR),
        ({"items": [{"number": 1}], "incomplete_results": False}, Status.ERROR),
        ({"items": [{"number": 1}], "total_count": "1", "incomplete_results": False}, Status.ERROR),
        ({"items": {}, "total_count": 1, "incomplete_results": False}, Status.ERROR),
    ],
)
def test_what_the_server_says_of_its_own_wholeness_counts(asking: Asking, body: Any, status: Status) -> None:
    more = "    items: items\n    total: total_count\n    incomplete: incomplete_results\n"
    assert (
        asking(replace(ROWS, question=ROWS.question + more), lambda asked: Reply(body=body)).status is status
    )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("get: /repos", "get: repos", "Begin it with /"),
        ("get: /repos", "get: //evil.example", "cannot stand in a path"),
        ("get: /repos/", "get: /repos?x=/", "cannot stand in a path"),
        ("get: /repos/", "get: /../", "cannot stand in a path"),
        ("issues/{number}", "issues/{id}", "not declared"),
        ("    fields: {number: number, state: state, author: user.login}\n", "", "keeps no field"),
        ("same: {number: number}", "same: {id: number}", "not among the fields"),
        ("key: issue", "shape: many\n    key: issue", "Use one of one, rows"),
        ("key: issue", "query: {a: {argument: b}}\n    key: issue", "not declared"),
        ("key: issue", "query: {a: [1]}\n    key: issue", "neither a text nor"),
        ("key: issue", "sql: select 1\n    key: issue", "unknown key"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_tool_is_named(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in ONE.question
    with pytest.raises(DefinitionError, match=says):
        load(tmp_path, ONE.connectors, replace(ONE, question=ONE.question.replace(old, new)).tools())


ISSUE = {
    "number": 7, "state": "closed", "title": "Pay fails", "user": {"login": "ada"},
    "labels": [{"name": "bug"}],
    "comments": 2, "created_at": "2026-11-29T10:00:00Z", "updated_at": "2026-11-30T10:00:00Z",
    "closed_at": "2026-11-30T10:00:00Z", "state_reason": "completed", "locked": False,
}  # fmt: skip
PULL = {
    "number": 7, "state": "closed", "title": "Fix", "merged": True, "merged_at": "2026-11-30T10:00:00Z",
    "merge_commit_sha": "c" * 40, "base": {"ref": "main"}, "head": {"sha": "d" * 40},
}  # fmt: skip
RUN = {
    "id": 30433642, "name": "Build", "head_sha": "c" * 40, "status": "completed", "conclusion": "success",
    "created_at": "2026-11-30T10:00:00Z", "updated_at": "2026-11-30T10:05:00Z",
}  # fmt: skip
SENTRY = {
    "id": "1", "shortId": "PUMP-1", "title": "ZeroDivisionError", "level": "error", "status": "resolved",
    "project": {"slug": "pump"}, "count": "150", "userCount": 12,
    "firstSeen": "2026-11-06T21:19:55Z", "lastSeen": "2026-11-30T10:00:00Z", "annotations": [],
}  # fmt: skip
RELEASE = {
    "version": "shop@1.4.0+build", "dateCreated": "2026-11-30T09:00:00.000Z",
    "dateReleased": None, "newGroups": 0,
}  # fmt: skip
PAGES = {
    "/repos/assay/shop/issues/7": ISSUE,
    "/repos/assay/shop/issues": [ISSUE],
    "/repos/assay/shop/pulls/7": PULL,
    "/repos/assay/shop/actions/runs": {"total_count": 1, "workflow_runs": [RUN]},
    "/api/0/organizations/acme/issues/1/": SENTRY,
    "/api/0/projects/acme/pump/issues/": [SENTRY],
    "/api/0/organizations/acme/releases/shop@1.4.0+build/": RELEASE,
}
REPO = {"owner": "assay", "repo": "shop"}


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[registry.Toolbox, FakeServer]]:
    """The shipped definitions, their hosts replaced by a fake written from the public API documents."""
    with serving(
        lambda asked: Reply(body=PAGES[asked.path]) if asked.path in PAGES else Reply(404, {})
    ) as server:
        text = (SHIPPED / "connectors.example.yaml").read_text()
        text = text.replace("https://api.github.com", server.url).replace("https://sentry.io", server.url)
        text = text.replace("headers:", "networks: [127.0.0.0/8]\n    headers:").replace(
            "credential: {bearer_env: SENTRY", "networks: [127.0.0.0/8]\n    credential: {bearer_env: SENTRY"
        )
        (tmp_path / "connectors.yaml").write_text(text)
        monkeypatch.setenv("GITHUB_READER_TOKEN", "t")
        monkeypatch.setenv("SENTRY_READER_TOKEN", "t")
        files = [file for file in sorted(SHIPPED.glob("*.yaml")) if "connectors" not in file.name]
        toolbox = registry.load(files, tmp_path / "connectors.yaml")
        yield toolbox, server
        toolbox.close()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("github_issue", {**REPO, "number": 7}),
        ("github_pull_request", {**REPO, "number": 7}),
        ("github_issues_changed_since", {**REPO, "state": "all", "since": "2026-11-29T00:00:00Z"}),
        ("github_workflow_runs", {**REPO, "commit": "c" * 40}),
        ("sentry_issue", {"organization": "acme", "issue_id": "1"}),
        ("sentry_release", {"organization": "acme", "version": "shop@1.4.0+build"}),
        ("sentry_unresolved_issues", {"organization": "acme", "project": "pump"}),
    ],
)
def test_a_shipped_definition_reads_what_its_api_documents(
    shipped: tuple[registry.Toolbox, FakeServer], tool: str, arguments: dict[str, Any]
) -> None:
    toolbox, server = shipped
    definition = toolbox.definitions[tool]
    assert schemas.complaint(arguments, definition.input) == ""
    outcome: Outcome = ask(toolbox, tool, **arguments)
    assert outcome.status is Status.OBSERVED, outcome
    assert schemas.complaint(outcome.result, definition.output) == ""
    assert server.asked[0].headers["authorization"] == "Bearer t"
    assert json.dumps(outcome.result)


def test_every_shipped_file_loads_and_names_its_tools_apart(
    shipped: tuple[registry.Toolbox, FakeServer],
) -> None:
    assert {name.partition("_")[0] for name in shipped[0].definitions} == {
        "github", "sentry", "prometheus", "cluster",
    }  # fmt: skip
