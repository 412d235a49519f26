"""How long a proof is good for, what makes it new, what may be acknowledged, and what pages are told."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from assay_core.results import Status
from audit import reading
from tests.conftest import wait_until
from tests.db import attempted
from tests.db.test_readonly_attempts import tool
from tests.servers import Postgres
from toolbox import acknowledgements, gateway, prooflog, proofs, proofwatch, registry
from toolbox.called import Called
from toolbox.connectors.postgres import PostgresConnector
from toolbox.deadline import Deadline
from toolbox.prooflog import AcknowledgementRefused
from toolbox.proofrows import ConnectorProof, ToolAcknowledgement
from toolbox.scope import CallScope

pytestmark = pytest.mark.django_db
ME, DATABASE = attempted.READER, attempted.DATABASE
INSERT = ("GRANT INSERT ON app.orders TO {}", "REVOKE INSERT ON app.orders FROM {}")
TOOLS = """
connector: proven
tools:
  - name: count_orders
    title: How many orders there are
    description: {words}
    input: {{type: object, additionalProperties: false, properties: {{}}}}
    output: {{type: object}}
    shape: one
    key: counted
    sql: SELECT count(*) AS n FROM app.orders
    control: SELECT true AS holds
"""
CONNECTORS = (
    "connectors: {proven: {kind: postgres, title: Proven, dsn_env: PROVEN_READER_URL, connections: 2}}\n"
)


@pytest.fixture(scope="module")
def reader_dsn(postgres_server: Postgres) -> Iterator[str]:
    with attempted.database(postgres_server) as dsn:
        yield dsn


@pytest.fixture(scope="module")
def superuser(postgres_server: Postgres, reader_dsn: str) -> Iterator[attempted.Link]:
    with psycopg.connect(postgres_server.dsn(DATABASE), autocommit=True) as link:
        yield link


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    proofs.forget()
    acknowledgements.forget()
    yield
    proofs.forget()
    acknowledgements.forget()


@pytest.fixture
def connector(reader_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresConnector]:
    monkeypatch.setenv("PROVEN_READER_URL", reader_dsn)
    made = PostgresConnector("proven", "Proven", "PROVEN_READER_URL", connections=2)
    yield made
    made.close()


@pytest.fixture
def load(
    reader_dsn: str, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], None]]:
    """Write the tool's file with these words in it, and load it anew."""
    monkeypatch.setenv("PROVEN_READER_URL", reader_dsn)
    (tmp_path / "connectors.yaml").write_text(CONNECTORS)
    settings.TRIAGE_TOOLS = [tmp_path / "tools.yaml"]
    settings.TRIAGE_CONNECTORS = str(tmp_path / "connectors.yaml")

    def write(words: str) -> None:
        if (tmp_path / "tools.yaml").exists():
            registry.current().close()
        (tmp_path / "tools.yaml").write_text(TOOLS.format(words=words))
        registry.current.cache_clear()
        acknowledgements.forget()

    write("The first words.")
    yield write
    registry.current().close()
    registry.current.cache_clear()


def asked() -> Called:
    return gateway.call("count_orders", {}, CallScope(caller="playbook"))


