"""The append-only log: entries by month, payloads beside them, one function that appends.

Where the roles assay_app and assay_audit are used, everything here belongs to assay_audit, which nobody signs
in as, and the application may read and append only. With a single role the triggers alone protect the rows.
There is no way back: undoing this migration would delete the log.
"""

from typing import Any

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from audit.migrations import _ground

TABLES = """
CREATE SEQUENCE audit_entry_id_seq AS bigint;

CREATE TABLE audit_entry (
    id bigint NOT NULL,
    recorded_at timestamptz NOT NULL,
    kind text NOT NULL,
    actor text NOT NULL,
    incident bigint,
    investigation bigint,
    canonical text NOT NULL,
    leaf bytea NOT NULL CONSTRAINT audit_entry_leaf_is_a_hash CHECK (octet_length(leaf) = 32),
    -- Entries are sealed in the order of (xid, id): an id alone would lose one that commits late.
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT audit_entry_pkey PRIMARY KEY (id, recorded_at)
) PARTITION BY RANGE (recorded_at);
CREATE INDEX audit_entry_investigation ON audit_entry (investigation, id) WHERE investigation IS NOT NULL;
CREATE INDEX audit_entry_incident ON audit_entry (incident, id) WHERE incident IS NOT NULL;
CREATE INDEX audit_entry_sealing ON audit_entry (xid, id);

CREATE TABLE audit_payload (
    entry bigint CONSTRAINT audit_payload_pkey PRIMARY KEY,
    salt bytea,
    body text,
    CONSTRAINT audit_payload_is_whole_or_erased CHECK ((salt IS NULL) = (body IS NULL))
);
"""

TRIGGERS = """
CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only: % on % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege', HINT = 'Write a new entry that corrects the old one.';
END $$;

CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE ON audit_entry
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE ON audit_payload
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
-- A TRUNCATE trigger on the parent does not guard a partition truncated by its own name: each gets one when made.
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON audit_payload
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
ALTER TABLE audit_entry ENABLE ALWAYS TRIGGER audit_no_change;
ALTER TABLE audit_entry ENABLE ALWAYS TRIGGER audit_no_truncate;
ALTER TABLE audit_payload ENABLE ALWAYS TRIGGER audit_no_change;
ALTER TABLE audit_payload ENABLE ALWAYS TRIGGER audit_no_truncate;
"""

APPEND = """
CREATE FUNCTION audit_append(
    p_id bigint, p_recorded_at timestamptz, p_kind text, p_actor text, p_incident bigint, p_investigation bigint,
    p_canonical text, p_salt bytea, p_body text
) RETURNS bytea LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_expected text;
    v_leaf bytea;
BEGIN
    IF p_id IS DISTINCT FROM currval('public.audit_entry_id_seq') THEN
        RAISE EXCEPTION 'entry %: the id is not the one that this session drew last', p_id
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF p_recorded_at IS NULL OR abs(extract(epoch FROM clock_timestamp() - p_recorded_at)) > 60 THEN
        RAISE EXCEPTION 'entry %: recorded_at % is not now', p_id, p_recorded_at
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF p_kind IS NULL OR p_kind !~ '^[a-z][a-z_]*[.][a-z][a-z_]*$' OR p_actor IS NULL OR btrim(p_actor) = '' THEN
        RAISE EXCEPTION 'entry %: kind % or actor % is malformed', p_id, p_kind, p_actor
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF p_salt IS NULL OR octet_length(p_salt) <> 32 OR p_body IS NULL
       OR json_typeof(p_body::json) <> 'object' THEN
        RAISE EXCEPTION 'entry %: the payload is a JSON object with a salt of 32 bytes', p_id
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- The whole text is compared, so that nothing can be added, doubled or spelled in another way.
    v_expected := concat(
        -- A name beyond ASCII is taken as it is spelled; that it is the right name is checked below.
        '{"actor":', CASE WHEN p_actor ~ '^[ -~]*$' THEN to_json(p_actor) ELSE p_canonical::json -> 'actor' END,
        ',"id":', p_id,
        ',"incident":', coalesce(p_incident::text, 'null'),
        ',"investigation":', coalesce(p_investigation::text, 'null'),
        ',"kind":"', p_kind,
        '","payload":"', encode(sha256(p_salt || convert_to(p_body, 'UTF8')), 'hex'),
        '","recorded_at":"', to_char(p_recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        '","v":1}');
    IF p_canonical IS DISTINCT FROM v_expected
       OR p_canonical::jsonb ->> 'actor' IS DISTINCT FROM p_actor
       OR p_canonical !~ '^[ -~]*$' THEN
        RAISE EXCEPTION 'entry %: the canonical text does not say what the columns and the payload say', p_id
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'expected ' || v_expected;
    END IF;
    v_leaf := sha256('\\x00'::bytea || convert_to(p_canonical, 'UTF8'));
    -- The payload first: its key makes an id that was used before fail, whatever its time.
    INSERT INTO public.audit_payload (entry, salt, body) VALUES (p_id, p_salt, p_body);
    INSERT INTO public.audit_entry (id, recorded_at, kind, actor, incident, investigation, canonical, leaf)
    VALUES (p_id, p_recorded_at, p_kind, p_actor, p_incident, p_investigation, p_canonical, v_leaf);
    RETURN v_leaf;
END $$;
"""

