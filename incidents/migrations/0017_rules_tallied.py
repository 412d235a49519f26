"""How rules fare is kept by triggers, as the page of rules would else read every verdict.

Of each investigation the last verdict counts, so that a later one takes the one before out again. The investigation
is locked meanwhile: two verdicts at once would both take out the same one. Filled by one statement, seconds for a
million verdicts, in which nobody judges.
"""

from django.db import migrations, models

TALLY = """
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
FILL = """
INSERT INTO incidents_ruletally (hypothesis, raised, earned, overridden, last_raised_at, last_earned_at)
SELECT hypothesis, count(*) FILTER (WHERE is_last), count(*) FILTER (WHERE is_last AND passed), 0,
    max(created_at), max(created_at) FILTER (WHERE passed)
FROM (
    SELECT hypothesis, passed, created_at, NOT EXISTS (
        SELECT FROM investigations_verdict AS later
        WHERE later.investigation_id = held.investigation_id AND later.id > held.id) AS is_last
    FROM investigations_verdict AS held
) AS verdicts GROUP BY hypothesis
UNION ALL
SELECT hypothesis, 0, 0, count(*), NULL, NULL FROM investigations_verdict
WHERE id IN (SELECT verdict_id FROM incidents_resolution WHERE contradicts_verdict) GROUP BY hypothesis;
"""
UNDO = """
DROP TRIGGER IF EXISTS verdict_tallied ON investigations_verdict;
DROP TRIGGER IF EXISTS override_tallied ON incidents_resolution;
DROP FUNCTION IF EXISTS verdict_tallied, override_tallied;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0016_agent_days"),
        ("investigations", "0001_initial"),
    ]

    operations = [
        migrations.RunSQL("SET LOCAL lock_timeout = '5s'", migrations.RunSQL.noop),
        migrations.CreateModel(
            name="RuleTally",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("hypothesis", models.CharField(max_length=120)),
                (
                    "raised",
                    models.BigIntegerField(default=0, help_text="investigations whose last verdict is of it"),
                ),
                ("earned", models.BigIntegerField(default=0)),
                (
                    "overridden",
                    models.BigIntegerField(default=0, help_text="verdicts that a closing contradicted"),
                ),
                ("last_raised_at", models.DateTimeField(blank=True, null=True)),
                ("last_earned_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.RunSQL(TALLY, UNDO),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
