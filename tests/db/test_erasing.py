"""Erasure: the content goes, on record and by the right role; the proof that it was recorded stays."""

import io
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError

from assay_core.notes import SigningKey
from audit import erasing, exporting, reading, sealing
from audit.erasing import ErasureRefused, erase
from audit.sealverify import Against
from audit.verification import verify
from audit.writing import write
from tests.db.owning import owner_alias

KEY = SigningKey.make("log.example/audit")


@pytest.fixture
def entry(committed_db: None, settings: Any) -> int:
    settings.AUDIT_VERIFIER = [KEY.verifier.text]
    made = write("thing.done", {"person": "Erika Mustermann"}, actor="system")
    sealing.seal_all(KEY)
    return made.id


@pytest.fixture
def owner(entry: int, owner_dsn: str) -> Iterator[str]:
    """The alias of the role that migrates."""
    with owner_alias(owner_dsn) as alias:
        yield alias


def test_the_payload_is_gone_and_the_proof_still_holds(entry: int, owner: str) -> None:
    made = erase(entry, by="person:ada", reason="asked for by the person", using=owner)
    found, record = reading.entry(entry), reading.entry(made.id)
    assert found is not None
    assert record is not None
    assert found.payload is None
    assert (record.kind, record.actor, record.payload) == (
        "payload.erased", "person:ada", {"entry": entry, "reason": "asked for by the person"},
    )  # fmt: skip
    sealing.seal_all(KEY)
    report = verify(against=Against([KEY.verifier]))
    assert (report.exit_code, report.erased) == (0, 1)
    (proof,) = exporting.proofs([entry], with_payload=True)
    assert proof.disclosed.payload is None
    proof.check()


def test_the_name_is_nowhere_in_the_tables(entry: int, owner: str, superuser_dsn: str) -> None:
    erase(entry, by="person:ada", reason="asked for", using=owner)
    with psycopg.connect(superuser_dsn, autocommit=True) as link:
        link.execute("VACUUM FULL audit_payload")
        rows = link.execute("SELECT entry, salt, body FROM audit_payload ORDER BY entry").fetchall()
    assert rows[0] == (entry, None, None)
    assert "Mustermann" not in str(rows)


def test_the_applications_own_role_erases_nothing(entry: int) -> None:
    with pytest.raises(DatabaseError, match="permission denied"):
        erase(entry, by="person:ada", reason="asked for", using="default")
    found = reading.entry(entry)
    assert found is not None
    assert found.payload == {"person": "Erika Mustermann"}


@pytest.mark.parametrize("reason", ["", "  "])
def test_an_erasure_without_a_reason_is_refused(entry: int, owner: str, reason: str) -> None:
    with pytest.raises(ErasureRefused, match="Say why"):
        erase(entry, by="person:ada", reason=reason, using=owner)


def test_what_is_not_there_or_gone_or_a_record_itself_is_refused(entry: int, owner: str) -> None:
    with pytest.raises(ErasureRefused, match="no entry 999"):
        erase(999, by="person:ada", reason="x", using=owner)
    made = erase(entry, by="person:ada", reason="x", using=owner)
    with pytest.raises(ErasureRefused, match="was erased before"):
        erase(entry, by="person:ada", reason="x", using=owner)
    with pytest.raises(ErasureRefused, match="has to stay"):
        erase(made.id, by="person:ada", reason="x", using=owner)
    kinds = [one.kind for number in range(entry, made.id + 3) if (one := reading.entry(number))]
    assert kinds == ["thing.done", "payload.erased"], "a refused erasure records none"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_payload SET body = NULL, salt = NULL WHERE entry = %s",
        "UPDATE audit_payload SET body = '{}' WHERE entry = %s",
        "DELETE FROM audit_payload WHERE entry = %s",
    ],
)
def test_even_the_tables_owner_empties_nothing_without_a_record(
    entry: int, superuser_dsn: str, statement: str
) -> None:
    with psycopg.connect(superuser_dsn) as link:
        link.execute("SET ROLE assay_audit")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"):
            link.execute(statement, [entry])


def test_a_record_of_an_earlier_transaction_or_of_another_entry_opens_nothing(
    entry: int, superuser_dsn: str
) -> None:
    write("payload.erased", {"entry": entry, "reason": "x"}, actor="person:eve")
    with psycopg.connect(superuser_dsn) as link:
        link.execute("SET ROLE assay_audit")
        for number in (entry, entry + 1):
            link.execute("SAVEPOINT before")
            link.execute(
                "SELECT audit_append('payload.erased', '\"person:eve\"', NULL, NULL, %s, %s)",
                [b"s" * 32, f'{{"entry":{number + 7},"reason":"x"}}'],
            )
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"):
                link.execute("UPDATE audit_payload SET body = NULL, salt = NULL WHERE entry = %s", [number])
            link.execute("ROLLBACK TO before")


def test_the_command_says_what_remains(entry: int, owner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "eraser", lambda: owner)
    out = io.StringIO()
    call_command("erasepayload", str(entry), "--by", "person:ada", "--reason", "asked for", stdout=out)
    assert "VACUUM audit_payload" in out.getvalue()
    with pytest.raises(CommandError, match="erased before"):
        call_command("erasepayload", str(entry), "--by", "person:ada", "--reason", "asked for")
    monkeypatch.setattr(erasing, "eraser", lambda: "default")
    with pytest.raises(CommandError, match="DATABASE_OWNER_URL"):
        call_command("erasepayload", str(entry), "--by", "person:ada", "--reason", "asked for")
