"""Whoever acts seldom is found by an index, in every month and in those that are made later."""

import pytest
from django.db import connection

from audit.writing import write

pytestmark = pytest.mark.django_db
_PARTS = """
SELECT t.relname, i.indisvalid FROM pg_inherits h JOIN pg_class t ON t.oid = h.inhrelid
LEFT JOIN (pg_index i JOIN pg_inherits a ON a.inhrelid = i.indexrelid
           AND a.inhparent = 'audit_entry_actor'::regclass) ON i.indrelid = t.oid
WHERE h.inhparent = 'audit_entry'::regclass
"""


def _rows(query: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return list(cursor.fetchall())


def test_no_month_is_without_it() -> None:
    parts = _rows(_PARTS)
    assert len(parts) >= 4
    assert [name for name, is_valid in parts if not is_valid] == []
    whole = _rows("SELECT indisvalid FROM pg_index WHERE indexrelid = 'audit_entry_actor'::regclass")
    assert whole == [(True,)]


def test_the_entries_of_a_rare_actor_are_found_by_it() -> None:
    for number in range(400):
        write("thing.done", {"number": number}, actor="upkeep" if number else "person:rare")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    plan = _rows(
        "EXPLAIN SELECT id FROM audit_entry WHERE actor IN ('rare', 'person:rare') ORDER BY id DESC LIMIT 50"
    )
    assert any("actor_id_idx" in str(line) for (line,) in plan), plan
