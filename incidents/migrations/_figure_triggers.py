"""What PostgreSQL notes for the figures by itself: which incidents to count anew, and how rules fare."""

from django.db import migrations

# By statement, as an incident may be one of thousands that a storm brings; the queue of what is stale has no
# unique key, so that no two writers wait for each other.
STALE = """
CREATE FUNCTION incident_stale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO incidents_staleincident (incident_id) SELECT id FROM came;
    RETURN NULL;
END $$;
CREATE TRIGGER incident_stale_new AFTER INSERT ON incidents_incident
    REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION incident_stale();
CREATE TRIGGER incident_stale_again AFTER UPDATE ON incidents_incident
    REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION incident_stale();
"""
NOT_STALE = """
DROP TRIGGER IF EXISTS incident_stale_new ON incidents_incident;
DROP TRIGGER IF EXISTS incident_stale_again ON incidents_incident;
DROP FUNCTION IF EXISTS incident_stale;
"""

# Of each investigation the last verdict counts, so that a later one takes the one before out again. The
# investigation is locked meanwhile: two verdicts at once would both take out the same one.
TALLIED = """
CREATE FUNCTION verdict_tallied() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    earlier record;
BEGIN
    PERFORM FROM investigations_investigation WHERE id = NEW.investigation_id FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM investigations_verdict WHERE investigation_id = NEW.investigation_id AND id > NEW.id) THEN
        RETURN NULL;
    END IF;
    SELECT hypothesis, passed INTO earlier FROM investigations_verdict
    WHERE investigation_id = NEW.investigation_id AND id < NEW.id ORDER BY id DESC LIMIT 1;
    IF FOUND THEN
        INSERT INTO incidents_ruletally (hypothesis, raised, earned, overridden)
        VALUES (earlier.hypothesis, -1, -earlier.passed::integer, 0);
    END IF;
    INSERT INTO incidents_ruletally (hypothesis, raised, earned, overridden, last_raised_at, last_earned_at)
    VALUES (NEW.hypothesis, 1, NEW.passed::integer, 0, NEW.created_at,
        CASE WHEN NEW.passed THEN NEW.created_at END);
    RETURN NULL;
END $$;
CREATE TRIGGER verdict_tallied AFTER INSERT ON investigations_verdict
    FOR EACH ROW EXECUTE FUNCTION verdict_tallied();
CREATE FUNCTION override_tallied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO incidents_ruletally (hypothesis, raised, earned, overridden)
    SELECT hypothesis, 0, 0, 1 FROM investigations_verdict WHERE id = NEW.verdict_id AND NOT EXISTS (
        SELECT FROM incidents_resolution WHERE incident_id = NEW.incident_id AND verdict_id = NEW.verdict_id
        AND contradicts_verdict AND id < NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER override_tallied AFTER INSERT ON incidents_resolution
    FOR EACH ROW WHEN (NEW.contradicts_verdict) EXECUTE FUNCTION override_tallied();
"""
NOT_TALLIED = """
DROP TRIGGER IF EXISTS verdict_tallied ON investigations_verdict;
DROP TRIGGER IF EXISTS override_tallied ON incidents_resolution;
DROP FUNCTION IF EXISTS verdict_tallied, override_tallied;
"""

KEPT = [migrations.RunSQL(STALE, NOT_STALE), migrations.RunSQL(TALLIED, NOT_TALLIED)]
