"""The append-only log and its seal: entries by month, payloads beside them, one function that appends.

Where the roles assay_app and assay_audit are used, everything here belongs to assay_audit, which nobody signs
in as, and the application may read and append only. With a single role the triggers alone protect the rows.
There is no way back: undoing this migration would delete the log.
"""

from typing import Any

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from audit.migrations import _ground, _log, _seal

SEALED = ("audit_leaf", "audit_node", "audit_batch", "audit_checkpoint", "audit_publication")
READ = ("audit_entry", "audit_payload", "audit_entry_default", "audit_entry_id_seq", *SEALED)
# Each table with what refuses a change of its rows.
REFUSED_BY = {
    "audit_entry": "audit_refuse",
    "audit_payload": "audit_refuse_all_but_erasure",
    **dict.fromkeys(SEALED, "audit_refuse"),
}
CALLED_BY_THE_APPLICATION = (
    "audit_append",
    "audit_prepare_partitions",
    "audit_take_leaves",
    "audit_add_checkpoint",
    "audit_note_publication",
)
# Erasing is for whoever migrates: the application itself takes nothing out of the log.
CALLED_BY_THE_MIGRATOR = ("audit_append", "audit_erase")
CALLED_WITHIN = (
    "audit_refuse",
    "audit_refuse_all_but_erasure",
    "audit_guard_partition",
    "audit_fold",
    "audit_add_nodes",
)


def lay(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """Make tables, triggers and functions as assay_audit, where the migrating role may become it."""
    app, migrator = _ground.application(editor), _ground.migrator(editor)
    with _ground.as_keeper(editor):
        for statements in (*_log.IN_ORDER, *_seal.IN_ORDER):
            _ground.run(editor, statements)
        for table, refusal in REFUSED_BY.items():
            _guard(editor, table, refusal)
        functions = {*CALLED_BY_THE_APPLICATION, *CALLED_BY_THE_MIGRATOR, *CALLED_WITHIN}
        _ground.run(editor, f"REVOKE ALL ON FUNCTION {', '.join(sorted(functions))} FROM PUBLIC")
        _ground.grant(editor, f"SELECT ON {', '.join(READ)}", [app, migrator])
        _ground.grant(editor, "USAGE ON SEQUENCE audit_entry_id_seq", [app])
        _ground.grant(editor, f"EXECUTE ON FUNCTION {', '.join(CALLED_BY_THE_APPLICATION)}", [app])
        _ground.grant(editor, f"EXECUTE ON FUNCTION {', '.join(CALLED_BY_THE_MIGRATOR)}", [migrator])
        # Only now: a partition is read by those who may read its parent.
        _ground.run(
            editor, "SELECT audit_guard_partition('audit_entry_default'); SELECT audit_prepare_partitions()"
        )


def _guard(editor: BaseDatabaseSchemaEditor, table: str, refusal: str) -> None:
    # A TRUNCATE trigger on the parent does not guard a partition truncated by its own name: each gets one when made.
    _ground.run(
        editor,
        f"CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION {refusal}();"
        f"CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();"
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER audit_no_change;"
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER audit_no_truncate",
    )


ROWS = [
    migrations.CreateModel(
        name="Entry",
        fields=[
            ("id", models.BigIntegerField(primary_key=True, serialize=False)),
            ("recorded_at", models.DateTimeField()),
            ("kind", models.TextField()),
            ("actor", models.TextField()),
            ("incident", models.BigIntegerField(null=True)),
            ("investigation", models.BigIntegerField(null=True)),
            ("canonical", models.TextField()),
            ("leaf", models.BinaryField()),
        ],
        options={
            "verbose_name_plural": "entries",
            "db_table": "audit_entry",
            "managed": False,
        },
    ),
    migrations.CreateModel(
        name="Payload",
        fields=[
            ("entry", models.BigIntegerField(primary_key=True, serialize=False)),
            ("salt", models.BinaryField(null=True)),
            ("body", models.TextField(null=True)),
        ],
        options={
            "db_table": "audit_payload",
            "managed": False,
        },
    ),
    migrations.CreateModel(
        name="Checkpoint",
        fields=[
            ("id", models.BigIntegerField(primary_key=True, serialize=False)),
            ("size", models.BigIntegerField()),
            ("root", models.BinaryField()),
            ("note", models.TextField()),
        ],
        options={
            "db_table": "audit_checkpoint",
            "managed": False,
        },
    ),
]


class Migration(migrations.Migration):
    initial = True
    # So that a database that had them all goes on without work.
    replaces = [
        ("audit", "0002_seal"),
        ("audit", "0003_append_returns_text"),
        ("audit", "0004_find_by_actor"),
        ("audit", "0005_append_by_one_statement"),
    ]
    dependencies = []
    operations = [migrations.RunPython(lay, elidable=False), *ROWS]
