"""Every change that a superuser makes behind the log's back is found and named."""

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import OperationalError
from pytest_django import Settings

from assay_core.notes import SigningKey
from audit import sealing, verification
from audit.verification import verify
from audit.writing import EntryRef, write

Link = psycopg.Connection[Any]
KEY = SigningKey.make("log.example/audit")
TABLES = ("audit_entry", "audit_payload", "audit_leaf", "audit_node", "audit_checkpoint", "audit_batch")


@pytest.fixture
def entries(committed_db: None, settings: Settings) -> list[EntryRef]:
    """Five sealed entries."""
    settings.AUDIT_VERIFIER = [KEY.verifier.text]
    made = [
        write("thing.done", {"turn": turn, "text": "abc"}, actor="system", incident=1, investigation=2)
        for turn in range(5)
    ]
    sealing.seal_all(KEY)
    return made


@pytest.fixture
def intruder(superuser_dsn: str, entries: list[EntryRef]) -> Iterator[Link]:
    """A superuser who has taken the triggers away."""
    with psycopg.connect(superuser_dsn, autocommit=True) as link:
        for table in TABLES:
            link.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
        yield link


@pytest.fixture
def cited(entries: list[EntryRef]) -> Iterator[None]:
    """Somebody cites every entry, as stored cases do."""
    refs = [(ref.id, ref.leaf, f"case {number}") for number, ref in enumerate(entries, 1)]
    verification.register("test cases", lambda: refs)
    yield
    verification._registered.pop("test cases")


