"""What a superuser changes in the seal, or in the log behind it, is found and named."""

import io
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from pytest_django import Settings

from assay_core import verify as offline
from assay_core.notes import SigningKey
from audit import exporting, sealing, sealverify
from audit.writing import EntryRef, write

Link = psycopg.Connection[Any]
KEY = SigningKey.make("log.example/audit")
TABLES = ("audit_entry", "audit_payload", "audit_leaf", "audit_node", "audit_checkpoint", "audit_batch")


@pytest.fixture
def entries(committed_db: None, settings: Settings) -> list[EntryRef]:
    """Nine entries, sealed in three batches."""
    settings.AUDIT_VERIFIER = [KEY.verifier.text]
    made = []
    for turn in range(9):
        made.append(write("thing.done", {"turn": turn, "text": "abc"}, actor="system", incident=1))
        if turn % 3 == 2:
            sealing.seal_all(KEY)
    return made


@pytest.fixture
def intruder(superuser_dsn: str, entries: list[EntryRef]) -> Iterator[Link]:
    """A superuser who has taken the triggers away."""
    with psycopg.connect(superuser_dsn, autocommit=True) as link:
        for table in TABLES:
            link.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
        yield link


def command(*arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("verify_audit", *arguments, stdout=out, stderr=out)
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def rewrite(link: Link, number: int) -> None:
    """Write an entry anew as somebody would who knows how: text, leaf and tree fit together."""
    link.execute(
        "UPDATE audit_entry SET actor = 'nobody', canonical = replace(canonical, 'system', 'nobody'), leaf ="
        " sha256('\\x00'::bytea || convert_to(replace(canonical, 'system', 'nobody'), 'UTF8')) WHERE id = %s",
        [number],
    )
    link.execute(
        "UPDATE audit_leaf l SET leaf = e.leaf FROM audit_entry e WHERE e.id = l.entry AND e.id = %s",
        [number],
    )


def test_a_sealed_log_is_intact_and_says_what_was_checked(entries: list[EntryRef]) -> None:
    code, said = command()
    assert code == 0, said
    assert "Seal: 9 entries in the tree, 3 checkpoints recomputed, 0 external copies compared." in said
    assert "No copy of a checkpoint outside this database was compared" in said


CHANGES: dict[str, tuple[str, str, str]] = {
    "a leaf": ("UPDATE audit_leaf SET leaf = sha256('x') WHERE leaf_index = 4", "entry 5", "leaf 4"),
    "the entry of a leaf": ("UPDATE audit_leaf SET entry = 77 WHERE leaf_index = 4", "entry 5", "never"),
    "the transaction of a leaf": (
        "UPDATE audit_leaf SET xid = '99' WHERE leaf_index = 4",
        "entry 5",
        "transaction",
    ),
    "the transaction of an entry": ("UPDATE audit_entry SET xid = '99' WHERE id = 5", "entry 5", "trans"),
    "a leaf moved": ("UPDATE audit_leaf SET leaf_index = 40 WHERE leaf_index = 4", "leaf 4", "are gone"),
    "a leaf deleted": ("DELETE FROM audit_leaf WHERE leaf_index = 4", "entry 5", "never sealed"),
    "the root of a checkpoint": (
        "UPDATE audit_checkpoint SET root = sha256('x') WHERE size = 6",
        "checkpoint 6",
        "its columns say something else",
    ),
    "the size of a checkpoint": (
        "UPDATE audit_checkpoint SET size = 5 WHERE size = 6",
        "checkpoint 5",
        "its columns say something else",
    ),
    "a signature": (
        "UPDATE audit_checkpoint SET note = overlay(note placing 'A' from length(note) - 9) WHERE size = 6",
        "checkpoint 6",
        "signature",
    ),
    "a second signature": (
        "UPDATE audit_checkpoint SET note = note || substr(note, strpos(note, '\u2014')) WHERE size = 6",
        "checkpoint 6",
        "another signature",
    ),
    "leaves at the end": ("DELETE FROM audit_leaf WHERE leaf_index > 6", "checkpoint 9", "the rest is gone"),
    "a checkpoint that was published": (
        (
            "INSERT INTO audit_publication (size, place, outcome, said, tried_at) VALUES"
            " (6, 'file:///kept', 'published', '', now()), (9, 'file:///kept', 'published', '', now()),"
            " (5, 'file:///kept', 'failed', '', now()); DELETE FROM audit_checkpoint WHERE size = 6"
        ),
        "checkpoint 6",
        "published at file:///kept, and the log no longer holds it",
    ),
    "a node that no leaves make": ("INSERT INTO audit_node VALUES (8, 0, sha256('x'))", "node 0", "no"),
    "a position put forward": (
        (
            "UPDATE audit_batch SET after_xid = '999999999'; DELETE FROM audit_leaf WHERE leaf_index = 8;"
            "DELETE FROM audit_checkpoint WHERE size = 9"
        ),
        "entry 9",
        "never sealed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_the_seal_is_found_and_named(intruder: Link, change: str) -> None:
    statement, place, reason = CHANGES[change]
    intruder.execute(statement)
    code, said = command()
    assert code == 1, said
    assert said.startswith("TAMPERED at ")
    assert any(line.startswith(f"  {place}: ") and reason in line for line in said.splitlines()), said


def test_an_entry_rewritten_in_full_is_found_between_two_checkpoints(intruder: Link) -> None:
    rewrite(intruder, 5)
    code, said = command()
    assert code == 1
    assert said.startswith("TAMPERED at checkpoint 6: ")
    assert "one of the entries 4 to 6, sealed as leaves 3 to 5, was changed, added or taken out" in said


def test_a_rewritten_log_that_is_sealed_anew_with_another_key_is_found(intruder: Link) -> None:
    rewrite(intruder, 5)
    intruder.execute("DELETE FROM audit_checkpoint")
    sealing.seal(SigningKey.make(KEY.name))
    code, said = command()
    assert code == 1
    assert "is not signed by log.example/audit" in said


def test_an_entry_taken_out_together_with_its_payload_and_leaf_is_found(intruder: Link) -> None:
    for table, column in (("audit_entry", "id"), ("audit_payload", "entry"), ("audit_leaf", "entry")):
        intruder.execute(f"DELETE FROM {table} WHERE {column} = 5")
    code, said = command()
    assert code == 1
    assert "leaf 4: leaves 4 to 4 are gone" in said


def test_an_entry_put_in_later_under_an_old_transaction_is_found(intruder: Link) -> None:
    late = write("thing.done", {}, actor="system")
    intruder.execute(
        "UPDATE audit_entry SET xid = (SELECT min(xid) FROM audit_entry) WHERE id = %s", [late.id]
    )
    code, said = command()
    assert code == 1
    assert f"entry {late.id}: it is older than the seal and was never sealed" in said


def test_a_log_that_was_cut_back_is_found_by_a_copy_that_somebody_kept(
    intruder: Link, tmp_path: Path
) -> None:
    copy = tmp_path / "kept"
    copy.write_text(exporting.newest_checkpoint().note)
    assert command("--copy", str(copy))[0] == 0
    for table, column in (
        ("audit_entry", "id > 6"), ("audit_payload", "entry > 6"), ("audit_leaf", "leaf_index > 5"),
        ("audit_checkpoint", "size > 6"), ("audit_batch", "size > 6"),
    ):  # fmt: skip
        intruder.execute(f"DELETE FROM {table} WHERE {column}")
    assert command()[0] == 0, "nothing in the database itself tells"
    code, said = command("--copy", str(copy))
    assert code == 1
    assert f"a log of 9 entries was signed at {copy} and 6 are left" in said


def test_a_checkpoint_that_was_taken_out_is_found_by_a_copy_that_somebody_kept(
    intruder: Link, tmp_path: Path
) -> None:
    copy = tmp_path / "kept"
    copy.write_text(exporting.checkpoint_of(6).note)
    assert command("--copy", str(copy))[0] == 0
    intruder.execute("DELETE FROM audit_checkpoint WHERE size = 6")
    code, said = command("--copy", str(copy))
    assert code == 1
    assert f"checkpoint 6: the copy at {copy} is of this log, which no longer holds it" in said


def test_copies_in_a_place_are_compared(entries: list[EntryRef], tmp_path: Path, settings: Settings) -> None:
    file = tmp_path / "places"
    settings.AUDIT_PLACES = [f"file://{file}"]
    code, said = command()
    assert code == 2
    assert f"Not checked: the copies at file://{file}: {file} is not there." in said
    file.write_text(exporting.newest_checkpoint().note)
    code, said = command()
    assert code == 0
    assert "1 external copy compared" in said
    file.write_text("torn off in the middle")
    assert command()[0] == 2


def test_a_copy_of_another_history_is_found(intruder: Link, tmp_path: Path) -> None:
    copy = tmp_path / "kept"
    copy.write_text(exporting.newest_checkpoint().note)
    rewrite(intruder, 9)
    intruder.execute("DELETE FROM audit_checkpoint WHERE size = 9")
    write("thing.done", {}, actor="system")
    sealing.seal_all(KEY)
    code, said = command("--copy", str(copy))
    assert code == 1
    assert f"the copy at {copy} has another root than the log" in said


def test_what_was_never_sealed_is_only_checked_in_part(committed_db: None) -> None:
    write("thing.done", {}, actor="system")
    code, said = command()
    assert code == 2
    assert "no checkpoint is there: none was signed yet, or all were taken out" in said


def test_without_a_key_the_signatures_are_not_checked(entries: list[EntryRef], settings: Settings) -> None:
    settings.AUDIT_VERIFIER = []
    code, said = command()
    assert code == 2
    assert "no key is known" in said
    assert command("--key", KEY.verifier.text)[0] == 0
    assert command("--key", SigningKey.make(KEY.name).verifier.text)[0] == 1


@pytest.mark.parametrize(
    "arguments",
    [["--key", "nonsense"], ["--copy", "/not/there"], ["--copy", "/proc/version"], ["--copy", "/dev/null"]],
)
def test_what_cannot_be_held_against_it_cannot_verify(entries: list[EntryRef], arguments: list[str]) -> None:
    code, said = command(*arguments)
    assert code == 3
    assert said.startswith("CANNOT VERIFY")
    assert arguments[0 if arguments[0] == "--key" else 1] in said


def test_entries_that_wait_too_long_for_their_seal_make_it_partial(intruder: Link) -> None:
    write("thing.done", {}, actor="system")
    code, said = command()
    assert code == 0
    assert "Not sealed yet: 1" in said
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealverify, "_OVERDUE_SECONDS", 0.0)
        assert command()[0] == 2


BYTES = (
    ("audit_entry", "id", "canonical", "convert_from({}, 'UTF8')"),
    ("audit_entry", "id", "leaf", "{}"),
    ("audit_payload", "entry", "body", "convert_from({}, 'UTF8')"),
    ("audit_payload", "entry", "salt", "{}"),
    ("audit_leaf", "leaf_index", "leaf", "{}"),
    ("audit_checkpoint", "id", "root", "{}"),
    ("audit_checkpoint", "id", "note", "convert_from({}, 'UTF8')"),
)


def all_bytes(link: Link) -> list[tuple[str, str, str, str, int, bytes, int]]:
    """Every byte of every value that is sealed, of one row each."""
    found = []
    for table, key, column, back in BYTES:
        row = link.execute(f"SELECT {key}, {column} FROM {table} ORDER BY {key} OFFSET 1 LIMIT 1").fetchone()
        assert row is not None
        value = row[1].encode() if isinstance(row[1], str) else bytes(row[1])
        found += [(table, key, column, back, row[0], value, place) for place in range(len(value))]
    return found


def test_any_single_byte_that_a_superuser_changes_is_found(intruder: Link) -> None:
    every = all_bytes(intruder)
    assert len(every) > 500
    chosen = every if os.environ.get("FULL") == "1" else random.Random(11).sample(every, 150)
    for table, key, column, back, identity, value, place in chosen:
        broken = value[:place] + bytes([value[place] ^ 1]) + value[place + 1 :]
        statement = f"UPDATE {table} SET {column} = {back.format('%s')} WHERE {key} = %s"
        try:
            intruder.execute(statement, [broken, identity])
        except psycopg.errors.CharacterNotInRepertoire:
            continue  # no text of this database: it can't be stored
        code, said = command()
        assert code == 1, (table, column, place, said)
        assert said.startswith("TAMPERED at "), (table, column, place, said)
        intruder.execute(statement, [value, identity])
    assert command()[0] == 0


def test_every_proof_of_the_log_holds_offline(entries: list[EntryRef]) -> None:
    keys = [KEY.verifier]
    at = exporting.newest_checkpoint()
    whole = "".join(proof.render() for proof in exporting.span(0, 8, with_payload=True))
    assert offline.check_export(whole, at.note, keys).code == 0
    for entry in entries:
        (proof,) = exporting.proofs([entry.id], with_payload=False)
        assert proof.disclosed.payload is None
        assert offline.check_proofs(proof.render(), keys).code == 0
    grown = exporting.growth(3, 9).render()
    assert offline.check_growth(exporting.checkpoint_of(3).note, grown, keys).code == 0


def test_what_is_not_sealed_has_no_proof_yet(entries: list[EntryRef]) -> None:
    late = write("thing.done", {}, actor="system")
    with pytest.raises(exporting.NotProvable, match="not under the seal of 9 entries yet"):
        list(exporting.proofs([entries[0].id, late.id], with_payload=True))
    with pytest.raises(exporting.NotProvable, match="covers leaves 0 to 8"):
        list(exporting.span(3, 9, with_payload=True))
    with pytest.raises(exporting.NotProvable, match="No checkpoint of size 4"):
        exporting.growth(3, 4)
    assert exporting.place_of(late.id) is None
    assert exporting.place_of(entries[2].id) == 2
