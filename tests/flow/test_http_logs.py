"""Logs and documents: lines that nobody read, windows that nobody searched, clusters that answer in part."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assay_core.results import Status
from tests.fakes.asking import Asking
from tests.fakes.families import FAMILIES, HALF_PAST, Family, loki, opensearch
from tests.fakes.loki import FakeLoki
from tests.fakes.server import Asked, Reply
from tests.fakes.toolboxes import load
from toolbox.yamlfile import DefinitionError

LOKI, SEARCH = FAMILIES["loki"], FAMILIES["opensearch"]
COUNTING = replace(LOKI, question=LOKI.question + "    count: true\n")


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asking:
    return Asking(tmp_path, monkeypatch)


def test_the_lines_of_the_window_come_with_what_was_read(asking: Asking) -> None:
    outcome = asking(LOKI, loki())
    assert outcome.status is Status.OBSERVED
    assert [line["line"] for line in outcome.result["lines"]] == ["pay -5 done", "pay 0 done", "pay 5 done"]
    assert outcome.result["lines_scanned"] == 3
    assert outcome.covered == {
        "scanned": 3, "since": "2026-11-30T11:00:00.000000Z", "until": "2026-11-30T11:59:00.000000Z",
    }  # fmt: skip


@pytest.mark.parametrize("family", [LOKI, COUNTING])
def test_finding_nothing_where_no_line_was_read_proves_nothing(asking: Asking, family: Family) -> None:
    outcome = asking(family, loki(), tenant="t2")
    assert outcome.status is Status.UNANSWERABLE
    assert "since" not in (outcome.covered or {})


def test_finding_nothing_among_lines_that_were_read_is_empty(asking: Asking) -> None:
    outcome = asking(LOKI, loki(), query="declined")
    assert outcome.status is Status.EMPTY
    assert outcome.result["match_count"] == 0


def test_a_count_of_nothing_is_a_zero_with_the_lines_that_were_read(asking: Asking) -> None:
    outcome = asking(COUNTING, loki(), query="declined")
    assert outcome.status is Status.OBSERVED
    assert outcome.result == {"match_count": 0, "lines_scanned": 3}
    assert asking(COUNTING, loki()).result == {"match_count": 3, "lines_scanned": 3}


def test_what_lies_before_the_oldest_line_is_not_covered(asking: Asking) -> None:
    young = FakeLoki(loki().lines[1:])
    outcome = asking(COUNTING, young)
    assert outcome.covered is not None
    assert outcome.covered["since"] == "2026-11-30T11:25:00.000000Z"


def test_more_lines_than_the_limit_are_cut(asking: Asking) -> None:
    many = FakeLoki(
        [
            (HALF_PAST + timedelta(seconds=index), {"app": "shop", "tenant": "t1"}, "done")
            for index in range(9)
        ]
    )
    outcome = asking(LOKI, many)
    assert outcome.status is Status.TRUNCATED
    assert len(outcome.result["lines"]) == 5


def test_an_older_server_that_ignores_the_window_is_found_out(asking: Asking) -> None:
    careless = replace(loki(), ignores_window=True)
    outcome = asking(LOKI, careless)
    assert outcome.status is Status.ERROR
    assert "outside the window" in outcome.reason


def test_a_warned_log_search_is_partial(asking: Asking) -> None:
    assert asking(LOKI, replace(loki(), warnings=["shard 3 timed out"])).status is Status.TRUNCATED


def test_a_line_of_another_tenant_is_an_error(asking: Asking) -> None:
    stray = {"stream": {"app": "shop", "tenant": "t2"}, "values": [["1796038200000000000", "done"]]}
    stats = {"summary": {"totalLinesProcessed": 1}}
    body = {"status": "success", "data": {"resultType": "streams", "result": [stray], "stats": stats}}
    outcome = asking(LOKI, lambda asked: Reply(body=body))
    assert outcome.status is Status.ERROR
    assert "tenant='t2'" in outcome.reason


@pytest.mark.parametrize("stats", [{}, {"stats": {"summary": {"totalLinesProcessed": -1}}}])
def test_an_answer_that_does_not_say_what_was_read_is_an_error(asking: Asking, stats: Any) -> None:
    body = {"status": "success", "data": {"resultType": "streams", "result": [], **stats}}
    assert asking(LOKI, lambda asked: Reply(body=body)).status is Status.ERROR


def test_the_tenant_is_sent_and_reported_and_a_wrong_one_is_an_error(asking: Asking) -> None:
    named = LOKI.connectors.replace("title: It", "title: It, tenant: acme")
    outcome = asking(LOKI, replace(loki(), tenant="acme"), named)
    assert outcome.covered is not None
    assert outcome.covered["tenant"] == "acme"
    assert asking(LOKI, replace(loki(), tenant="other"), named).status is Status.ERROR


def test_a_searched_text_cannot_end_its_quotes(asking: Asking) -> None:
    asking(LOKI, loki(), query='x" |= "')
    assert asking.server is not None
    assert asking.server.asked[0].one("query").endswith('|= "x\\" |= \\""')


@pytest.mark.parametrize(
    ("since", "until"),
    [("2026-11-30T11:00:00Z", "2026-11-30T10:00:00Z"), ("2026-01-01T00:00:00Z", "2026-11-30T10:00:00Z"),
     ("2027-01-01T00:00:00Z", "2027-01-02T00:00:00Z"), ("yesterday", "2026-11-30T10:00:00Z")],
)  # fmt: skip
def test_a_window_that_cannot_be_searched_is_refused(asking: Asking, since: str, until: str) -> None:
    outcome = asking(LOKI, loki(), since=since, until=until)
    assert outcome.status is Status.REFUSED
    assert asking.server is not None
    assert asking.server.asked == []


def test_documents_come_with_index_shards_and_totals(asking: Asking) -> None:
    outcome = asking(SEARCH, opensearch())
    assert outcome.status is Status.OBSERVED
    assert outcome.result["hits"][0]["source"]["message"] == "pay done"
    assert outcome.result["match_count"] == 2
    assert outcome.covered is not None
    assert outcome.covered["index"] == "logs-shop"
    assert outcome.covered["shards"] == {"total": 2, "successful": 2, "skipped": 0, "failed": 0}
    assert outcome.covered["scanned"] == 2


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"timed_out": True}, "ran out of time"),
        ({"_shards": {"failed": 1, "successful": 1}}, "1 of 2 shards"),
        ({"_shards": {"successful": 1}}, "1 of 2 shards"),
        ({"_shards": {"skipped": 1}}, "skipped"),
        ({"hits": {"total": {"value": 2, "relation": "gte"}}}, "stopped counting"),
        ({"hits": {"total": {"value": 99}}}, "99 documents match"),
        ({"terminated_early": True}, "ended early"),
        ({"_clusters": {"total": 2, "successful": 1, "skipped": 1}}, "remote cluster"),
    ],
)
def test_an_answer_in_part_is_truncated(asking: Asking, changes: Any, says: str) -> None:
    outcome = asking(SEARCH, replace(opensearch(), changes=changes))
    assert outcome.status is Status.TRUNCATED
    assert says in outcome.reason


@pytest.mark.parametrize(
    "changes",
    [{"hits": {"total": {"value": 0}}}, {"hits": {"total": {"value": -1}}}, {"_shards": {"failed": -1}}],
)
def test_documents_and_counts_that_contradict_each_other_are_no_answer(asking: Asking, changes: Any) -> None:
    assert asking(SEARCH, replace(opensearch(), changes=changes)).status in (
        Status.ERROR,
        Status.UNANSWERABLE,
    )


def test_nothing_found_in_part_of_the_shards_is_no_answer(asking: Asking) -> None:
    partial = replace(opensearch(), changes={"_shards": {"failed": 1, "successful": 1}})
    assert asking(SEARCH, partial, query="declined").status is Status.UNANSWERABLE


def test_skipped_shards_may_be_declared_harmless(asking: Asking) -> None:
    family = replace(SEARCH, question=SEARCH.question + "    skipped_shards: harmless\n")
    skipping = replace(opensearch(), changes={"_shards": {"skipped": 1}})
    assert asking(family, skipping).status is Status.OBSERVED


def test_nothing_found_in_a_place_that_holds_documents_is_empty(asking: Asking) -> None:
    assert asking(SEARCH, opensearch(), query="declined").status is Status.EMPTY


def test_nothing_found_in_a_place_that_holds_nothing_is_no_answer(asking: Asking) -> None:
    outcome = asking(SEARCH, opensearch(), tenant="t2")
    assert outcome.status is Status.UNANSWERABLE
    assert "no document" in outcome.reason


def test_an_index_that_is_not_there_is_no_answer(asking: Asking) -> None:
    outcome = asking(SEARCH, opensearch(), app="mail")
    assert outcome.status is Status.UNANSWERABLE
    assert "no index logs-mail" in outcome.reason


def test_no_shard_at_all_is_no_answer(asking: Asking) -> None:
    nowhere = replace(opensearch(), changes={"_shards": {"total": 0, "successful": 0}})
    assert asking(SEARCH, nowhere).status is Status.UNANSWERABLE


def test_a_document_of_another_tenant_is_an_error(asking: Asking) -> None:
    stray = {"@timestamp": "2026-11-30T11:10:00Z", "tenant": "t2", "message": "pay done"}
    strays = [{"_index": "logs-shop", "_id": "9", "_source": stray}]
    outcome = asking(SEARCH, replace(opensearch(), strays=strays))
    assert outcome.status is Status.ERROR
    assert "tenant='t2'" in outcome.reason


@pytest.mark.parametrize(
    ("at", "more"),
    [
        ("2026-11-30T10:10:00Z", {}),
        ("2026-11-30T11:10:00Z", {"sort": [1796040000000 - 7200000]}),
        ("2026-11-30T11:10:00Z", {"sort": [(1796040000 + 7200) * 1_000_000_000]}),
    ],
)
def test_a_search_that_covered_another_window_is_found_out(
    asking: Asking, at: str, more: dict[str, Any]
) -> None:
    source = {"@timestamp": at, "tenant": "t1", "message": "pay done"}
    stray = {"_index": "logs-shop", "_id": "9", "_source": source, **more}
    within = {**stray, "_source": {**source, "@timestamp": "2026-11-30T11:10:00Z"}, "sort": [1796036400000]}
    total = {"hits": {"total": {"value": 3}}}
    assert asking(SEARCH, replace(opensearch(), strays=[within], changes=total)).status is Status.OBSERVED
    outcome = asking(SEARCH, replace(opensearch(), strays=[stray], changes=total))
    assert outcome.status is Status.ERROR
    assert "outside the window" in outcome.reason


@pytest.mark.parametrize(
    "changes", [{"value": [1796040000 - 7200, "3"]}, {"value": ["now", "3"]}, {"value": [1796039940]}]
)
def test_a_count_of_another_time_is_found_out(asking: Asking, changes: dict[str, Any]) -> None:
    def answer(asked: Asked) -> Reply:
        plain = loki()(asked)
        if asked.path == "/loki/api/v1/query":
            plain.body["data"]["result"] = [{"metric": {}, **changes}]
        return plain

    assert asking(COUNTING, answer).status is Status.ERROR


def test_a_success_of_loki_with_an_error_is_an_error(asking: Asking) -> None:
    body = loki()
    assert (
        asking(LOKI, lambda asked: Reply(body={**body(asked).body, "error": "boom"})).status is Status.ERROR
    )


def test_a_document_that_comes_twice_is_an_error(asking: Asking) -> None:
    source = {"@timestamp": "2026-11-30T11:10:00.000000Z", "tenant": "t1", "message": "pay done"}
    again = {"_index": "logs-shop", "_id": "0", "_source": source}
    changes = {"hits": {"total": {"value": 3}}}
    outcome = asking(SEARCH, replace(opensearch(), strays=[again], changes=changes))
    assert (outcome.status, outcome.reason) == (Status.ERROR, "it: one document came twice")


@pytest.mark.parametrize("app", ["*", "shop,logs-mail", "../_all", "_all", "SHOP", "", "-x"])
def test_an_index_cannot_be_widened_by_an_argument(asking: Asking, app: str) -> None:
    assert asking(SEARCH, opensearch(), app=app).status is Status.REFUSED
    assert asking.server is not None
    assert asking.server.asked == []


def test_the_search_itself_counts_everything_and_asks_for_the_declared_fields(asking: Asking) -> None:
    asking(SEARCH, opensearch())
    assert asking.server is not None
    body = asking.server.asked[-1].body
    assert body["track_total_hits"] is True
    assert body["_source"] == ["@timestamp", "tenant", "message"]
    assert body["query"]["bool"]["filter"][0]["bool"]["filter"][0] == {"term": {"tenant": "t1"}}


@pytest.mark.parametrize(
    ("family", "old", "new", "says"),
    [
        (SEARCH, "match_phrase: {message: ", "query_string: {query: ", "could change the question"),
        (SEARCH, "control: {term: {tenant: {argument: tenant}}}", "control: {script: {}}", "runs a program"),
        (SEARCH, "argument: query", "argument: text", "not declared"),
        (SEARCH, 'fields: ["@timestamp", tenant, message]', 'fields: ["*"]', "no field's name"),
        (SEARCH, "same: {tenant: tenant}", "same: {user: tenant}", "not fetched"),
        (SEARCH, "index: logs-{app}", "index: logs", "app changes nothing"),
        (SEARCH, "index: logs-{app}", "index: '../logs-{app}'", "cannot stand in a path"),
        (SEARCH, "    window:", "    skipped_shards: maybe\n    window:", "Use one of partial, harmless"),
        (LOKI, "'{app=", "'sum by (x) ({app=", "begin with"),
        (LOKI, "|= %(query)s::text", "|= \"%(query)s::text\"", "stands in quotes"),
        (LOKI, "window: {since: since, until: until}", "window: {since: since, until: tenant}", "not a time"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_tool_is_named(tmp_path: Path, family: Family, old: str, new: str, says: str) -> None:
    assert old in family.question
    with pytest.raises(DefinitionError, match=says):
        load(tmp_path, family.connectors, replace(family, question=family.question.replace(old, new)).tools())


def test_the_fake_holds_a_line_from_before_the_window() -> None:
    assert min(line[0] for line in loki().lines) < datetime.fromisoformat(str(LOKI.arguments["since"]))
