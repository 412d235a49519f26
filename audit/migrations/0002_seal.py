"""Sealing: the leaves of the tree in their order, signed checkpoints, where they were published; erasure.

The order of the leaves, their hashes and the hashes of complete subtrees are taken by the database itself from
the entries, so that whoever may call the function can seal early and do nothing else. Entries are taken by
transaction id up to the oldest transaction still running: "id greater than last" would lose one that commits
late.

Appending becomes one call in which the database draws the id and writes the text, one round trip less inside
every transaction that is recorded.
"""

from typing import Any

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from audit.migrations import _ground

TABLES = """
CREATE TABLE audit_leaf (
    leaf_index bigint CONSTRAINT audit_leaf_pkey PRIMARY KEY,
    entry bigint NOT NULL CONSTRAINT audit_leaf_entry_key UNIQUE,
    leaf bytea NOT NULL CONSTRAINT audit_leaf_is_a_hash CHECK (octet_length(leaf) = 32),
    xid xid8 NOT NULL
);
-- The hashes of complete subtrees of 2^8, 2^16, ... leaves: with them a proof reads a few hundred rows.
CREATE TABLE audit_node (
    height smallint NOT NULL,
    node_index bigint NOT NULL,
    hash bytea NOT NULL CONSTRAINT audit_node_is_a_hash CHECK (octet_length(hash) = 32),
    CONSTRAINT audit_node_pkey PRIMARY KEY (height, node_index)
);
-- Where each batch ended. Transaction ids mean something in their own cluster only.
CREATE TABLE audit_batch (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT audit_batch_pkey PRIMARY KEY,
    size bigint NOT NULL,
    after_xid xid8 NOT NULL,
    after_id bigint NOT NULL,
    cluster bigint NOT NULL,
    sealed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX audit_batch_size ON audit_batch (size);
CREATE TABLE audit_checkpoint (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT audit_checkpoint_pkey PRIMARY KEY,
    size bigint NOT NULL,
    root bytea NOT NULL CONSTRAINT audit_checkpoint_root_is_a_hash CHECK (octet_length(root) = 32),
    note text NOT NULL
);
CREATE INDEX audit_checkpoint_size ON audit_checkpoint (size);
CREATE TABLE audit_publication (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT audit_publication_pkey PRIMARY KEY,
    size bigint NOT NULL,
    place text NOT NULL,
    outcome text NOT NULL CONSTRAINT audit_publication_outcome_is_known
        CHECK (outcome IN ('published', 'failed', 'diverged')),
    said text NOT NULL,
    tried_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX audit_publication_place ON audit_publication (place, id);
"""
SEALED_TABLES = ("audit_leaf", "audit_node", "audit_batch", "audit_checkpoint", "audit_publication")

