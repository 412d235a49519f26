"""The SQL of the seal: leaves in their order, complete subtrees, checkpoints and where they were published.

The order of the leaves, their hashes and the hashes of complete subtrees are taken by the database itself from
the entries, so that whoever may call the function can seal early and do nothing else. Entries are taken by
transaction id up to the oldest transaction still running: "id greater than last" would lose one that commits
late.
"""

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

IN_ORDER = (TABLES, SEAL)
