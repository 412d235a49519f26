"""A database as full as after years: incidents, one in ten of them open, and ten audit entries for each."""

import hashlib
import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
from psycopg.types.json import Jsonb

from assay_core.envelope import commitment
from assay_core.instants import as_text

OPEN_SHARE, ENTRIES = 10, 10
#: The first ones are judged and closed with everything that an incident's page shows.
WHOLE = 300
_SOURCES, _TEAMS = 20, 5
_SEVERITIES = ("critical", "high", "warning", "info", "unknown")
_THINGS = ("checkout", "payments", "refund", "search", "mail", "disk", "labels", "stock")
_FAULTS = ("timeout", "5xx rate", "queue drained", "disk full", "slow query", "crash loop")
_COLUMNS = (
    "id", "source_id", "team_id", "kind", "sender_key", "title", "severity", "labels", "annotations",
    "identifiers", "state", "started_at", "sender_clock_note", "first_received_at", "last_received_at",
    "signal_count", "flap_count", "not_shown_count", "episode_at", "snoozed_until", "assignee_id",
    "closed_at", "version", "verdict_passed", "hypothesis", "verdict_reason",
)  # fmt: skip


def fill(owner: str, variables: dict[str, str], count: int) -> None:
    """Copy the rows into a migrated database, as its owner."""
    _whole_ones(variables)
    dice = random.Random(1)
    with psycopg.connect(owner, autocommit=True) as link:
        teams = _made(
            link, _TEAMS, "INSERT INTO accounts_team (name, slug) VALUES (%(n)s, %(n)s) RETURNING id", "team"
        )
        sources = _made(
            link, _SOURCES,
            "INSERT INTO incidents_source (slug, title, adapter, team_id, secret_digest, next_secret_digest, "
            "is_active, grace_seconds, oversized_count, oversized_last_sender, patterns, rubric, created_at) "
            "VALUES (%(n)s, %(n)s, 'alertmanager', %(team)s, '', '', true, 30, 0, '', '{}', '', now()) "
            "RETURNING id",
            "source", teams,
        )  # fmt: skip
        with link.transaction(), link.cursor().copy(_copy("incidents_incident", _COLUMNS)) as copy:
            for row in _incidents(count, sources, teams, dice):
                copy.write_row(row)
        link.execute("SELECT setval('incidents_incident_id_seq', %s)", [count])
        _entries(link, count)
        link.execute("VACUUM (ANALYZE) incidents_incident")
        link.execute("ANALYZE")


def _whole_ones(variables: dict[str, str]) -> None:
    """Write some with run, case, verdict and closing, in a process of its own: Django is set up there."""
    import subprocess
    import sys

    code = (
        "import os, sys\n"
        "from benchmarks.stand import use_django\n"
        "use_django(os.environ)\n"
        "from benchmarks.replay_verdicts import prepared\n"
        "from benchmarks.stored_incidents import patterns, write\n"
        "bench = prepared()\n"
        f"write(os.environ['DATABASE_OWNER_URL'], patterns(bench.examples, bench.rulebook), {WHOLE})\n"
        "from assay_core.canonical import canonical\n"
        "from investigations.models import Case, Draft, Verdict\n"
        "from verdicts.frozen import Frozen\n"
        "from verdicts.verdict import verdict\n"
        "for row in Case.objects.all():\n"
        "    frozen = Frozen.stored(row)\n"
        "    decided = verdict(frozen.case, frozen.subject, frozen.entries, bench.rulebook)\n"
        "    Verdict.objects.filter(case=row).update(body=canonical(decided.to_plain()))\n"
        "    Draft.objects.create(investigation_id=row.investigation_id, created_at=row.judged_at,\n"
        "        verdict=Verdict.objects.get(case=row), text='The job ran again and is done. ' * 20)\n"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, **variables}, check=True)


def _made(
    link: "psycopg.Connection[tuple[int]]",
    count: int,
    statement: str,
    name: str,
    teams: list[int] | None = None,
) -> list[int]:
    found = []
    for number in range(count):
        # Every fifth source belongs to no team.
        team = teams[number % len(teams)] if teams and number % 5 else None
        row = link.execute(statement.encode(), {"n": f"{name}-{number}", "team": team}).fetchone()
        assert row
        found.append(row[0])
    return found


def _copy(table: str, columns: tuple[str, ...]) -> bytes:
    return f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()


def _incidents(
    count: int, sources: list[int], teams: list[int], dice: random.Random
) -> Iterator[tuple[object, ...]]:
    now = datetime.now(UTC)
    empty = Jsonb({})
    for number in range(WHOLE + 1, count + 1):
        at = now - timedelta(seconds=40 * (count - number) + dice.randint(0, 3600))
        place = number % _SOURCES
        is_open = number > count - count // OPEN_SHARE
        state = ("open", "review", "review", "review", "investigating")[number % 5] if is_open else "closed"
        thing, fault = dice.choice(_THINGS), dice.choice(_FAULTS)
        passed = None if state in ("open", "investigating") else number % 4 == 0
        yield (
            number, sources[place], teams[place % len(teams)] if place % 5 else None,
            ("alert", "alert", "claim")[number % 3], f"key-{number}",
            f"{thing} {fault} on host-{number % 500}",
            dice.choice(_SEVERITIES), Jsonb({"service": thing, "host": f"host-{number % 500}"}), empty,
            Jsonb({"job_id": f"job-{number}", "order_id": f"order{number}"}), state, at, "", at, at,
            1 + number % 3, 0, 0, at, now + timedelta(days=2) if is_open and number % 50 == 0 else None,
            None, None if is_open else at + timedelta(hours=1), 0, passed,
            fault.replace(" ", "_") if passed is not None else "",
            "" if passed is None else f"The job-{number} of {thing} answered as recorded.",
        )  # fmt: skip


def _entries(link: "psycopg.Connection[tuple[int]]", count: int) -> None:
    """Copy entries whose hashes hold, so that they are read as any other."""
    row = link.execute("SELECT coalesce(max(id), 0) FROM audit_entry").fetchone()
    assert row
    first, now, salt = row[0] + 1, datetime.now(UTC), b"\7" * 32
    body = '{"reason":"It was looked at and left as it is.","state":"review"}'
    promise, at = commitment(salt, body), as_text(now)
    last = first + count * ENTRIES
    entry = ("id", "recorded_at", "kind", "actor", "incident", "canonical", "leaf")
    with link.transaction():
        link.execute("SET LOCAL ROLE assay_audit")  # the log is nobody else's to write
        with link.cursor().copy(_copy("audit_payload", ("entry", "salt", "body"))) as copy:
            for number in range(first, last):
                copy.write_row((number, salt, body))
        with link.cursor().copy(_copy("audit_entry", entry)) as copy:
            for number in range(first, last):
                incident = 1 + (number - first) // ENTRIES
                text = (
                    f'{{"actor":"worker","id":{number},"incident":{incident},"investigation":null,'
                    f'"kind":"incident.judged","payload":"{promise}","recorded_at":"{at}","v":1}}'
                )
                leaf = hashlib.sha256(b"\0" + text.encode()).digest()
                copy.write_row((number, now, "incident.judged", "worker", incident, text, leaf))
        link.execute("SELECT setval('audit_entry_id_seq', %s)", [last])
