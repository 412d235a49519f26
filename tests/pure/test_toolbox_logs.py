"""Searches of log files: what was read, what matched, and when finding nothing proves nothing."""

import gzip
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assay_core.canonical import canonical
from assay_core.instants import as_text
from assay_core.results import Status
from toolbox.connectors import logfiles
from toolbox.connectors.base import Outcome
from toolbox.connectors.jsonlines import JsonLinesConnector
from toolbox.definitions import Condition, Limits, LogQuestion, ToolDefinition

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
Ask = Callable[..., Outcome]


def at(minutes: float) -> str:
    """The time so many minutes before now."""
    return as_text(NOW - timedelta(minutes=minutes))


def line(minutes: float, message: str = "fine", tenant: str = "north", **more: Any) -> str:
    record = {
        "ts": at(minutes),
        "level": "info",
        "service": "jobs",
        "tenant": tenant,
        "message": message,
        **more,
    }
    return json.dumps(record)


def question(*, count: bool, limits: Limits) -> ToolDefinition:
    where = (
        Condition("message", "contains", "query"),
        Condition("tenant", "equals", "tenant"),
        Condition("level", "equals", "level"),
    )
    return ToolDefinition(
        name="search",
        title="",
        description="",
        connector="logs",
        input={},
        output={},
        shape="log",
        key="lines",
        question=LogQuestion(where, "since", "until", count),
        limits=limits,
        normalise={},
        defaults={},
        covers={},
        plain={},
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "logs"
    made.mkdir()
    monkeypatch.setenv("TEST_LOGS", str(made))
    return made


@pytest.fixture
def ask(folder: Path) -> Ask:
    """Search the folder: `ask("timeout", count=True, since=60)`, times in minutes before now."""

    def search(
        query: str = "timeout", *, count: bool = False, limits: Limits | None = None, **arguments: Any
    ) -> Outcome:
        chosen = {"query": query, "since": at(60), **arguments}
        connector = JsonLinesConnector("logs", "Logs", "TEST_LOGS", fields={}, scan_bytes=1_000_000)
        return connector.ask(question(count=count, limits=limits or Limits()), chosen, NOW)

    return search


def write(folder: Path, *lines: str, name: str = "app.jsonl") -> None:
    (folder / name).write_text("".join(text + "\n" for text in lines))


def test_a_folder_without_a_name_or_without_being_there_is_unavailable(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TEST_LOGS", "")
    assert ask().reason == "logs: the environment variable TEST_LOGS is not set"
    monkeypatch.setenv("TEST_LOGS", str(tmp_path / "gone"))
    outcome = ask()
    assert (outcome.status, outcome.reason) == (Status.UNAVAILABLE, "logs: the folder does not exist")


def test_an_empty_folder_answers_nothing(ask: Ask) -> None:
    outcome = ask(count=True)
    assert outcome.status is Status.UNANSWERABLE
    assert outcome.result["match_count"] == 0
    assert "no line at all lies in the window" in outcome.reason


def test_a_window_without_lines_answers_nothing(ask: Ask, folder: Path) -> None:
    write(folder, line(90, "timeout"), line(100))
    assert ask(count=True).status is Status.UNANSWERABLE


def test_an_unknown_tenant_answers_nothing(ask: Ask, folder: Path) -> None:
    write(folder, line(10), line(20))
    outcome = ask(tenant="nroth", count=True)
    assert outcome.status is Status.UNANSWERABLE
    assert outcome.reason == "no line of the window has tenant 'nroth', so finding nothing proves nothing"
    assert outcome.result["lines_in_window"] == 2
    assert outcome.result["place_lines"] == {"tenant": 0}


def test_a_renamed_field_answers_nothing(ask: Ask, folder: Path) -> None:
    write(folder, line(10), json.dumps({"ts": at(5), "tenant": "north", "level": "info", "msg": "timeout"}))
    outcome = ask(tenant="north", count=True)
    assert outcome.status is Status.UNANSWERABLE
    assert outcome.result["unreadable_lines"] == 1
    assert "1 lines in the window lack what was searched (message)" in outcome.reason


def test_a_proven_search_that_finds_nothing_is_empty_and_its_count_is_observed(
    ask: Ask, folder: Path
) -> None:
    write(folder, line(10), line(20))
    assert ask(tenant="north").status is Status.EMPTY
    counted = ask(tenant="north", count=True)
    assert counted.status is Status.OBSERVED
    assert (counted.result["match_count"], counted.result["lines_scanned"]) == (0, 2)
    assert "lines" not in counted.result


def test_lines_are_found_in_their_place_and_window_in_the_order_of_their_times(
    ask: Ask, folder: Path
) -> None:
    write(
        folder, line(10, "timeout b"), line(30, "timeout a"), line(20, "fine"), line(15, "timeout", "south")
    )
    write(folder, line(70, "timeout too early"), line(5, "timeout c"), name="app.jsonl.1")
    outcome = ask(tenant="north")
    assert outcome.status is Status.OBSERVED
    assert [found["message"] for found in outcome.result["lines"]] == ["timeout a", "timeout b", "timeout c"]
    assert (outcome.result["match_count"], outcome.result["lines_scanned"]) == (3, 4)
    assert outcome.result["files"] == ["app.jsonl", "app.jsonl.1"]
    assert outcome.covered == {"since": at(60), "until": at(0)}
    assert (outcome.result["first_line_at"], outcome.result["last_line_at"]) == (at(30), at(5))


def test_a_condition_on_another_field_is_a_test_and_not_a_place(ask: Ask, folder: Path) -> None:
    write(folder, line(10, "timeout"))
    outcome = ask(level="error", count=True)
    assert outcome.status is Status.OBSERVED
    assert (outcome.result["match_count"], outcome.result["lines_scanned"]) == (0, 1)


def test_what_was_logged_before_the_oldest_line_is_not_covered(ask: Ask, folder: Path) -> None:
    write(folder, line(10))
    assert ask(count=True).covered == {"since": at(10), "until": at(0)}


def test_the_future_is_not_covered(ask: Ask, folder: Path) -> None:
    write(folder, line(90), line(10))
    outcome = ask(count=True, until=at(-60))
    assert outcome.covered == {"since": at(60), "until": at(0)}


@pytest.mark.parametrize("until", [at(120), "never", "2026-03-01T12:00:00"])
def test_a_window_that_is_none_is_refused(ask: Ask, folder: Path, until: str) -> None:
    write(folder, line(10))
    assert ask(until=until).status is Status.REFUSED


def test_broken_lines_are_counted_and_said(ask: Ask, folder: Path) -> None:
    broken = [
        "{",
        "[]",
        "NaN",
        '{"ts": NaN}',
        '{"message": "fine"}',
        '{"ts": "yesterday"}',
        '{"ts": 5}',
        "\x80",
    ]
    (folder / "app.jsonl").write_bytes(
        b"\n".join(text.encode("latin-1") for text in [*broken, "", line(5)]) + b"\n" + b'{"ts": "2026-'
    )
    outcome = ask(count=True)
    assert outcome.status is Status.OBSERVED
    assert outcome.result["broken_lines"] == len(broken), "the line that is still being written is not one"
    assert f"{len(broken)} broken lines were left out" in outcome.reason


@pytest.mark.parametrize(
    "broken",
    [
        b'{"message": "timeout"}',
        b"Traceback: timeout",
        b'{"ts": "2026-03-01T11:50:00Z", "tenant": "north", "message": "timeout \xff"}',
        b'{"message": "fine", "message": "timeout", "ts": "2026-03-01T11:50:00Z"}',
    ],
)
def test_a_broken_line_of_the_window_that_holds_what_was_searched_leaves_it_open(
    ask: Ask, folder: Path, broken: bytes
) -> None:
    early, late = line(90).encode(), line(5).encode()
    (folder / "app.jsonl").write_bytes(b"\n".join([early, broken, late, b""]))
    for count in (True, False):
        assert ask(count=count).status is Status.UNANSWERABLE
        assert ask("declined", count=count).status is not Status.UNANSWERABLE
    assert ask(tenant="south", count=True).status is Status.UNANSWERABLE, "no line of the south at all"
    (folder / "app.jsonl").write_bytes(b"\n".join([broken, early, late, b""]))
    assert ask(count=True).status is Status.OBSERVED, "it was written before the window"
    (folder / "app.jsonl").write_bytes(b"\n".join([early, late, broken, b""]))
    assert ask(count=True).status is Status.UNANSWERABLE
    assert ask(count=True, until=at(30), since=at(100)).status is Status.OBSERVED, "written after it"


def test_lines_that_are_no_text_leave_the_search_open(ask: Ask, folder: Path) -> None:
    for packed in (line(10, "timeout").encode("utf-16"), b"\x00" * 40):
        (folder / "app.jsonl").write_bytes(b"\n".join([line(20).encode(), packed, line(5).encode(), b""]))
        assert ask(count=True).status is Status.UNANSWERABLE, packed


@pytest.mark.parametrize(
    "name", ["app.jsonl.zst", "app.jsonl.1.zst", "app.jsonl-20260301.xz", "app.jsonl.2.bz2"]
)
def test_a_file_that_is_packed_otherwise_is_named_and_not_passed_over(
    ask: Ask, folder: Path, name: str
) -> None:
    write(folder, line(10))
    (folder / name).write_bytes(b"(\xb5/\xfd")
    outcome = ask(count=True)
    assert outcome.status is Status.ERROR
    assert f"{name} is packed in a way that is not read" in outcome.reason


@pytest.mark.parametrize("name", [b"b\n.jsonl", b"b\xff.jsonl"])
def test_a_file_of_any_name_is_read_and_its_name_can_be_recorded(ask: Ask, folder: Path, name: bytes) -> None:
    write(folder, line(10))
    (Path(os.fsdecode(os.fsencode(folder) + b"/" + name))).write_text(line(5, "timeout") + "\n")
    outcome = ask(count=True)
    assert outcome.result["match_count"] == 1
    assert canonical(outcome.result)


def test_a_text_is_found_in_a_broken_line_however_json_writes_it(ask: Ask, folder: Path) -> None:
    for written in ('a/b "é"', r"a/b \"é\"", r"a\/b \"\u00e9\"", r"a/b \"\u00e9\""):
        write(folder, line(10), written, line(5))
        assert ask('a/b "é"', count=True).status is Status.UNANSWERABLE, written


def test_a_line_that_is_too_long_is_one_broken_line_whatever_its_rest_spells(
    ask: Ask, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("logfiles", "logscan"):
        monkeypatch.setattr(f"toolbox.connectors.{module}.LONGEST_LINE", 400)
    padded = line(1, "timeout").ljust(400)
    write(folder, line(10), padded + line(2, "timeout").ljust(400) + line(3, "timeout"), line(4))
    outcome = ask(count=True)
    assert (outcome.result["match_count"], outcome.result["lines_scanned"]) == (0, 2)
    assert outcome.result["broken_lines"] == 1


def test_compressed_files_are_read_and_damaged_ones_are_an_error(ask: Ask, folder: Path) -> None:
    packed = gzip.compress((line(10, "timeout") + "\n").encode() * 500)
    (folder / "app.jsonl.2.gz").write_bytes(packed)
    assert ask(count=True).result["match_count"] == 500
    (folder / "app.jsonl.2.gz").write_bytes(packed[:-20])
    outcome = ask(count=True)
    assert (outcome.status, outcome.reason) == (
        Status.ERROR,
        "logs: app.jsonl.2.gz cannot be read (EOFError)",
    )


def test_a_file_that_unpacks_without_end_is_truncated(ask: Ask, folder: Path) -> None:
    (folder / "bomb.jsonl.gz").write_bytes(gzip.compress((line(10) + "\n").encode() * 20_000))
    outcome = ask(count=True)
    assert outcome.status is Status.TRUNCATED
    assert "more than the 1000000 bytes" in outcome.reason


def test_a_link_out_of_the_folder_is_refused(ask: Ask, folder: Path, tmp_path: Path) -> None:
    write(tmp_path, line(10, "timeout"), name="outside.jsonl")
    (folder / "app.jsonl").symlink_to(tmp_path / "outside.jsonl")
    outcome = ask()
    assert (outcome.status, outcome.reason) == (
        Status.REFUSED,
        "logs: app.jsonl is a link that leads out of the folder",
    )


@pytest.mark.parametrize("target", ["gone.jsonl", "app.jsonl"])
def test_a_link_that_leads_nowhere_is_an_error(ask: Ask, folder: Path, target: str) -> None:
    (folder / "app.jsonl").symlink_to(folder / target)
    assert ask().status is Status.ERROR


def test_two_names_of_one_file_are_read_once(ask: Ask, folder: Path) -> None:
    write(folder, line(10, "timeout"))
    (folder / "current.jsonl").symlink_to("app.jsonl")
    os.link(folder / "app.jsonl", folder / "again.jsonl")
    assert ask(count=True).result["match_count"] == 1


def test_a_pipe_is_refused_and_not_waited_for(ask: Ask, folder: Path) -> None:
    os.mkfifo(folder / "pipe.jsonl")
    assert ask().reason == "logs: pipe.jsonl is not a plain file"


def test_a_folder_named_like_a_log_is_an_error_or_refused(ask: Ask, folder: Path) -> None:
    (folder / "deep.jsonl").mkdir()
    assert ask().status in (Status.ERROR, Status.REFUSED)


def test_a_file_that_vanishes_between_listing_and_reading_is_an_error(
    ask: Ask, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, line(10))
    listed = logfiles.files(folder)
    (folder / "app.jsonl").unlink()
    monkeypatch.setattr(logfiles, "files", lambda _: listed)
    outcome = ask()
    assert (outcome.status, outcome.reason) == (
        Status.ERROR,
        "logs: app.jsonl cannot be read (FileNotFoundError)",
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything: run the tests as an ordinary user")
def test_a_file_that_may_not_be_read_is_an_error(ask: Ask, folder: Path) -> None:
    write(folder, line(10))
    (folder / "app.jsonl").chmod(0)
    assert ask().status is Status.ERROR


def test_more_lines_than_the_limit_are_truncated_and_counted_whole(ask: Ask, folder: Path) -> None:
    write(folder, *(line(minutes, "timeout") for minutes in range(1, 21)))
    outcome = ask(limits=Limits(rows=5))
    assert outcome.status is Status.TRUNCATED
    assert (len(outcome.result["lines"]), outcome.result["match_count"]) == (5, 20)
    assert ask(limits=Limits(bytes=600)).status is Status.TRUNCATED
    assert ask(count=True, limits=Limits(rows=5)).status is Status.OBSERVED


def test_a_search_that_takes_too_long_is_an_error(ask: Ask, folder: Path) -> None:
    write(folder, *(line(minutes) for minutes in range(1, 2000)))
    outcome = ask(limits=Limits(seconds=0.0001))
    assert outcome.status is Status.ERROR
    assert "was stopped" in outcome.reason


def test_what_text_cannot_hold_is_replaced_and_counted(ask: Ask, folder: Path) -> None:
    write(folder, line(10, "timeout \x00 \ud800", big=2**60))
    outcome = ask()
    assert outcome.replaced == 2
    assert outcome.result["lines"][0]["message"] == "timeout \ufffd \ufffd"
    assert outcome.result["lines"][0]["big"] == str(2**60)


def test_other_names_of_the_fields_are_followed(folder: Path) -> None:
    write(folder, json.dumps({"@timestamp": at(5), "customer": "north", "msg": "timeout", "level": "info"}))
    connector = JsonLinesConnector(
        "logs", "Logs", "TEST_LOGS", fields={"ts": "@timestamp", "tenant": "customer", "message": "msg"}
    )
    arguments = {"query": "timeout", "tenant": "north", "since": at(60)}
    outcome = connector.ask(question(count=True, limits=Limits()), arguments, NOW)
    assert (outcome.status, outcome.result["match_count"]) == (Status.OBSERVED, 1)