def command(*arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("verify_audit", *arguments, stdout=out, stderr=out)
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_an_untouched_log_is_intact(entries: list[EntryRef], cited: None) -> None:
    code, said = command()
    assert code == 0
    assert said.startswith("INTACT: 5 entries and 5 citations checked")


def test_an_empty_log_is_intact(committed_db: None) -> None:
    assert command()[0] == 0


CHANGES: dict[str, tuple[str, str]] = {
    "one byte of the canonical text": (
        "UPDATE audit_entry SET canonical = replace(canonical, 'incident\":1', 'incident\":2') WHERE id = %s",
        "leaf",
    ),
    "a space in the canonical text with a leaf to match": (
        (
            "UPDATE audit_entry SET canonical = canonical || ' ',"
            " leaf = sha256('\\x00'::bytea || convert_to(canonical || ' ', 'UTF8')) WHERE id = %s"
        ),
        "one form",
    ),
    "a canonical text that is no JSON": (
        "UPDATE audit_entry SET canonical = 'x', leaf = sha256('\\x0078') WHERE id = %s",
        "not a JSON object",
    ),
    "one byte of the payload": (
        "UPDATE audit_payload SET body = replace(body, 'abc', 'abd') WHERE entry = %s",
        "payload",
    ),
    "one byte of the salt": (
        "UPDATE audit_payload SET salt = set_byte(salt, 0, (get_byte(salt, 0) + 1) %% 256) WHERE entry = %s",
        "payload",
    ),
    "one byte of the leaf": (
        "UPDATE audit_entry SET leaf = set_byte(leaf, 31, (get_byte(leaf, 31) + 1) %% 256) WHERE id = %s",
        "leaf",
    ),
    "the kind": ("UPDATE audit_entry SET kind = 'thing.undone' WHERE id = %s", "column kind"),
    "the actor": ("UPDATE audit_entry SET actor = 'nobody' WHERE id = %s", "column actor"),
    "the incident": ("UPDATE audit_entry SET incident = NULL WHERE id = %s", "column incident"),
    "the investigation": ("UPDATE audit_entry SET investigation = 3 WHERE id = %s", "column investigation"),
    "the time": (
        "UPDATE audit_entry SET recorded_at = recorded_at - interval '1 microsecond' WHERE id = %s",
        "column recorded_at",
    ),
    "the payload deleted": ("DELETE FROM audit_payload WHERE entry = %s", "no entry records its erasure"),
    "the payload emptied": (
        "UPDATE audit_payload SET body = NULL, salt = NULL WHERE entry = %s",
        "no entry records its erasure",
    ),
    "the entry deleted": ("DELETE FROM audit_entry WHERE id = %s", "its payload is still there"),
    "the entry doubled": (
        (
            "INSERT INTO audit_entry SELECT id, recorded_at + interval '1 microsecond', kind, actor,"
            " incident, investigation, canonical, leaf, xid FROM audit_entry WHERE id = %s"
        ),
        "twice",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_found_and_its_entry_named(intruder: Link, entries: list[EntryRef], change: str) -> None:
    statement, reason = CHANGES[change]
    assert intruder.execute(statement, [entries[2].id]).rowcount == 1
    code, said = command()
    assert code == 1
    assert said.startswith(f"TAMPERED at entry {entries[2].id}: ")
    assert f"entry {entries[2].id}: " in said
    assert reason in said


def test_the_first_is_named_and_all_are_counted(intruder: Link, entries: list[EntryRef]) -> None:
    intruder.execute("UPDATE audit_entry SET actor = 'x' WHERE id > %s", [entries[0].id])
    report = verify()
    assert report.tampered == 4
    assert report.faults[0].entry == entries[1].id


def test_two_swapped_rows_are_both_found(intruder: Link, entries: list[EntryRef]) -> None:
    a, b = entries[1].id, entries[3].id
    for old, new in ((a, -1), (b, a), (-1, b)):
        intruder.execute("UPDATE audit_entry SET id = %s WHERE id = %s", [new, old])
    report = verify()
    assert [fault.entry for fault in report.faults] == [a, b]


def test_two_swapped_payloads_are_both_found(intruder: Link, entries: list[EntryRef]) -> None:
    a, b = entries[1].id, entries[3].id
    for old, new in ((a, -1), (b, a), (-1, b)):
        intruder.execute("UPDATE audit_payload SET entry = %s WHERE entry = %s", [new, old])
    assert [fault.entry for fault in verify().faults] == [a, b]


def test_an_entry_deleted_with_its_payload_is_missed_by_whoever_cites_it(
    intruder: Link, entries: list[EntryRef], cited: None
) -> None:
    gone = entries[3].id
    intruder.execute("DELETE FROM audit_entry WHERE id = %s", [gone])
    intruder.execute("DELETE FROM audit_payload WHERE entry = %s", [gone])
    code, said = command()
    assert code == 1
    assert said.startswith(f"TAMPERED at entry {gone}: ")
    assert "cited by case 4" in said


def test_an_entry_written_anew_in_full_has_another_leaf_than_was_cited(
    intruder: Link, entries: list[EntryRef], cited: None
) -> None:
    intruder.execute(
        "UPDATE audit_entry SET actor = 'nobody', canonical = replace(canonical, 'system', 'nobody'), leaf ="
        " sha256('\\x00'::bytea || convert_to(replace(canonical, 'system', 'nobody'), 'UTF8')) WHERE id = %s",
        [entries[0].id],
    )
    code, said = command()
    assert code == 1
    assert "another leaf" in said


def test_an_erasure_that_the_log_records_is_not_tampering(intruder: Link, entries: list[EntryRef]) -> None:
    write("payload.erased", {"entry": entries[1].id}, actor="person:auditor")
    intruder.execute("UPDATE audit_payload SET body = NULL, salt = NULL WHERE entry = %s", [entries[1].id])
    code, said = command()
    assert code == 0
    assert "1 payload erased" in said


def test_an_erasure_recorded_before_its_entry_covers_nothing(intruder: Link, entries: list[EntryRef]) -> None:
    write("payload.erased", {"entry": entries[-1].id + 2}, actor="person:auditor")
    later = write("thing.done", {}, actor="system")
    assert later.id == entries[-1].id + 2
    intruder.execute("DELETE FROM audit_payload WHERE entry = %s", [later.id])
    assert command()[0] == 1


def test_a_row_in_another_months_partition_is_found(intruder: Link, entries: list[EntryRef]) -> None:
    """Only the catalogue can do that: detach, change the row, attach with the check switched off."""
    intruder.execute("UPDATE audit_entry SET recorded_at = '2001-02-03Z' WHERE id = %s", [entries[0].id])
    code, said = command()
    assert code == 1
    assert "column recorded_at" in said


@pytest.mark.parametrize("arguments", [["--first", "2"], ["--last", "3"]])
def test_a_range_is_only_a_part(entries: list[EntryRef], cited: None, arguments: list[str]) -> None:
    code, said = command(*arguments)
    assert code == 2
    assert said.startswith("PARTIAL")
    assert "anything outside" in said


def broken_with(error: Exception) -> Callable[[], Iterator[tuple[int, str, str]]]:
    def citations() -> Iterator[tuple[int, str, str]]:
        yield (1, "", "nowhere") if False else _raise(error)

    return citations


def _raise(error: Exception) -> tuple[int, str, str]:
    raise error


@pytest.mark.parametrize("error", [KeyError("entries"), ValueError("no JSON"), OperationalError("gone")])
def test_citations_that_cannot_be_read_make_it_partial(entries: list[EntryRef], error: Exception) -> None:
    verification.register("broken cases", broken_with(error))
    try:
        code, said = command()
    finally:
        verification._registered.pop("broken cases")
    assert code == 2
    assert "broken cases could not be checked" in said


def test_a_log_that_is_not_there_cannot_be_verified(committed_db: None, superuser_dsn: str) -> None:
    with psycopg.connect(superuser_dsn) as link:
        link.execute("DROP TABLE audit_payload")
    code, said = command()
    assert code == 3
    assert said.startswith("CANNOT VERIFY")


def test_a_payload_lists_nothing_it_should_not(entries: list[EntryRef], intruder: Link) -> None:
    row = intruder.execute("SELECT canonical FROM audit_entry WHERE id = %s", [entries[0].id]).fetchone()
    assert row is not None
    assert set(json.loads(row[0])) == {
        "actor", "id", "incident", "investigation", "kind", "payload", "recorded_at", "v",
    }  # fmt: skip