PARTITIONS = """
CREATE FUNCTION audit_guard_partition(p_name text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_reader text;
BEGIN
    EXECUTE format('CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON public.%I
        FOR EACH STATEMENT EXECUTE FUNCTION public.audit_refuse()', p_name);
    EXECUTE format('ALTER TABLE public.%I ENABLE ALWAYS TRIGGER audit_no_truncate', p_name);
    -- Whoever may read the log may read the partition by its own name: pg_dump does.
    FOR v_reader IN
        SELECT DISTINCT grantee::regrole::text FROM pg_class, aclexplode(relacl)
        WHERE oid = 'public.audit_entry'::regclass AND privilege_type = 'SELECT' AND grantee <> 0
    LOOP
        EXECUTE format('GRANT SELECT ON public.%I TO %s', p_name, v_reader);
    END LOOP;
END $$;

CREATE FUNCTION audit_prepare_partitions() RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    v_first timestamp;
    v_from timestamptz;
    v_until timestamptz;
    v_name text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('audit_prepare_partitions'));
    FOR v_ahead IN 0..2 LOOP
        v_first := date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') + make_interval(months => v_ahead);
        v_from := v_first AT TIME ZONE 'UTC';
        v_until := (v_first + interval '1 month') AT TIME ZONE 'UTC';
        v_name := 'audit_entry_' || to_char(v_first, 'YYYY_MM');
        CONTINUE WHEN to_regclass('public.' || v_name) IS NOT NULL;
        CONTINUE WHEN EXISTS (SELECT FROM public.audit_entry_default
                              WHERE recorded_at >= v_from AND recorded_at < v_until);
        -- Made beside, then attached: that locks out neither readers nor writers of the other months.
        EXECUTE format('CREATE TABLE public.%I (LIKE public.audit_entry INCLUDING ALL)', v_name);
        EXECUTE format('ALTER TABLE public.audit_entry ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
                       v_name, v_from, v_until);
        PERFORM public.audit_guard_partition(v_name);
        RETURN NEXT v_name;
    END LOOP;
END $$;

CREATE TABLE audit_entry_default PARTITION OF audit_entry DEFAULT;
"""


def lay(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """Make tables, triggers and functions, as assay_audit where the migrating role may become it."""
    app, migrator = _ground.application(editor), _ground.migrator(editor)
    with _ground.as_keeper(editor):
        for statements in (TABLES, TRIGGERS, APPEND, PARTITIONS):
            _ground.run(editor, statements)
        for function in ("audit_append", "audit_prepare_partitions", "audit_guard_partition", "audit_refuse"):
            _ground.run(editor, f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        tables = "audit_entry, audit_payload, audit_entry_default, audit_entry_id_seq"
        _ground.grant(editor, f"SELECT ON {tables}", [app, migrator])
        _ground.grant(editor, "USAGE ON SEQUENCE audit_entry_id_seq", [app])
        _ground.grant(editor, "EXECUTE ON FUNCTION audit_append, audit_prepare_partitions", [app])
        _ground.run(
            editor, "SELECT audit_guard_partition('audit_entry_default'); SELECT audit_prepare_partitions()"
        )


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.RunPython(lay, elidable=False),
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
            options={"verbose_name_plural": "entries", "db_table": "audit_entry", "managed": False},
        ),
        migrations.CreateModel(
            name="Payload",
            fields=[
                ("entry", models.BigIntegerField(primary_key=True, serialize=False)),
                ("salt", models.BinaryField(null=True)),
                ("body", models.TextField(null=True)),
            ],
            options={"db_table": "audit_payload", "managed": False},
        ),
    ]
