"""Appending: what the database itself refuses, and that an entry stands or falls with its transaction."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from assay_core import envelope
from assay_core.canonical import NotCanonical
from audit import partitions, reading
from audit.verification import verify
from audit.writing import EntryRefused, write

Link = psycopg.Connection[Any]


@pytest.fixture
def app(app_dsn: str) -> Iterator[Link]:
    """A plain connection as the application's role, rolled back at the end."""
    with psycopg.connect(app_dsn) as link:
        yield link
        link.rollback()


PROPER: dict[str, Any] = {
    "kind": "thing.done",
    "actor": '"system"',
    "incident": 1,
    "investigation": 2,
    "salt": b"s" * 32,
    "body": '{"a":1}',
}


def append(link: Link, **changed: Any) -> tuple[int, datetime, bytes]:
    row = link.execute(
        "SELECT audit_append(%(kind)s, %(actor)s, %(incident)s, %(investigation)s, %(salt)s, %(body)s)",
        PROPER | changed,
    ).fetchone()
    assert row is not None
    made = json.loads(row[0])
    stored = link.execute(
        "SELECT id, recorded_at, leaf FROM audit_entry WHERE id = %s", [made["id"]]
    ).fetchone()
    assert stored is not None
    return stored[0], stored[1], bytes(stored[2])


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": "Thing"},
        {"kind": "thing"},
        {"kind": 'thing.done","x":"'},
        {"kind": None},
        {"actor": None},
        {"actor": "system"},
        {"actor": '" "'},
        {"actor": '""'},
        {"actor": "null"},
        {"actor": "7"},
        {"actor": '["system"]'},
        {"actor": '{"a":"b"}'},
        {"actor": ' "system"'},
        {"actor": '"syst\\u0065m"'},
        {"actor": '"å"'},
        {"actor": '"a","id":0,"b":"c"'},
        {"salt": b"s" * 16},
        {"salt": b""},
        {"salt": None},
        {"body": "[]"},
        {"body": "no json"},
        {"body": '{"a":1} {}'},
        {"body": None},
    ],
    ids=str,
)
def test_what_is_no_entry_is_refused_by_the_database_itself(app: Link, changed: dict[str, Any]) -> None:
    with pytest.raises(psycopg.errors.DataError):
        append(app, **changed)


def test_the_id_the_time_the_text_and_the_leaf_are_the_databases(app: Link) -> None:
    number, at, found = append(app)
    assert abs((datetime.now(UTC) - at).total_seconds()) < 60
    made = envelope.Envelope(
        number, at, "thing.done", "system", 1, 2, envelope.commitment(b"s" * 32, '{"a":1}')
    )
    assert found == envelope.leaf(made.canonical())
    assert app.execute("SELECT canonical FROM audit_entry WHERE id = %s", [number]).fetchone() == (
        made.canonical(),
    )


@pytest.mark.parametrize(
    "setting", ["TimeZone = 'Asia/Kolkata'", "DateStyle = 'ISO, DMY'", "bytea_output = 'escape'"]
)
def test_no_setting_of_a_session_changes_the_text(app: Link, setting: str) -> None:
    app.execute(f"SET {setting}")
    number, at, found = append(app)
    made = envelope.Envelope(
        number, at, "thing.done", "system", 1, 2, envelope.commitment(b"s" * 32, '{"a":1}')
    )
    assert found == envelope.leaf(made.canonical())


def test_the_time_is_of_the_call_and_not_of_the_transaction(app: Link) -> None:
    began = app.execute("SELECT now()").fetchone()
    assert began is not None
    assert append(app)[1] > began[0]


@pytest.mark.parametrize(
    "kind", ["", "closed", "Incident.closed", "incident.closed.", "incident closed", "a.b\n"]
)
@pytest.mark.django_db
def test_a_malformed_kind_is_refused_with_a_cure(kind: str) -> None:
    with pytest.raises(EntryRefused, match=r"noun\.participle"):
        write(kind, {}, actor="system")


@pytest.mark.parametrize("actor", ["", "  ", "a" * 201, "a\x00b", "a\u202eb"])
@pytest.mark.django_db
def test_a_malformed_actor_is_refused(actor: str) -> None:
    with pytest.raises(EntryRefused, match="actor"):
        write("thing.done", {}, actor=actor)


@pytest.mark.parametrize("payload", [{"n": float("nan")}, {"s": "\ud800"}, {1: 2}, {"t": datetime.now(UTC)}])
@pytest.mark.django_db
def test_a_payload_that_is_not_json_is_refused(payload: dict[Any, Any]) -> None:
    with pytest.raises(NotCanonical):
        write("thing.done", payload, actor="system")


