"""What PostgreSQL keeps for the queue by itself: the shelf, the rank, the words, and the steps of the counts."""

from django.db import migrations

COLUMNS = """
ALTER TABLE incidents_incident ADD COLUMN words tsvector;
ALTER TABLE incidents_said ADD COLUMN words tsvector NOT NULL DEFAULT ''::tsvector;
"""

# Punctuation becomes space, so that `job-4811` and `queue_drained` are found by each of their parts. Positions
# are stripped: nobody searches for phrases, and a draft's would be most of the column.
WORDS = r"""
CREATE FUNCTION incident_words(p_text text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT strip(to_tsvector('simple', translate(left(p_text, 60000),
        '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32))))
$$;
"""

SHELVED = """
CREATE FUNCTION incident_shelved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.severity_rank := coalesce(array_position(
        ARRAY['critical', 'high', 'error', 'warning', 'medium', 'low', 'info'], NEW.severity::text) - 1, 7);
    NEW.shelf := CASE
        WHEN NEW.state = 'closed' THEN 'closed'
        WHEN NEW.snoozed_until IS NOT NULL THEN 'snoozed'
        WHEN NEW.state = 'investigating' THEN 'investigating'
        WHEN NEW.verdict_passed THEN 'earned-a-pass'
        ELSE 'needs-a-person' END;
    NEW.words := incident_words(concat_ws(' ', NEW.title, NEW.sender_key, NEW.hypothesis,
            left(NEW.verdict_reason, 8000), left(NEW.identifiers::text, 8000), left(NEW.labels::text, 8000)))
        || coalesce((SELECT said.words FROM incidents_said AS said WHERE said.incident = NEW.id), ''::tsvector);
    RETURN NEW;
END $$;
CREATE TRIGGER incident_shelved_new BEFORE INSERT ON incidents_incident
    FOR EACH ROW EXECUTE FUNCTION incident_shelved();
CREATE TRIGGER incident_shelved_again BEFORE UPDATE OF state, snoozed_until, verdict_passed, severity, title,
        sender_key, hypothesis, verdict_reason, identifiers, labels, shelf, severity_rank ON incidents_incident
    FOR EACH ROW EXECUTE FUNCTION incident_shelved();
"""

# A row that has no shelf is in no count.
TALLIED = """
CREATE FUNCTION incident_tallied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO incidents_tally (team_id, source_id, kind, severity_rank, shelf, count)
        SELECT team_id, source_id, kind, severity_rank, shelf, count(*) FROM came
        WHERE shelf <> '' GROUP BY 1, 2, 3, 4, 5;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO incidents_tally (team_id, source_id, kind, severity_rank, shelf, count)
        SELECT team_id, source_id, kind, severity_rank, shelf, -count(*) FROM went
        WHERE shelf <> '' GROUP BY 1, 2, 3, 4, 5;
    ELSE
        INSERT INTO incidents_tally (team_id, source_id, kind, severity_rank, shelf, count)
        SELECT team_id, source_id, kind, severity_rank, shelf, sum(step) FROM (
            SELECT team_id, source_id, kind, severity_rank, shelf, 1 AS step FROM came
            UNION ALL
            SELECT team_id, source_id, kind, severity_rank, shelf, -1 FROM went
        ) AS steps WHERE shelf <> '' GROUP BY 1, 2, 3, 4, 5 HAVING sum(step) <> 0;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER incident_tallied_new AFTER INSERT ON incidents_incident
    REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION incident_tallied();
CREATE TRIGGER incident_tallied_gone AFTER DELETE ON incidents_incident
    REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION incident_tallied();
CREATE TRIGGER incident_tallied_again AFTER UPDATE ON incidents_incident
    REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION incident_tallied();
"""

# What is said about an incident elsewhere: its drafts and a person's edits of them, notes, and identifiers found or
# given.
SAID = """
CREATE FUNCTION incident_says(p_incident bigint, p_text text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO incidents_said AS said (incident, words) VALUES (p_incident, incident_words(p_text))
    ON CONFLICT (incident) DO UPDATE SET words = said.words || excluded.words;
    UPDATE incidents_incident SET shelf = shelf WHERE id = p_incident;
END $$;
CREATE FUNCTION draft_says() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM incident_says(run.incident_id, NEW.text)
    FROM investigations_investigation AS run WHERE run.id = NEW.investigation_id;
    RETURN NULL;
END $$;
CREATE TRIGGER draft_says AFTER INSERT OR UPDATE OF text ON investigations_draft
    FOR EACH ROW EXECUTE FUNCTION draft_says();
CREATE FUNCTION identifier_says() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM incident_says(NEW.incident_id, NEW.value);
    RETURN NULL;
END $$;
CREATE TRIGGER identifier_says AFTER INSERT ON incidents_identifier
    FOR EACH ROW EXECUTE FUNCTION identifier_says();
CREATE FUNCTION desk_says() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM incident_says(NEW.incident_id, NEW.text);
    RETURN NULL;
END $$;
CREATE TRIGGER note_says AFTER INSERT ON incidents_note FOR EACH ROW EXECUTE FUNCTION desk_says();
CREATE TRIGGER draft_edit_says AFTER INSERT ON incidents_draftedit FOR EACH ROW EXECUTE FUNCTION desk_says();
"""

UNDO = """
DROP TRIGGER IF EXISTS draft_says ON investigations_draft;
DROP TRIGGER IF EXISTS identifier_says ON incidents_identifier;
DROP TRIGGER IF EXISTS note_says ON incidents_note;
DROP TRIGGER IF EXISTS draft_edit_says ON incidents_draftedit;
DROP TRIGGER IF EXISTS incident_tallied_new ON incidents_incident;
DROP TRIGGER IF EXISTS incident_tallied_gone ON incidents_incident;
DROP TRIGGER IF EXISTS incident_tallied_again ON incidents_incident;
DROP TRIGGER IF EXISTS incident_shelved_new ON incidents_incident;
DROP TRIGGER IF EXISTS incident_shelved_again ON incidents_incident;
DROP FUNCTION IF EXISTS draft_says, identifier_says, desk_says, incident_says, incident_tallied, incident_shelved;
ALTER TABLE incidents_incident DROP COLUMN words;
DROP FUNCTION IF EXISTS incident_words;
"""

KEPT = [
    migrations.RunSQL(COLUMNS, UNDO),
    *(migrations.RunSQL(each, migrations.RunSQL.noop) for each in (WORDS, SHELVED, TALLIED, SAID)),
    migrations.RunSQL(
        "CREATE INDEX queue_words ON incidents_incident USING gin (words)", migrations.RunSQL.noop
    ),
]
