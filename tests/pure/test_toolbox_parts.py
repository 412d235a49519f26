"""Budgets, placeholders, schemas, values, deadlines and the pool: the toolbox's small parts."""

import os
import threading
import time
from typing import Any

import pytest

from toolbox import schemas
from toolbox.connectors.pgfailures import SqlFailure, status_and_reason, why_not_connected
from toolbox.connectors.pool import Pool, PoolBusy
from toolbox.connectors.readerrole import reader_role_sql
from toolbox.deadline import Deadline, DeadlinePassed
from toolbox.placeholders import PlaceholderRefused, numbered
from toolbox.scope import Budget, CallScope
from toolbox.values import Cleaner, ValueUnreadable, strict_json


def test_a_budget_only_shrinks() -> None:
    budget = Budget(2)
    budget.shrink_to(5)
    assert budget.left == 2
    assert [budget.take() for _ in range(3)] == [True, True, False]
    budget.shrink_to(-1)
    assert budget.left == 0
    with pytest.raises(ValueError, match="use 0 or more"):
        Budget(-1)


def test_threads_never_overspend_a_budget() -> None:
    budget = Budget(100)
    taken: list[bool] = []

    def spend() -> None:
        taken.extend(budget.take() for _ in range(50))

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == 100


def test_a_scope_cannot_be_widened() -> None:
    with pytest.raises(AttributeError):
        CallScope(caller="model").allow = None  # type: ignore[misc]  # it is frozen


@pytest.mark.parametrize(
    "sql", ["%(a)s", "%s::text", "50%", "%(a)d::text", "%(A)s::text", "%(a)s AS text", "x\x00y"]
)
def test_a_placeholder_that_the_server_could_misread_is_refused(sql: str) -> None:
    with pytest.raises(PlaceholderRefused):
        numbered(sql)


@pytest.mark.parametrize(
    ("sql", "text", "names"),
    [
        ("SELECT 1", "SELECT 1", ()),
        ("%(a)s::text %(b)s :: bigint %(a)s::text", "$1::text $2 :: bigint $1::text", ("a", "b")),
        ("CAST(%(a)s AS date)", "CAST($1 AS date)", ("a",)),
        ("x LIKE '50%%' AND y = %(a)s::text", "x LIKE '50%' AND y = $1::text", ("a",)),
        ("%(a)s::text[]", "$1::text[]", ("a",)),
    ],
)
def test_a_placeholder_with_a_cast_is_numbered(sql: str, text: str, names: tuple[str, ...]) -> None:
    statement = numbered(sql)
    assert (statement.text, statement.names) == (text, names)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"properties": {"a": {"$ref": "https://example.org/schema.json"}}},
        {"allOf": [{"$dynamicRef": "file:///etc/passwd"}]},
        {"$id": "https://example.org/x", "type": "object"},
        {"$schema": "http://json-schema.org/draft-07/schema#"},
    ],
)
def test_a_schema_that_is_malformed_or_leads_outside_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(schemas.SchemaUnusable):
        schemas.check_schema(schema)


def test_a_complaint_is_short_whatever_the_value() -> None:
    assert len(schemas.complaint({"a": "x" * 100_000}, {"properties": {"a": {"maxLength": 5}}})) < 220


@pytest.mark.parametrize(
    ("pattern", "value", "fits"),
    [
        ("^[a-z]+$", "web", True),
        ("^[a-z]+$", "web\n", False),
        ("^[a-z]+$|^[0-9]+$", "7\n", False),
        (r"^[a-z$]+$", "a$", True),
        (r"^[a-z$]+$", "a$\n", False),
        (r"^a\$$", "a$", True),
        (r"^[\]$]$", "$", True),
        ("^[]$x]", "]", True),
        ("a", "b a b", True),
    ],
)
def test_a_pattern_s_end_is_the_very_end(pattern: str, value: str, fits: bool) -> None:
    assert (schemas.complaint(value, {"pattern": pattern}) == "") is fits


def test_a_value_that_fits_has_no_complaint() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"type": "integer"}},
    }
    assert schemas.complaint({"a": 1}, schema) == ""
    assert schemas.complaint({"a": "1"}, schema) == "a: '1' is not of type 'integer'"


@pytest.mark.parametrize(
    "text",
    ["", "{", "NaN", '{"a": Infinity}', "[-Infinity]", "[" * 100_000, "\x80", '{"a": 1, "a": true}'],
)
def test_what_is_not_json_is_unreadable(text: str) -> None:
    with pytest.raises(ValueUnreadable):
        strict_json(text)


def test_a_key_given_twice_with_one_value_says_one_thing() -> None:
    assert strict_json('{"level": "info", "level": "info"}') == {"level": "info"}


