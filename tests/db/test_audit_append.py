"""Appending: what the database itself refuses, and that an entry stands or falls with its transaction."""

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from assay_core import envelope as chain
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


def draw(link: Link) -> tuple[int, datetime]:
    row = link.execute("SELECT nextval('audit_entry_id_seq'), clock_timestamp()").fetchone()
    assert row is not None
    return row[0], row[1]


def proper(number: int, recorded_at: datetime, **changed: Any) -> dict[str, Any]:
    """The arguments of an append that is accepted, with single ones changed after the text was made."""
    salt, body = b"s" * 32, '{"a":1}'
    envelope = chain.Envelope(number, recorded_at, "thing.done", "system", 1, 2, chain.commitment(salt, body))
    return {
        "id": number,
        "recorded_at": recorded_at,
        "kind": "thing.done",
        "actor": "system",
        "incident": 1,
        "investigation": 2,
        "canonical": envelope.canonical(),
        "salt": salt,
        "body": body,
    } | changed


def append(link: Link, values: dict[str, Any]) -> bytes:
    row = link.execute(
        "SELECT audit_append(%(id)s, %(recorded_at)s, %(kind)s, %(actor)s, %(incident)s, %(investigation)s,"
        " %(canonical)s, %(salt)s, %(body)s)",
        values,
    ).fetchone()
    assert row is not None
    return bytes(row[0])


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": "thing.undone"},
        {"kind": "Thing"},
        {"kind": None},
        {"actor": "somebody else"},
        {"actor": " "},
        {"actor": None},
        {"incident": 7},
        {"incident": None},
        {"investigation": 7},
        {"investigation": None},
        {"salt": b"t" * 32},
        {"salt": b"s" * 16},
        {"salt": None},
        {"body": '{"a":2}'},
        {"body": "[]"},
        {"body": "no json"},
        {"body": None},
        {"canonical": "{}"},
        {"canonical": "no json"},
        {"canonical": None},
    ],
    ids=str,
)
def test_a_text_that_does_not_say_what_the_columns_say_is_refused(app: Link, changed: dict[str, Any]) -> None:
    with pytest.raises(psycopg.errors.DataError):
        append(app, proper(*draw(app), **changed))


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: text.replace('"v":1', '"v":2'),
        lambda text: text.replace('"v":1', '"v":1,"x":1'),
        lambda text: text.replace('"v":1', '"v":1 '),
        lambda text: text.replace('"id":', '"id":0,"id":'),
        lambda text: text.replace("thing.done", "thing\\u002edone"),
        lambda text: text.replace('"system"', '"syst\\u0065m"'),
    ],
)
def test_a_text_with_something_added_or_doubled_is_refused(app: Link, rewrite: Callable[[str], str]) -> None:
    values = proper(*draw(app))
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="canonical"):
        append(app, values | {"canonical": rewrite(values["canonical"])})


def test_a_short_salt_is_refused_though_its_commitment_is_right(app: Link) -> None:
    number, now = draw(app)
    envelope = chain.Envelope(number, now, "thing.done", "system", 1, 2, chain.commitment(b"short", "{}"))
    values = proper(number, now, salt=b"short", body="{}", canonical=envelope.canonical())
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="salt"):
        append(app, values)


def test_another_name_beyond_ascii_than_the_columns_is_refused(app: Link) -> None:
    values = proper(*draw(app))
    values["canonical"] = values["canonical"].replace("system", "\\u00e5sa")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="canonical"):
        append(app, values | {"actor": "ö"})


@pytest.mark.parametrize("minutes", [-2, 2, -60 * 24 * 400])
def test_a_time_that_is_not_now_is_refused(app: Link, minutes: int) -> None:
    number, now = draw(app)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="not now"):
        append(app, proper(number, now + timedelta(minutes=minutes)))


def test_an_id_that_was_not_drawn_is_refused(app: Link) -> None:
    number, now = draw(app)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="drew last"):
        append(app, proper(number + 1, now))


def test_an_id_is_refused_where_none_was_drawn(app: Link) -> None:
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        append(app, proper(1, datetime.now(UTC)))


def test_an_id_is_good_for_one_entry_only_even_at_another_time(app: Link) -> None:
    number, now = draw(app)
    append(app, proper(number, now))
    with pytest.raises(psycopg.errors.UniqueViolation):
        append(app, proper(number, now + timedelta(seconds=1)))


def test_the_leaf_is_computed_by_the_database(app: Link) -> None:
    values = proper(*draw(app))
    expected = hashlib.sha256(b"\x00" + values["canonical"].encode()).digest()
    assert append(app, values) == expected == chain.leaf(values["canonical"])


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
    assert chain.leaf(found.canonical).hex() == made.leaf


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
    assert (report.exit_code, report.faults) == (0, ())
    assert report.checked == len(kept)


@pytest.mark.django_db
def test_the_partitions_of_three_months_exist_and_making_them_again_does_nothing() -> None:
    assert partitions.prepare() == ()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_inherits WHERE inhparent = 'audit_entry'::regclass")
        assert cursor.fetchone()[0] >= 4


def test_a_missing_partition_is_made_again_and_guarded(
    committed_db: None, superuser_dsn: str, app_dsn: str
) -> None:
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
    month = f"audit_entry_{datetime.now(UTC):%Y_%m}"
    with psycopg.connect(superuser_dsn) as link:
        link.execute(f"DROP TABLE {month}")
    made = write("thing.done", {}, actor="system")
    assert reading.entry(made.id) is not None
    assert partitions.prepare() == ()
    report = verify()
    assert (report.exit_code, report.in_default) == (0, 1)
    assert any("default partition" in line for line in report.sentences())
