"""Eight processes append while transactions roll back and commit late; sealers are killed in the middle."""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from pytest_django import Settings

from assay_core import verify as offline
from assay_core.notes import SigningKey
from audit import exporting, sealing
from audit.sealverify import Against
from audit.verification import verify
from tests.servers import ROOT

KEY = SigningKey.make("log.example/audit")
PROCESSES = 8
COUNT = 20_000 if os.environ.get("FULL") == "1" else 2_000
TABLES = ("audit_entry", "audit_payload", "audit_leaf", "audit_node", "audit_checkpoint")


def appended(app_dsn: str, meanwhile: Callable[[], None]) -> list[int]:
    """Run the processes, do something meanwhile, and return the ids that they say they committed."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.db.appending", app_dsn, str(COUNT // PROCESSES), str(seed)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in range(PROCESSES)
    ]
    meanwhile()
    numbers = []
    for worker in workers:
        out, _ = worker.communicate(timeout=250)
        assert worker.returncode == 0
        numbers += [int(line) for line in out.split()]
    return numbers


def test_every_committed_entry_is_sealed_once_and_every_proof_holds(
    committed_db: None,
    app_dsn: str,
    superuser_dsn: str,
    settings: Settings,
    start_process: Callable[..., subprocess.Popen[bytes]],
) -> None:
    settings.AUDIT_VERIFIER = [KEY.verifier.text]

    def sealers_live_and_die() -> None:
        """Two work at once; each is killed with kill -9 while there is something to seal, then two more."""
        for _ in range(2):
            pair = [start_process("-m", "tests.db.sealing_on", KEY.text) for _ in range(2)]
            wait_for_batches(superuser_dsn, 3)
            for one in pair:
                one.kill()
                one.wait(10)

    committed = appended(app_dsn, sealers_live_and_die)
    sealing.seal_all(KEY, most=301)
    with psycopg.connect(superuser_dsn, autocommit=True) as link:
        check_leaves(link, committed)
        check_proofs(link)
        report = verify(against=Against([KEY.verifier]))
        assert (report.exit_code, report.faults, report.checked) == (0, (), len(committed))
        check_that_changes_are_found(link)


def wait_for_batches(dsn: str, more: int) -> None:
    """Wait until the sealers have made so many more batches."""
    from tests.conftest import wait_until

    with psycopg.connect(dsn, autocommit=True) as link:

        def batches() -> int:
            row = link.execute("SELECT count(*) FROM audit_batch").fetchone()
            assert row is not None
            return int(row[0])

        before = batches()
        wait_until(lambda: batches() >= before + more, seconds=90)


def check_leaves(link: "psycopg.Connection[Any]", committed: list[int]) -> None:
    assert len(committed) == len(set(committed)) >= COUNT
    rows = link.execute("SELECT leaf_index, entry FROM audit_leaf ORDER BY leaf_index").fetchall()
    assert [index for index, _ in rows] == list(range(len(committed)))
    assert sorted(entry for _, entry in rows) == sorted(committed)


def check_proofs(link: "psycopg.Connection[Any]") -> None:
    at, keys = exporting.newest_checkpoint(), [KEY.verifier]
    proofs = list(exporting.span(0, at.size - 1, with_payload=True))
    assert len(proofs) == at.size
    for proof in proofs:
        proof.check()
    export = "".join(proof.render() for proof in proofs[:300])
    assert offline.check_export(export, at.note, keys).code == 0
    place = random.Random(3).randrange(len(export))
    broken = export[:place] + chr(ord(export[place]) ^ 1) + export[place + 1 :]
    with pytest.raises(ValueError):
        offline.check_export(broken, at.note, keys)
    sizes = [row[0] for row in link.execute("SELECT size FROM audit_checkpoint ORDER BY size")]
    assert len(sizes) > 10
    for old, new in pairwise(sizes):
        older = exporting.checkpoint_of(old).note
        assert offline.check_growth(older, exporting.growth(old, new).render(), keys).code == 0


def check_that_changes_are_found(link: "psycopg.Connection[Any]") -> None:
    for table in TABLES:
        link.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
    chance = random.Random(5)
    for table, key, column in (
        ("audit_entry", "id", "canonical"), ("audit_entry", "id", "leaf"), ("audit_payload", "entry", "salt"),
        ("audit_leaf", "leaf_index", "leaf"), ("audit_node", "node_index", "hash"),
        ("audit_checkpoint", "id", "note"), ("audit_checkpoint", "id", "root"),
    ):  # fmt: skip
        row = link.execute(f"SELECT {key}, {column} FROM {table} ORDER BY random() LIMIT 1").fetchone()
        assert row is not None
        value = row[1].encode() if isinstance(row[1], str) else bytes(row[1])
        place = chance.randrange(len(value))
        broken = value[:place] + bytes([value[place] ^ 2]) + value[place + 1 :]
        changed = broken.decode("utf-8", "replace") if isinstance(row[1], str) else broken
        link.execute(f"UPDATE {table} SET {column} = %s WHERE {key} = %s", [changed, row[0]])
        report = verify(against=Against([KEY.verifier]))
        assert report.exit_code == 1, (table, column, place)
        if table in ("audit_entry", "audit_payload"):
            assert report.faults[0].name == f"entry {row[0]}"
        link.execute(f"UPDATE {table} SET {column} = %s WHERE {key} = %s", [row[1], row[0]])
    assert verify(against=Against([KEY.verifier])).exit_code == 0