def kinds(*wanted: str) -> list[str]:
    """The kinds of the last entries, of those that are wanted."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM audit_entry ORDER BY id")
        found = [reading.entry(number) for (number,) in cursor.fetchall()]
    return [stored.kind for stored in found if stored is not None and stored.kind in wanted]


def test_a_call_whose_credential_can_write_is_refused_and_its_entry_says_how_to_end_it(
    load: Callable[[str], None], superuser: attempted.Link
) -> None:
    assert asked().status is Status.OBSERVED
    superuser.execute(INSERT[0].format(ME).encode())
    try:
        proofs.forget()
        refused = asked()
    finally:
        superuser.execute(INSERT[1].format(ME).encode())
    assert refused.status is Status.REFUSED
    assert refused.reason == (
        "proven: its credential can do more than read, so its tools are gone: relation: INSERT on app.orders "
        f"through {ME} (REVOKE INSERT ON app.orders FROM {ME})"
    )
    assert asked().status is Status.OBSERVED
    found = kinds("credential.proven", "credential.refused")
    assert found == ["credential.proven", "credential.refused", "credential.proven"]


def test_a_call_whose_proof_cannot_run_is_unavailable(
    load: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROVEN_READER_URL", "postgresql://r:s3cret-word@/x?host=/nonexistent")
    called = asked()
    assert called.status is Status.UNAVAILABLE
    assert called.reason == "proven: nothing answers at the database's address"
    row = ConnectorProof.objects.get(connector="proven")
    assert (row.standing, row.reason) == ("unproven", called.reason)


def test_a_proof_that_has_grown_old_is_run_before_the_next_call(
    connector: PostgresConnector, superuser: attempted.Link, settings: Any
) -> None:
    settings.CONNECTOR_PROOF_SECONDS = 1
    assert proofs.obstacle(connector) == ""
    superuser.execute(INSERT[0].format(ME).encode())
    try:
        wait_until(lambda: proofs.obstacle(connector) != "", seconds=10)
    finally:
        superuser.execute(INSERT[1].format(ME).encode())
    assert proofs.obstacle(connector) == ""


def test_a_session_that_is_opened_anew_is_proven_before_it_is_asked(
    connector: PostgresConnector, superuser: attempted.Link
) -> None:
    assert proofs.obstacle(connector) == ""
    superuser.execute(INSERT[0].format(ME).encode())
    try:
        superuser.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = %s", [ME]
        )
        assert proofs.obstacle(connector) == ""  # the last proof is young, yet
        outcome = connector.ask(tool("SELECT 1 AS n"), {}, datetime.now(UTC))
    finally:
        superuser.execute(INSERT[1].format(ME).encode())
    assert outcome.status is Status.REFUSED
    assert "INSERT on app.orders" in outcome.reason
    assert proofs.obstacle(connector) == ""


def test_the_schedule_proves_every_credential_that_the_process_has(
    load: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    proofwatch.prove_all()
    assert ConnectorProof.objects.get().standing == "proven"
    assert proofs.standings()["proven"].is_fresh()
    proofs.forget()
    monkeypatch.setenv("PROVEN_READER_URL", "")
    proofwatch.prove_all()
    assert ConnectorProof.objects.get().standing == "proven"
    assert dict(proofs.standings()) == {}


def test_a_failed_try_on_schedule_leaves_a_young_proof_standing(
    connector: PostgresConnector, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert proofs.obstacle(connector) == ""
    connector.close()
    monkeypatch.setenv("PROVEN_READER_URL", "postgresql://r@/x?host=/nonexistent")
    assert proofs.renewed(connector).is_fresh()


def lock(superuser: attempted.Link, word: str, *functions: str) -> None:
    for function in functions:
        end = "TO" if word == "GRANT" else "FROM"
        superuser.execute(f"{word} EXECUTE ON FUNCTION {function} {end} PUBLIC".encode())


def test_what_nobody_can_revoke_is_acknowledged_by_name_and_refuses_again_when_new(
    connector: PostgresConnector, superuser: attempted.Link, make_user: Callable[..., User]
) -> None:
    ada = make_user("ada", role=Role.ADMINISTRATOR)
    now = timezone.now()
    lock(superuser, "GRANT", "pg_advisory_lock(bigint)")
    try:
        reason = proofs.obstacle(connector)
        assert reason.endswith(
            "What nobody can revoke there, an administrator may acknowledge: advisory_locks"
        )
        proof = connector.prove(Deadline(10))
        row = prooflog.acknowledge(
            "proven", proof, "advisory_locks", by=ada, because="managed server", now=now
        )
        assert row.objects_found == ["pg_advisory_lock(bigint)"]
        assert proofs.obstacle(connector) == ""
        shown = connector.prove(Deadline(10)).findings
        assert "advisory_locks" in {finding.residual for finding in shown}

        lock(superuser, "GRANT", "pg_advisory_lock(integer,integer)")
        proofs.forget()
        again = proofs.obstacle(connector)
        assert "pg_advisory_lock(integer,integer)" in again
        assert "pg_advisory_lock(bigint)" not in again

        lock(superuser, "REVOKE", "pg_advisory_lock(integer,integer)")
        assert proofs.obstacle(connector) == ""
        assert prooflog.end("proven", "advisory_locks", by=ada, now=now) == 1
        proofs.forget()
        assert "pg_advisory_lock(bigint)" in proofs.obstacle(connector)
    finally:
        lock(superuser, "REVOKE", "pg_advisory_lock(bigint)", "pg_advisory_lock(integer,integer)")
    assert kinds("residual.acknowledged", "residual.refused") == ["residual.acknowledged", "residual.refused"]


def test_an_acknowledgement_of_another_credential_counts_for_nothing(
    connector: PostgresConnector, superuser: attempted.Link, make_user: Callable[..., User]
) -> None:
    ada = make_user("ada", role=Role.ADMINISTRATOR)
    lock(superuser, "GRANT", "pg_advisory_lock(bigint)")
    try:
        row = prooflog.acknowledge(
            "proven", connector.prove(Deadline(10)), "advisory_locks", by=ada, because="x", now=timezone.now()
        )
        row.credential = "somebody@elsewhere"
        row.save()
        assert "advisory_locks" in proofs.obstacle(connector)
    finally:
        lock(superuser, "REVOKE", "pg_advisory_lock(bigint)")


@pytest.mark.parametrize(
    ("role", "name", "because", "words"),
    [
        (Role.SUPPORT, "advisory_locks", "x", "acknowledged by administrators"),
        (Role.AUDITOR, "advisory_locks", "x", "acknowledged by administrators"),
        (
            Role.ADMINISTRATOR,
            "relation",
            "x",
            "relation can be revoked, so it is not acknowledged: REVOKE INSERT",
        ),
        (Role.ADMINISTRATOR, "nonesuch", "x", "found nothing by the name 'nonesuch'"),
        (Role.ADMINISTRATOR, "", "x", "found nothing by the name ''"),
        (Role.ADMINISTRATOR, "advisory_locks", " ", "Say why"),
    ],
)
def test_an_acknowledgement_is_refused(
    connector: PostgresConnector,
    superuser: attempted.Link,
    make_user: Callable[..., User],
    role: Role, name: str, because: str, words: str,
) -> None:  # fmt: skip
    person = make_user("grace", role=role)
    lock(superuser, "GRANT", "pg_advisory_lock(bigint)")
    superuser.execute(INSERT[0].format(ME).encode())
    proof = connector.prove(Deadline(10))
    lock(superuser, "REVOKE", "pg_advisory_lock(bigint)")
    superuser.execute(INSERT[1].format(ME).encode())
    with pytest.raises(AcknowledgementRefused, match=words):
        prooflog.acknowledge("proven", proof, name, by=person, because=because, now=timezone.now())


def test_the_row_for_pages_holds_the_findings_with_their_cures(
    connector: PostgresConnector, superuser: attempted.Link
) -> None:
    superuser.execute(INSERT[0].format(ME).encode())
    proofs.obstacle(connector)
    superuser.execute(INSERT[1].format(ME).encode())
    row = ConnectorProof.objects.get(connector="proven")
    (finding,) = [finding for finding in row.findings if not finding["warning"]]
    assert row.standing == "refused"
    assert row.credential == f"{ME}@{DATABASE}"
    assert finding["cure"] == f"REVOKE INSERT ON app.orders FROM {ME};"


def test_the_first_declaration_is_the_installers_and_a_changed_one_waits_for_an_administrator(
    load: Callable[[str], None], make_user: Callable[..., User]
) -> None:
    ada, bob = make_user("ada", role=Role.ADMINISTRATOR), make_user("bob", role=Role.MANAGER)
    assert asked().status is Status.OBSERVED
    assert ToolAcknowledgement.objects.get().acknowledged_by == "installer"
    load("Other words.")
    refused = asked()
    assert refused.status is Status.REFUSED
    assert "the declaration of count_orders has changed" in refused.reason
    (changed,) = acknowledgements.changed(registry.current().definitions.values())
    assert '- "description": "The first words."' in changed.differences()
    assert '+ "description": "Other words."' in changed.differences()
    with pytest.raises(AcknowledgementRefused, match="by administrators"):
        acknowledgements.acknowledge(changed.definition, by=bob, now=timezone.now())
    acknowledgements.acknowledge(changed.definition, by=ada, now=timezone.now())
    assert asked().status is Status.OBSERVED
    with pytest.raises(AcknowledgementRefused, match="is acknowledged as it stands"):
        acknowledgements.acknowledge(changed.definition, by=ada, now=timezone.now())
    load("The first words.")
    assert asked().status is Status.OBSERVED
    assert kinds("tool.installed", "tool.acknowledged") == ["tool.installed", "tool.acknowledged"]


def test_a_tool_that_was_never_asked_needs_no_word(
    load: Callable[[str], None], make_user: Callable[..., User]
) -> None:
    definition = registry.current().definitions["count_orders"]
    with pytest.raises(AcknowledgementRefused, match="was never asked"):
        acknowledgements.acknowledge(
            definition, by=make_user("ada", role=Role.ADMINISTRATOR), now=timezone.now()
        )