@pytest.mark.django_db
def test_an_entry_is_read_back_as_it_was_written() -> None:
    payload = {"nul": "a\x00b", "text": "é \u2028 <b>", "deep": {"b": [1, 2.5, None, True]}, "big": 2**70}
    made = write("thing.done", payload, actor='person:Ada "q" \\ é', incident=11, investigation=22)
    found = reading.entry(made.id)
    assert found is not None
    assert found.payload == payload
    assert (found.kind, found.actor) == ("thing.done", 'person:Ada "q" \\ é')
    assert (found.incident, found.investigation) == (11, 22)
    assert (found.leaf, found.recorded_at) == (made.leaf, made.recorded_at)
    assert envelope.leaf(found.canonical).hex() == made.leaf


@pytest.mark.django_db
def test_entries_are_found_by_investigation_and_incident_in_their_order() -> None:
    a = write("thing.done", {"n": 1}, actor="system", incident=5, investigation=6)
    b = write("other.done", {"n": 2}, actor="system", investigation=6)
    write("thing.done", {}, actor="system", incident=9, investigation=9)
    assert [e.id for e in reading.of_investigation(6)] == [a.id, b.id]
    assert [e.id for e in reading.of_investigation(6, kind="other.done")] == [b.id]
    assert [e.id for e in reading.of_incident(5)] == [a.id]
    assert reading.entry(10**12) is None


def test_an_entry_is_gone_with_the_transaction_that_is_rolled_back(committed_db: None) -> None:
    with transaction.atomic():
        lost = write("thing.done", {}, actor="system")
        transaction.set_rollback(True)
    kept = write("thing.done", {}, actor="system")
    assert reading.entry(lost.id) is None
    assert reading.entry(kept.id) is not None


def test_a_refused_append_dooms_the_transaction_even_if_it_is_swallowed(committed_db: None) -> None:
    with transaction.atomic():
        with pytest.raises(DatabaseError):
            write("thing.done", {}, actor="system", incident=2**70)
        assert connection.needs_rollback


def test_eight_threads_append_while_transactions_roll_back(committed_db: None) -> None:
    def work(worker: int) -> list[int]:
        kept = []
        try:
            for turn in range(40):
                with transaction.atomic():
                    made = write("thing.done", {"worker": worker, "turn": turn}, actor="system")
                    if turn % 3 == 0:
                        transaction.set_rollback(True)
                    else:
                        kept.append(made.id)
        finally:
            connection.close()
        return kept

    with ThreadPoolExecutor(8) as pool:
        kept = [number for numbers in pool.map(work, range(8)) for number in numbers]
    assert len(kept) == len(set(kept)) == 8 * 26
    assert all(reading.entry(number) is not None for number in kept[:20])
    report = verify()
    assert report.faults == ()
    assert report.checked == len(kept)


@pytest.mark.django_db
def test_the_partitions_of_three_months_exist_and_making_them_again_does_nothing() -> None:
    partitions.prepare()  # the database may have been migrated last month
    assert partitions.prepare() == ()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_inherits WHERE inhparent = 'audit_entry'::regclass")
        assert cursor.fetchone()[0] >= 4


def test_a_missing_partition_is_made_again_and_guarded(
    committed_db: None, superuser_dsn: str, app_dsn: str
) -> None:
    partitions.prepare()
    month = f"audit_entry_{datetime.now(UTC):%Y_%m}"
    with psycopg.connect(superuser_dsn) as link:
        link.execute(f"DROP TABLE {month}")
    with psycopg.connect(app_dsn) as link:
        assert link.execute("SELECT audit_prepare_partitions()").fetchall() == [(month,)]
    with psycopg.connect(superuser_dsn) as link:
        row = link.execute("SELECT tableowner FROM pg_tables WHERE tablename = %s", [month]).fetchone()
        assert row == ("assay_audit",)
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"):
            link.execute(f"TRUNCATE {month}")


def test_an_append_without_its_months_partition_goes_to_the_default_one(
    committed_db: None, superuser_dsn: str
) -> None:
    partitions.prepare()
    month = f"audit_entry_{datetime.now(UTC):%Y_%m}"
    with psycopg.connect(superuser_dsn) as link:
        link.execute(f"DROP TABLE {month}")
    made = write("thing.done", {}, actor="system")
    assert reading.entry(made.id) is not None
    assert partitions.prepare() == ()
    report = verify()
    assert (report.faults, report.in_default) == ((), 1)
    assert any("default partition" in line for line in report.sentences())
