"""An index by who acted: the entries of somebody who acts seldom are found without reading a whole month.

Safe on a live log: the parent's index is made empty, then each partition's beside its writers, and attached.
Interrupted, it goes on where it stopped.
"""

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from audit.migrations import _ground

_WITHOUT = """
SELECT coalesce(string_agg(t.relname, ' ' ORDER BY t.relname), '')
FROM pg_inherits h JOIN pg_class t ON t.oid = h.inhrelid
WHERE h.inhparent = 'public.audit_entry'::regclass AND NOT EXISTS (
    SELECT FROM pg_index i JOIN pg_inherits a ON a.inhrelid = i.indexrelid
    WHERE i.indrelid = t.oid AND a.inhparent = 'public.audit_entry_actor'::regclass)
"""


def build(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """Make the index of every partition that has none yet, as the one that owns the entries."""
    keeper = _ground.keeper(editor)
    _ground.run(editor, "SET lock_timeout = '5s'; SET statement_timeout = 0")
    if keeper:
        _ground.run(editor, f"SET ROLE {_ground.quoted(editor, [keeper])}")
    try:
        _ground.run(
            editor, "CREATE INDEX IF NOT EXISTS audit_entry_actor ON ONLY public.audit_entry (actor, id)"
        )
        for partition in _ground.one(editor, _WITHOUT).split():
            _build_one(editor, partition)
    finally:
        if keeper:
            _ground.run(editor, "RESET ROLE")
        _ground.run(editor, "RESET lock_timeout; RESET statement_timeout")


def _build_one(editor: BaseDatabaseSchemaEditor, partition: str) -> None:
    name = f"{partition}_by_actor"
    # What an interrupted run left is not valid and would never be used.
    _ground.run(editor, f"DROP INDEX CONCURRENTLY IF EXISTS public.{name}")
    _ground.run(editor, f"CREATE INDEX CONCURRENTLY {name} ON public.{partition} (actor, id)")
    _ground.run(editor, f"ALTER INDEX public.audit_entry_actor ATTACH PARTITION public.{name}")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("audit", "0003_append_returns_text")]
    operations = [migrations.RunPython(build, elidable=False)]
