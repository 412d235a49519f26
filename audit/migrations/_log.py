"""The SQL of the log itself: entries by month with payloads beside them, what refuses, what appends and erases."""

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
CREATE INDEX audit_entry_actor ON audit_entry (actor, id);
CREATE INDEX audit_entry_sealing ON audit_entry (xid, id);

CREATE TABLE audit_payload (
    entry bigint CONSTRAINT audit_payload_pkey PRIMARY KEY,
    salt bytea,
    body text,
    CONSTRAINT audit_payload_is_whole_or_erased CHECK ((salt IS NULL) = (body IS NULL))
);
"""

REFUSALS = """
CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only: % on % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege', HINT = 'Write a new entry that corrects the old one.';
END $$;

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
"""

# One value is returned: a row of three would cost the server twice as much. The id, the time and the leaf stand
# in the text or follow from it. Payload and entry are written by one statement: two cost it a tenth more.
APPEND = """
-- `p_actor` is JSON text, so that a name beyond ASCII is spelled as the canonical form has it.
CREATE FUNCTION audit_append(
    p_kind text, p_actor text, p_incident bigint, p_investigation bigint, p_salt bytea, p_body text
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_actor text := p_actor::json #>> '{}';
    v_id bigint;
    v_at timestamptz;
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
    v_id := nextval('public.audit_entry_id_seq');
    v_at := clock_timestamp();
    v_text := concat(
        '{"actor":', p_actor, ',"id":', v_id, ',"incident":', coalesce(p_incident::text, 'null'),
        ',"investigation":', coalesce(p_investigation::text, 'null'), ',"kind":"', p_kind,
        '","payload":"', encode(sha256(p_salt || convert_to(p_body, 'UTF8')), 'hex'),
        '","recorded_at":"', to_char(v_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '","v":1}');
    WITH kept AS (INSERT INTO public.audit_payload (entry, salt, body) VALUES (v_id, p_salt, p_body))
    INSERT INTO public.audit_entry (id, recorded_at, kind, actor, incident, investigation, canonical, leaf)
    VALUES (v_id, v_at, p_kind, v_actor, p_incident, p_investigation, v_text,
            sha256('\\x00'::bytea || convert_to(v_text, 'UTF8')));
    RETURN v_text;
END $$;
"""

ERASE = """
CREATE FUNCTION audit_erase(p_entry bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.audit_payload SET salt = NULL, body = NULL WHERE entry = p_entry AND body IS NOT NULL;
    RETURN FOUND;
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

IN_ORDER = (TABLES, REFUSALS, APPEND, ERASE, PARTITIONS)
