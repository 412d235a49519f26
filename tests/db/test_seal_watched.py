"""What doctor and /metrics say about the seal: never signed, late and held by whom, broken, another log."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from assay_core.notes import SigningKey
from audit import lag, publishing, sealing
from audit.places import parsed
from audit.writing import write
from triage import metrics
from triage.doctor import sealed
from triage.doctor.line import Health, Line

KEY = SigningKey.make("log.example/audit")


@pytest.fixture(autouse=True)
def _database(committed_db: None, settings: Any) -> None:
    settings.AUDIT_VERIFIER = [KEY.verifier.text]


@pytest.fixture
def held(app_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A transaction that stays open while an entry waits, and an alarm that does not."""
    write("thing.done", {}, actor="system")
    sealing.seal_all(KEY)
    monkeypatch.setattr(lag, "ALARM_SECONDS", 0.0)
    with psycopg.connect(app_dsn) as link:
        link.execute("SELECT pg_current_xact_id()")
        write("thing.done", {}, actor="system")
        sealing.seal_all(KEY)
        yield link.info.backend_pid
        link.rollback()


def lines() -> dict[str, Line]:
    return {line.name: line for line in sealed.seal()}


def samples() -> dict[str, list[Any]]:
    return {family.name: family.samples for family in metrics.seal()}


def test_a_log_that_was_never_signed_is_a_warning_with_its_cure() -> None:
    assert lines()["audit seal"].health is Health.WARNING
    assert "auditkey" in lines()["audit seal"].cure
    assert lines()["audit copies"].health is Health.WARNING


def test_a_sealed_log_is_well() -> None:
    write("thing.done", {}, actor="system")
    sealing.seal_all(KEY)
    assert lines()["audit seal"].health is Health.WELL
    assert samples()["assay_seal_lag_seconds"][0].value == 0


def test_a_late_seal_fails_and_names_process_database_and_statement(held: int) -> None:
    line = lines()["audit seal"]
    assert line.health is Health.FAILING
    assert f"process {held} of assay_app in database assay_test" in line.seen
    assert f"pg_terminate_backend({held})" in line.cure
    (held_by,) = samples()["assay_seal_held"]
    assert held_by.labels["pid"] == str(held)
    assert samples()["assay_seal_waiting_entries"][0].value == 1


def test_a_tree_that_was_changed_fails(superuser_dsn: str) -> None:
    write("thing.done", {}, actor="system")
    sealing.seal_all(KEY)
    with psycopg.connect(superuser_dsn, autocommit=True) as link:
        link.execute("ALTER TABLE audit_leaf DISABLE TRIGGER ALL")
        link.execute("UPDATE audit_leaf SET leaf = sha256('x')")
    line = lines()["audit seal"]
    assert line.health is Health.FAILING
    assert "does not hold what was signed" in line.seen
    with psycopg.connect(superuser_dsn, autocommit=True) as link:
        link.execute("DELETE FROM audit_leaf")
    assert lines()["audit seal"].health is Health.FAILING


@pytest.mark.parametrize(
    ("content", "health", "outcome"),
    [
        ("", Health.WELL, "published"),
        ("nothing", Health.WARNING, "failed"),
        (None, Health.FAILING, "diverged"),
    ],
)
def test_each_copy_has_a_line_of_its_own(
    settings: Any, tmp_path: Path, content: str | None, health: Health, outcome: str
) -> None:
    place = f"file://{tmp_path}/copies"
    settings.AUDIT_PLACES = [place]
    assert lines()[f"copy at {place}"].health is Health.WARNING, "not published yet"
    other = SigningKey.make(KEY.name).sign("log.example/audit\n1\nAAAA\n")
    (tmp_path / "copies").write_text(other if content is None else content)
    write("thing.done", {}, actor="system")
    sealing.seal_all(KEY)
    publishing.publish_due(to=[parsed(place)], verifiers=[KEY.verifier])
    assert lines()[f"copy at {place}"].health is health
    found = {one.labels["outcome"]: one.value for one in samples()["assay_seal_copy"]}
    assert [name for name, value in found.items() if value] == [outcome]


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [("AUDIT_PLACES", ["ftp://x"], "audit copies"), ("AUDIT_VERIFIER", ["nonsense"], "audit seal")],
)
def test_a_setting_that_cannot_be_read_fails(settings: Any, name: str, value: list[str], line: str) -> None:
    setattr(settings, name, value)
    assert lines()[line].health is Health.FAILING
    assert name in lines()[line].seen