SEAL = """
CREATE FUNCTION audit_fold(p_hashes bytea[]) RETURNS bytea LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_row bytea[] := p_hashes;
    v_next bytea[];
BEGIN
    WHILE cardinality(v_row) > 1 LOOP
        v_next := '{}';
        FOR v_at IN 1..cardinality(v_row) / 2 LOOP
            v_next := v_next || sha256('\\x01'::bytea || v_row[2 * v_at - 1] || v_row[2 * v_at]);
        END LOOP;
        v_row := v_next;
    END LOOP;
    RETURN v_row[1];
END $$;

CREATE FUNCTION audit_add_nodes(p_old bigint, p_new bigint) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_hashes bytea[];
BEGIN
    FOR v_tile IN 1..7 LOOP
        FOR v_node IN (p_old >> (8 * v_tile))..(p_new >> (8 * v_tile)) - 1 LOOP
            IF v_tile = 1 THEN
                SELECT array_agg(leaf ORDER BY leaf_index) INTO v_hashes FROM public.audit_leaf
                WHERE leaf_index >= v_node << 8 AND leaf_index < (v_node + 1) << 8;
            ELSE
                SELECT array_agg(hash ORDER BY node_index) INTO v_hashes FROM public.audit_node
                WHERE height = 8 * (v_tile - 1) AND node_index >= v_node << 8 AND node_index < (v_node + 1) << 8;
            END IF;
            IF cardinality(v_hashes) IS DISTINCT FROM 256 THEN
                RAISE EXCEPTION 'subtree % of height % has % parts instead of 256', v_node, 8 * v_tile,
                    cardinality(v_hashes) USING ERRCODE = 'data_corrupted';
            END IF;
            INSERT INTO public.audit_node VALUES (8 * v_tile, v_node, public.audit_fold(v_hashes));
        END LOOP;
    END LOOP;
END $$;

CREATE FUNCTION audit_take_leaves(p_most integer, OUT size bigint, OUT taken bigint, OUT is_all boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_cluster bigint := (SELECT system_identifier FROM pg_control_system());
    v_horizon xid8;
    v_old bigint;
    v_batch public.audit_batch;
    v_is_elsewhere boolean;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('audit_seal'));
    SELECT * INTO v_batch FROM public.audit_batch ORDER BY id DESC LIMIT 1;
    SELECT coalesce(max(leaf_index) + 1, 0) INTO v_old FROM public.audit_leaf;
    -- Every transaction below the horizon has ended; the statements below see all of its rows.
    v_horizon := pg_snapshot_xmin(pg_current_snapshot());
    v_is_elsewhere := v_batch.cluster IS DISTINCT FROM v_cluster;
    IF v_is_elsewhere THEN
        -- The first pass, or the log was moved to another cluster, where the ids of old transactions mean
        -- nothing: take whatever has no leaf yet.
        INSERT INTO public.audit_leaf (leaf_index, entry, leaf, xid)
        SELECT v_old + row_number() OVER (ORDER BY e.xid, e.id) - 1, e.id, e.leaf, e.xid
        FROM (SELECT n.id, n.leaf, n.xid FROM public.audit_entry n
              WHERE NOT EXISTS (SELECT FROM public.audit_leaf l WHERE l.entry = n.id)
              ORDER BY n.xid, n.id LIMIT p_most) e;
    ELSE
        INSERT INTO public.audit_leaf (leaf_index, entry, leaf, xid)
        SELECT v_old + row_number() OVER (ORDER BY e.xid, e.id) - 1, e.id, e.leaf, e.xid
        FROM (SELECT n.id, n.leaf, n.xid FROM public.audit_entry n
              WHERE (n.xid, n.id) > (v_batch.after_xid, v_batch.after_id) AND n.xid < v_horizon
                AND NOT EXISTS (SELECT FROM public.audit_leaf l WHERE l.entry = n.id)
              ORDER BY n.xid, n.id LIMIT p_most) e;
    END IF;
    GET DIAGNOSTICS taken = ROW_COUNT;
    size := v_old + taken;
    is_all := taken < p_most;
    PERFORM public.audit_add_nodes(v_old, size);
    IF is_all AND (taken > 0 OR v_is_elsewhere) THEN
        INSERT INTO public.audit_batch (size, after_xid, after_id, cluster) VALUES (size, v_horizon, 0, v_cluster);
    ELSIF v_is_elsewhere AND taken > 0 THEN
        INSERT INTO public.audit_batch (size, after_xid, after_id, cluster)
        VALUES (size, coalesce(v_batch.after_xid, '0'), coalesce(v_batch.after_id, 0), coalesce(v_batch.cluster, 0));
    ELSIF taken > 0 THEN
        INSERT INTO public.audit_batch (size, after_xid, after_id, cluster)
        SELECT size, l.xid, l.entry, v_cluster FROM public.audit_leaf l WHERE l.leaf_index = v_old + taken - 1;
    END IF;
END $$;

CREATE FUNCTION audit_add_checkpoint(p_size bigint, p_root bytea, p_note text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.audit_leaf WHERE leaf_index = p_size - 1) THEN
        RAISE EXCEPTION 'there are fewer than % leaves', p_size USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF length(p_note) > 2000 OR split_part(p_note, chr(10), 2) IS DISTINCT FROM p_size::text
       OR split_part(p_note, chr(10), 3) IS DISTINCT FROM encode(p_root, 'base64') THEN
        RAISE EXCEPTION 'the note does not say the size % and the root', p_size
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO public.audit_checkpoint (size, root, note) VALUES (p_size, p_root, p_note);
END $$;

CREATE FUNCTION audit_note_publication(p_size bigint, p_place text, p_outcome text, p_said text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    INSERT INTO public.audit_publication (size, place, outcome, said)
    VALUES (p_size, left(p_place, 500), p_outcome, left(p_said, 1000));
END;
"""

ERASE = """
-- The one change that the log allows: a payload is emptied in the transaction that records its erasure.
CREATE FUNCTION audit_refuse_all_but_erasure() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.entry = OLD.entry AND NEW.salt IS NULL AND NEW.body IS NULL AND OLD.body IS NOT NULL
           AND EXISTS (SELECT FROM public.audit_entry e JOIN public.audit_payload p ON p.entry = e.id
                       WHERE e.xid = pg_current_xact_id() AND e.kind = 'payload.erased' AND e.id > OLD.entry
                         AND p.body::jsonb -> 'entry' = to_jsonb(OLD.entry)) THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only: % on % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege', HINT = 'manage.py erasepayload erases a payload on record.';
END $$;
DROP TRIGGER audit_no_change ON audit_payload;
CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE ON audit_payload
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_all_but_erasure();
ALTER TABLE audit_payload ENABLE ALWAYS TRIGGER audit_no_change;

CREATE FUNCTION audit_erase(p_entry bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.audit_payload SET salt = NULL, body = NULL WHERE entry = p_entry AND body IS NOT NULL;
    RETURN FOUND;
END $$;
"""

