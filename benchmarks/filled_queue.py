"""A database as full as after a year: incidents, one in ten of them open, each with ten audit entries.

All that an incident leaves is there: delivery, signal, investigation, case, verdict, draft, exchanges with a
model, closing. Rows are copied with the triggers switched off; what triggers keep (counts, words, what is
stale) is filled by one statement for each table, and indexes are built afterwards from their own definitions.
`python -m benchmarks.filled_queue entries 1000` fills one part of the database that the environment names.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import psycopg

from benchmarks.copying import copy, copy_into
from benchmarks.filled_rows import Year

OWNER_SETTING = "session_replication_role"
_PARTS = ("incidents", "entries")
_TALLIES = """
INSERT INTO incidents_tally (team_id, source_id, kind, severity_rank, shelf, count)
SELECT team_id, source_id, kind, severity_rank, shelf, count(*) FROM incidents_incident GROUP BY 1, 2, 3, 4, 5
"""
# As the triggers keep it; a test holds the two to each other.
RULE_TALLIES = """
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
WHERE id IN (SELECT verdict_id FROM incidents_resolution WHERE contradicts_verdict) GROUP BY hypothesis
"""
# What the triggers would have kept of a row, beside what stands in it: they were off, and nothing may differ.
_DIFFER = """
SELECT count(*) FROM incidents_incident AS held WHERE id % 997 = 0 AND (
    severity_rank, words
) IS DISTINCT FROM (
    coalesce(array_position(
        ARRAY['critical', 'high', 'error', 'warning', 'medium', 'low', 'info'], severity::text) - 1, 7),
    incident_words(concat_ws(' ', title, sender_key, hypothesis, verdict_reason, identifiers, labels))
        || coalesce((SELECT incident_words(text) FROM investigations_draft WHERE id = held.id), ''::tsvector)
)
"""
_STALE = "INSERT INTO incidents_staleincident (incident_id) SELECT id FROM incidents_incident ORDER BY id"
_INDEXES = """
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
WHERE indrelid = %s::regclass AND NOT indisunique
"""
_MONTH = """
CREATE TABLE {name} (LIKE audit_entry INCLUDING ALL);
ALTER TABLE audit_entry ATTACH PARTITION {name} FOR VALUES FROM ('{first}') TO ('{until}');
SELECT audit_guard_partition('{name}');
"""
#: As far as the seal's lag is asked for: there are no leaves, so nothing here can be proven.
_SEALED = """
INSERT INTO audit_batch (size, after_xid, after_id, cluster)
SELECT count(*), pg_current_xact_id(), max(id), 0 FROM audit_entry
"""
Link = psycopg.Connection[tuple[object, ...]]


def fill(superuser: str, variables: Mapping[str, str], count: int) -> None:
    """Copy the rows into a migrated database, in two processes, and gather what the planner knows of them."""
    with psycopg.connect(superuser, autocommit=True) as link:
        link.execute(f"GRANT SET ON PARAMETER {OWNER_SETTING} TO PUBLIC".encode())
        environment = {**os.environ, **variables, "DATABASE_POOL": ""}
        running = [
            subprocess.Popen(
                [sys.executable, "-m", "benchmarks.filled_queue", part, str(count)], env=environment
            )
            for part in _PARTS
        ]
        ended = [process.wait() for process in running]
        link.execute(f"REVOKE SET ON PARAMETER {OWNER_SETTING} FROM PUBLIC".encode())
        if any(ended):
            raise SystemExit(f"filling failed: {dict(zip(_PARTS, ended, strict=True))}")
        link.execute("VACUUM (ANALYZE)")
        link.execute("CHECKPOINT")


def main() -> None:
    """Fill the part that the arguments name."""
    from benchmarks.stand import use_django

    part, count = sys.argv[1], int(sys.argv[2])
    use_django(os.environ)
    year = Year(count)
    with psycopg.connect(os.environ["DATABASE_OWNER_URL"], autocommit=True) as link:
        link.execute(f"SET {OWNER_SETTING} = replica".encode())
        link.execute("SET maintenance_work_mem = '512MB'")
        {"incidents": _incidents, "entries": _entries}[part](link, year)


def _incidents(link: Link, year: Year) -> None:
    from benchmarks import filled_rows as rows
    from incidents.models import Delivery, Incident, Resolution, Signal
    from investigations.models import Case, Draft, Exchange, Investigation, Verdict

    rows.ground(year)
    patterns = rows.judged_patterns()
    for model, source in (
        (Investigation, rows.investigations(year, patterns)),
        (Case, rows.cases(year, patterns)),
        (Verdict, rows.verdicts(year, patterns)),
        (Draft, rows.drafts(year, patterns)),
        (Exchange, rows.exchanges(year)),
        (Delivery, rows.deliveries(year)),
        (Signal, rows.signals(year)),
        (Resolution, rows.resolutions(year)),
    ):
        _without_indexes(link, model._meta.db_table, partial(copy, link, model, source))
    words = rows.Words.asked(link, patterns)
    copy_into(link, "incidents_said", ("incident", "words"), rows.said(year, words))
    _without_indexes(
        link, "incidents_incident", lambda: copy(link, Incident, rows.incidents(year, patterns, words))
    )
    if link.execute(_DIFFER.encode()).fetchone() != (0,):
        raise SystemExit("the rows differ from what the triggers keep: bring filled_rows.py up to date")
    link.execute(_TALLIES)
    link.execute(RULE_TALLIES)
    link.execute(_STALE)


def _entries(link: Link, year: Year) -> None:
    from benchmarks import filled_rows as rows
    from toolbox.models import Call

    _without_indexes(link, "toolbox_call", lambda: copy(link, Call, rows.calls(year)))
    link.execute("SET ROLE assay_audit")  # the log is nobody else's to write
    for first, until in year.months():
        name = f"audit_entry_{first:%Y_%m}"
        if link.execute("SELECT to_regclass(%s)", [name]).fetchone() == (None,):
            link.execute(_MONTH.format(name=name, first=first, until=until).encode())
    began = time.monotonic()
    copy_into(link, "audit_payload", ("entry", "salt", "body"), rows.payloads(year))
    _say(f"audit_payload: {time.monotonic() - began:.0f} s")
    columns = ("id", "recorded_at", "kind", "actor", "incident", "investigation", "canonical", "leaf")
    copy_into(link, "audit_entry", columns, rows.entries(year))
    link.execute("SELECT setval('audit_entry_id_seq', %s)", [rows.last_entry(year)])
    link.execute(_SEALED.encode())
    _say(f"audit_entry: {time.monotonic() - began:.0f} s with its payloads")


def _without_indexes(link: Link, table: str, work: Callable[[], None]) -> None:
    """Drop the indexes that hold nothing unique, do the work, and build them as they were."""
    found: Sequence[tuple[object, ...]] = link.execute(_INDEXES, [table]).fetchall()
    for name, _ in found:
        link.execute(f"DROP INDEX {name}".encode())
    began = time.monotonic()
    work()
    copied = time.monotonic()
    for _, definition in found:
        link.execute(str(definition).encode())
    _say(f"{table}: copied in {copied - began:.0f} s, indexed in {time.monotonic() - copied:.0f} s")


def _say(words: str) -> None:
    print(f"  {words}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
