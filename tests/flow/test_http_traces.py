"""Traces by their id: padded, missing, partial, or another's."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay_core.results import Status
from tests.fakes.asking import Asking
from tests.fakes.families import FAMILIES, TRACE, Family, spans
from tests.fakes.server import Reply
from tests.fakes.toolboxes import load
from tests.fakes.traces import FakeJaeger, FakeSpan, FakeTempo
from toolbox.yamlfile import DefinitionError

TEMPO, JAEGER = FAMILIES["tempo"], FAMILIES["jaeger"]
V1 = replace(TEMPO, question=TEMPO.question + "    version: v1\n")
OTHER = "0" * 31 + "1"
STORES: list[tuple[Family, Any]] = [(TEMPO, FakeTempo), (V1, FakeTempo), (JAEGER, FakeJaeger)]


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asking:
    return Asking(tmp_path, monkeypatch)


@pytest.mark.parametrize(("family", "store"), STORES)
@pytest.mark.parametrize("given", [TRACE, TRACE.lstrip("0"), TRACE.upper(), f" 0x{TRACE} "])
def test_a_trace_comes_however_its_id_is_written(
    asking: Asking, family: Family, store: Any, given: str
) -> None:
    outcome = asking(family, store(spans()), trace_id=given)
    assert outcome.status is Status.OBSERVED, outcome
    trace = outcome.result["trace"]
    assert (trace["trace_id"], trace["span_count"], trace["error_count"]) == (TRACE, 2, 0)
    assert trace["started_at"] == "2026-11-30T11:30:00.000000Z"
    assert trace["spans"][0]["duration_us"] == 20_000
    assert outcome.covered == {"trace_id": TRACE, "scanned": 2}


@pytest.mark.parametrize(("family", "store"), STORES)
@pytest.mark.parametrize("given", ["", "xyz", "0", "0" * 32, "a" * 33, "../search", "a/b"])
def test_what_is_no_trace_id_is_refused_unasked(
    asking: Asking, family: Family, store: Any, given: str
) -> None:
    assert asking(family, store(spans()), trace_id=given).status is Status.REFUSED
    assert asking.server is not None
    assert asking.server.asked == []


@pytest.mark.parametrize(("family", "store"), STORES)
def test_a_missing_trace_among_others_is_empty(asking: Asking, family: Family, store: Any) -> None:
    outcome = asking(family, store(spans()), trace_id=OTHER)
    assert outcome.status is Status.EMPTY
    assert outcome.result == {"trace": None}
    assert outcome.covered is not None
    assert outcome.covered["since"] == "2026-11-30T11:00:00.000000Z"


@pytest.mark.parametrize(("family", "store"), STORES)
def test_a_missing_trace_where_there_is_no_other_is_no_answer(
    asking: Asking, family: Family, store: Any
) -> None:
    outcome = asking(family, store({}))
    assert outcome.status is Status.UNANSWERABLE
    assert "nor is any other" in outcome.reason


@pytest.mark.parametrize(("family", "store"), STORES)
def test_a_missing_trace_outside_the_window_is_no_answer(asking: Asking, family: Family, store: Any) -> None:
    outcome = asking(family, store(spans()), trace_id=OTHER, since="2026-11-30T11:45:00Z")
    assert outcome.status is Status.UNANSWERABLE


def test_without_a_window_a_missing_trace_is_no_answer(asking: Asking) -> None:
    family = replace(
        TEMPO,
        question="    trace: trace_id\n",
        properties="\n        trace_id: {type: string}",
        arguments={"trace_id": OTHER},
    )
    outcome = asking(family, FakeTempo(spans()))
    assert outcome.status is Status.UNANSWERABLE
    assert "no window" in outcome.reason


@pytest.mark.parametrize(("family", "store"), STORES)
def test_another_trace_than_asked_is_an_error(asking: Asking, family: Family, store: Any) -> None:
    outcome = asking(family, store({**spans(), OTHER: spans()[TRACE]}, answers_for=OTHER))
    assert outcome.status is Status.ERROR
    assert "not asked for" in outcome.reason


@pytest.mark.parametrize(("family", "store"), STORES)
def test_more_spans_than_the_limit_are_cut_and_counted(asking: Asking, family: Family, store: Any) -> None:
    many = [FakeSpan(f"{index + 1:016x}", after=index) for index in range(9)]
    outcome = asking(family, store({TRACE: many}))
    assert outcome.status is Status.TRUNCATED
    assert outcome.result["trace"]["span_count"] == 9
    assert len(outcome.result["trace"]["spans"]) == 5


@pytest.mark.parametrize(("family", "store"), STORES)
def test_a_span_whose_parent_has_not_come_makes_the_trace_partial(
    asking: Asking, family: Family, store: Any
) -> None:
    lost = [FakeSpan("00f067aa0ba902b7"), FakeSpan("00f067aa0ba902b9", parent="00f067aa0ba902b8", after=1)]
    outcome = asking(family, store({TRACE: lost}))
    assert outcome.status is Status.TRUNCATED
    assert outcome.result["trace"]["orphan_count"] == 1


@pytest.mark.parametrize(("family", "store"), STORES)
def test_a_trace_that_begins_under_a_parent_elsewhere_is_whole(
    asking: Asking, family: Family, store: Any
) -> None:
    outcome = asking(family, store({TRACE: [FakeSpan("00f067aa0ba902b9", parent="00f067aa0ba902b8")]}))
    assert outcome.status is Status.OBSERVED


@pytest.mark.parametrize(("family", "store"), STORES)
def test_a_span_that_comes_twice_makes_the_counts_doubtful(
    asking: Asking, family: Family, store: Any
) -> None:
    outcome = asking(family, store({TRACE: [FakeSpan("00f067aa0ba902b7"), FakeSpan("00f067aa0ba902b7")]}))
    assert outcome.status is Status.TRUNCATED
    assert "1 spans came twice" in outcome.reason


@pytest.mark.parametrize(("family", "store"), STORES)
def test_a_span_that_ends_before_it_begins_is_doubtful(asking: Asking, family: Family, store: Any) -> None:
    outcome = asking(family, store({TRACE: [FakeSpan("00f067aa0ba902b7", millis=-5)]}))
    assert outcome.status is Status.TRUNCATED
    assert "end before they begin" in outcome.reason


@pytest.mark.parametrize(("family", "store"), STORES)
def test_errors_of_spans_are_counted(asking: Asking, family: Family, store: Any) -> None:
    outcome = asking(family, store({TRACE: [FakeSpan("00f067aa0ba902b7", error=True, service="pay")]}))
    assert outcome.result["trace"]["error_count"] == 1
    assert outcome.result["trace"]["services"] == ["pay"]


def test_a_trace_that_the_server_calls_partial_is_truncated(asking: Asking) -> None:
    outcome = asking(TEMPO, FakeTempo(spans(), partial="trace exceeds max size"))
    assert outcome.status is Status.TRUNCATED
    assert "exceeds max size" in outcome.reason


def test_ids_in_hex_are_read_like_those_in_base64(asking: Asking) -> None:
    assert asking(TEMPO, FakeTempo(spans(), ids_as_base64=False)).status is Status.OBSERVED


def test_a_warned_trace_is_partial(asking: Asking) -> None:
    assert asking(JAEGER, FakeJaeger(spans(), warnings=["clock skew"])).status is Status.TRUNCATED


def test_an_error_inside_a_200_is_an_error(asking: Asking) -> None:
    body = {"data": None, "errors": [{"code": 500, "msg": "storage is gone"}]}
    outcome = asking(JAEGER, lambda asked: Reply(body=body))
    assert outcome.status is Status.ERROR
    assert "storage is gone" in outcome.reason


def test_a_control_without_a_window_is_refused(tmp_path: Path) -> None:
    text = JAEGER.tools().replace("    window: {since: since, until: until}\n", "")
    with pytest.raises(DefinitionError, match="Give both"):
        load(tmp_path, JAEGER.connectors, text)