APPEND = """
DROP FUNCTION audit_append(bigint, timestamptz, text, text, bigint, bigint, text, bytea, text);
-- `p_actor` is JSON text, so that a name beyond ASCII is spelled as the canonical form has it.
CREATE FUNCTION audit_append(
    p_kind text, p_actor text, p_incident bigint, p_investigation bigint, p_salt bytea, p_body text,
    OUT entry bigint, OUT at timestamptz, OUT hash bytea
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_actor text := p_actor::json #>> '{}';
    v_text text;
BEGIN
    IF p_kind IS NULL OR p_kind !~ '^[a-z][a-z_]*[.][a-z][a-z_]*$' THEN
        RAISE EXCEPTION 'the kind % is malformed', p_kind USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF v_actor IS NULL OR btrim(v_actor) = '' OR p_actor !~ '^"[ -~]+"$'
       OR (v_actor ~ '^[ -~]*$' AND p_actor IS DISTINCT FROM to_json(v_actor)::text) THEN
        RAISE EXCEPTION 'the actor % is not a name as JSON in ASCII', p_actor
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF p_salt IS NULL OR octet_length(p_salt) <> 32 OR p_body IS NULL OR json_typeof(p_body::json) <> 'object' THEN
        RAISE EXCEPTION 'the payload is a JSON object with a salt of 32 bytes'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    entry := nextval('public.audit_entry_id_seq');
    at := clock_timestamp();
    v_text := concat(
        '{"actor":', p_actor, ',"id":', entry, ',"incident":', coalesce(p_incident::text, 'null'),
        ',"investigation":', coalesce(p_investigation::text, 'null'), ',"kind":"', p_kind,
        '","payload":"', encode(sha256(p_salt || convert_to(p_body, 'UTF8')), 'hex'),
        '","recorded_at":"', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '","v":1}');
    hash := sha256('\\x00'::bytea || convert_to(v_text, 'UTF8'));
    INSERT INTO public.audit_payload (entry, salt, body) VALUES (entry, p_salt, p_body);
    INSERT INTO public.audit_entry (id, recorded_at, kind, actor, incident, investigation, canonical, leaf)
    VALUES (entry, at, p_kind, v_actor, p_incident, p_investigation, v_text, hash);
END $$;
"""
SIGNATURES = {
    "append": "audit_append(text, text, bigint, bigint, bytea, text)",
    "take": "audit_take_leaves(integer)",
    "checkpoint": "audit_add_checkpoint(bigint, bytea, text)",
    "publication": "audit_note_publication(bigint, text, text, text)",
    "erase": "audit_erase(bigint)",
}


def lay(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """Make tables and functions as the one that owns the entries, and say who may call which."""
    app, migrator = _ground.application(editor), _ground.migrator(editor)
    with _ground.as_keeper(editor):
        for statements in (TABLES, SEAL, ERASE, APPEND):
            _ground.run(editor, statements)
        for table in SEALED_TABLES:
            _guard(editor, table)
        internal = (
            "audit_fold(bytea[])",
            "audit_add_nodes(bigint, bigint)",
            "audit_refuse_all_but_erasure()",
        )
        for function in (*SIGNATURES.values(), *internal):
            _ground.run(editor, f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        _ground.grant(editor, f"SELECT ON {', '.join(SEALED_TABLES)}", [app, migrator])
        called = ", ".join(SIGNATURES[name] for name in ("append", "take", "checkpoint", "publication"))
        _ground.grant(editor, f"EXECUTE ON FUNCTION {called}", [app])
        # Erasing is for whoever migrates: the application itself takes nothing out of the log.
        erasing = ", ".join(SIGNATURES[name] for name in ("append", "erase"))
        _ground.grant(editor, f"EXECUTE ON FUNCTION {erasing}", [migrator])


def _guard(editor: BaseDatabaseSchemaEditor, table: str) -> None:
    _ground.run(
        editor,
        f"CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE ON {table}"
        " FOR EACH ROW EXECUTE FUNCTION audit_refuse();"
        f"CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();"
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER audit_no_change;"
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER audit_no_truncate",
    )


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]
    operations = [
        migrations.RunPython(lay, elidable=False),
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("size", models.BigIntegerField()),
                ("root", models.BinaryField()),
                ("note", models.TextField()),
            ],
            options={"db_table": "audit_checkpoint", "managed": False},
        ),
    ]