def test_values_keep_what_they_say_and_the_cleaner_counts_what_it_changed() -> None:
    cleaner = Cleaner()
    value = {"n\x00": ["a\ud800b", 2**53, 2**53 + 1, -(2**60), float("inf"), 1.5, None, True, "\U0001f600"]}
    assert cleaner.clean(value) == {
        "n\ufffd": [
            "a\ufffdb",
            2**53,
            str(2**53 + 1),
            str(-(2**60)),
            "Infinity",
            1.5,
            None,
            True,
            "\U0001f600",
        ]
    }
    assert cleaner.replaced == 3


def test_a_value_without_a_json_form_is_unreadable() -> None:
    deep: Any = "x"
    for _ in range(100):
        deep = [deep]
    for value in (deep, {1, 2}, b"x", {"a\x00": 1, "a\ufffd": 2}):
        with pytest.raises(ValueUnreadable):
            Cleaner().clean(value)


def test_a_deadline_that_is_over_says_how_long_it_was() -> None:
    deadline = Deadline(0.001)
    time.sleep(0.002)
    with pytest.raises(DeadlinePassed, match=r"longer than 0\.001 s"):
        deadline.left()


class Session:
    """A session as the pool sees it."""

    def __init__(self, usable: bool = True) -> None:
        self.opened = self.used = time.monotonic()
        self.usable, self.closed = usable, False

    def is_usable(self) -> bool:
        return self.usable and not self.closed

    def close(self) -> None:
        self.closed = True


def test_a_failed_connection_frees_its_place() -> None:
    def connect(_: Deadline) -> Session:
        raise OSError

    pool: Pool[Session] = Pool(connect, 1)
    for _ in range(3):
        with pytest.raises(OSError):
            pool.take(Deadline(0.1))


def test_a_session_is_used_again_until_it_is_unusable_or_discarded() -> None:
    pool: Pool[Session] = Pool(lambda _: Session(), 1)
    first = pool.take(Deadline(1))
    with pytest.raises(PoolBusy):
        pool.take(Deadline(0.01))
    pool.give_back(first)
    assert pool.take(Deadline(1)) is first
    pool.give_back(first)
    first.usable = False
    second = pool.take(Deadline(1))
    assert second is not first
    assert first.closed
    pool.discard(second)
    assert pool.take(Deadline(1)) is not second


def test_a_child_process_never_touches_its_parents_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    pool: Pool[Session] = Pool(lambda _: Session(), 1)
    parents = pool.take(Deadline(1))
    pool.give_back(parents)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert pool.take(Deadline(1)) is not parents
    pool.close()
    assert not parents.closed


@pytest.mark.parametrize(
    ("state", "status", "words"),
    [
        ("57P01", "unavailable", "shutting down"),
        ("08006", "unavailable", "connection"),
        ("53300", "unavailable", "no more connections"),
        ("57014", "error", "cancelled"),
        ("25006", "error", "tries to write"),
        ("42601", "error", "secret"),
        ("P0001", "error", "SQLSTATE P0001"),
        ("", "error", "SQLSTATE unknown"),
    ],
)
def test_each_refusal_of_a_database_has_a_type_and_a_sentence(state: str, status: str, words: str) -> None:
    ended, reason = status_and_reason(SqlFailure(state, "a secret\n" + "x" * 1000))
    assert ended == status
    assert words in reason
    assert len(reason) < 300
    assert ("secret" in reason) == (state == "42601")


def test_a_failed_connection_is_explained_without_the_drivers_words() -> None:
    text = 'connection to "db.internal" (10.0.0.7), port 5432 failed: FATAL:  role "spy" does not exist'
    assert why_not_connected(text) == "the database refuses the reader's sign-in"
    assert why_not_connected("something else at db.internal") == "no connection to the database could be made"


@pytest.mark.parametrize("name", ["", "a" * 64, "x'y", "x%y", "x\x00"])
def test_a_name_that_could_break_out_of_the_role_sql_is_refused(name: str) -> None:
    for names in (("d", "s", ["t"], name, "o"), ("d", name, ["t"], "r", "o"), ("d", "s", [name], "r", "o")):
        with pytest.raises(ValueError, match=r"is no name|names no schema"):
            reader_role_sql(*names)


def test_the_role_sql_quotes_its_names_and_sets_no_password() -> None:
    text = reader_role_sql("shop", "app", ["orders", 'odd"name'], "reader", "owner")
    assert 'GRANT SELECT ON "app"."orders", "app"."odd""name" TO "reader";' in text
    assert "PASSWORD" not in text
