"""Whatever a PostgreSQL credential could do beyond reading is found by name, and takes its tools away."""

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from assay_core.results import Status
from tests.db import attempted
from tests.db.plants import DATABASE, ME, OWNER, PLANTS, Plant
from tests.db.test_readonly_attempts import tool
from tests.servers import Postgres
from toolbox import proofs
from toolbox.connectors.credential import Finding
from toolbox.connectors.postgres import PostgresConnector
from toolbox.deadline import Deadline

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def reader_dsn(postgres_server: Postgres) -> Iterator[str]:
    with attempted.database(postgres_server) as dsn:
        yield dsn


@pytest.fixture(scope="module")
def superuser(postgres_server: Postgres, reader_dsn: str) -> Iterator[attempted.Link]:
    with psycopg.connect(postgres_server.dsn(DATABASE), autocommit=True) as link:
        # The fixture's own door, which the hardening has shut: kept shut here.
        yield link


@pytest.fixture(scope="module")
def shared(reader_dsn: str) -> Iterator[PostgresConnector]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLANTED_READER_URL", reader_dsn)
        made = PostgresConnector("planted", "Planted", "PLANTED_READER_URL", connections=1)
        yield made
        made.close()


@pytest.fixture
def connector(shared: PostgresConnector) -> Iterator[PostgresConnector]:
    proofs.forget()
    yield shared
    proofs.forget()


def blocking(connector: PostgresConnector, *, anew: bool = False) -> list[Finding]:
    """What the proof finds, warnings apart; `anew` where a session has to begin anew to know of a change."""
    if anew:
        connector.close()
    return [finding for finding in connector.prove(Deadline(10)).findings if not finding.warning]


def cure(superuser: attempted.Link, found: list[Finding]) -> None:
    """Run the statements that the findings themselves name."""
    for statement in dict.fromkeys(finding.cure for finding in found):
        if statement.endswith(";") or "; (" in statement:
            said = statement.partition("; (")[0].replace("another_role", OWNER)
            superuser.execute(said.encode())


@pytest.mark.parametrize("plant", PLANTS, ids=[f"{plant.check}: {plant.sql[-60:]}" for plant in PLANTS])
def test_a_planted_privilege_is_found_and_takes_the_tools_away_until_its_cure_is_run(
    plant: Plant, connector: PostgresConnector, superuser: attempted.Link
) -> None:
    anew = "SETTING" in plant.privilege
    try:
        superuser.execute(plant.sql.encode())
    except psycopg.Error as error:
        pytest.skip(f"needs a newer PostgreSQL, such as the embedded one (unset DATABASE_URL): {error}")
    try:
        found = blocking(connector, anew=anew)
        reason = proofs.obstacle(connector)
        asked = connector.ask(tool("SELECT 1 AS n"), {}, datetime.now(UTC))
        assert (plant.check, plant.object, plant.privilege) in {
            (finding.check, finding.object, finding.privilege) for finding in found
        }
        assert reason.startswith("planted: its credential can do more than read, so its tools are gone: ")
        assert f"{found[0].check}: {found[0].detail} ({found[0].cure.rstrip(';')}" in reason
        assert asked.status is Status.REFUSED
        if plant.is_cured:
            cure(superuser, found)
            if plant.check == "owns" and plant.uproot:
                superuser.execute(plant.uproot.encode())
            connector.close() if anew else None
            assert proofs.obstacle(connector) == ""
    finally:
        if plant.uproot:
            superuser.execute(plant.uproot.encode())
    connector.close() if anew else None
    assert proofs.obstacle(connector) == ""


def test_a_superusers_cure_takes_nothing_away_from_others(
    connector: PostgresConnector, superuser: attempted.Link
) -> None:
    """PostgreSQL counts it as a member of every role: revoking those grants would cut their holders off."""
    superuser.execute(f"GRANT {attempted.INTERN} TO {OWNER}; ALTER ROLE {ME} SUPERUSER".encode())
    cures = {finding.cure for finding in blocking(connector)}
    superuser.execute(f"REVOKE {attempted.INTERN} FROM {OWNER}; ALTER ROLE {ME} NOSUPERUSER".encode())
    assert f"ALTER ROLE {ME} NOSUPERUSER;" in cures
    revoking = {each for each in cures if each.startswith("REVOKE")}
    assert {each for each in revoking if not each.endswith((f" {ME};", " PUBLIC;"))} == set()
    assert proofs.obstacle(connector) == ""


def test_a_session_that_becomes_somebody_else_is_found(
    connector: PostgresConnector,
    superuser: attempted.Link,
    reader_dsn: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    superuser.execute(f"GRANT {attempted.INTERN} TO {ME}".encode())
    dsn = make_conninfo(reader_dsn, options=f"-c role={attempted.INTERN}")
    monkeypatch.setenv("PLANTED_READER_URL", dsn)
    found = {finding.check for finding in blocking(connector, anew=True)}
    connector.close()
    superuser.execute(f"REVOKE {attempted.INTERN} FROM {ME}".encode())
    assert "session_is_login_role" in found


def test_what_is_tried_is_found_as_well_as_what_is_written(
    connector: PostgresConnector, superuser: attempted.Link
) -> None:
    superuser.execute(
        f"GRANT CREATE ON SCHEMA app TO {ME}; GRANT TEMPORARY ON DATABASE {DATABASE} TO {ME}".encode()
    )
    found = {finding.object for finding in blocking(connector) if finding.check == "probe"}
    tables = superuser.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'assay_probe%'").fetchone()
    superuser.execute(
        f"REVOKE CREATE ON SCHEMA app FROM {ME}; REVOKE TEMPORARY ON DATABASE {DATABASE} FROM {ME}".encode()
    )
    assert found == {"create a temporary table", "create a table in app"}
    assert tables == (0,)


def test_a_role_that_may_do_all_is_named_by_its_attribute_first(
    connector: PostgresConnector,
    postgres_server: Postgres,
    superuser: attempted.Link,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLANTED_READER_URL", postgres_server.dsn(DATABASE))
    connector.close()
    reason = proofs.obstacle(connector)
    connector.close()
    assert "role_attribute: SUPERUSER on postgres (ALTER ROLE postgres NOSUPERUSER)" in reason
    assert "more" in reason
    assert len(reason) < 1500


def test_reading_everything_and_other_databases_are_shown_and_do_not_refuse(
    connector: PostgresConnector, superuser: attempted.Link
) -> None:
    superuser.execute(f"GRANT pg_read_all_data TO {ME}".encode())
    found = connector.prove(Deadline(10)).findings
    obstacle = proofs.obstacle(connector)
    superuser.execute(f"REVOKE pg_read_all_data FROM {ME}".encode())
    assert {finding.check for finding in found} >= {"reads_everything", "other_database"}
    assert obstacle == ""


def test_the_clean_role_passes_in_under_a_tenth_of_a_second(connector: PostgresConnector) -> None:
    took = sorted(connector.prove(Deadline(10)).milliseconds for _ in range(9))
    print(f"a clean role's proof: median {took[4]:.1f} ms, first or slowest {took[-1]:.1f} ms")
    assert took[0] < 100  # on a machine that does other work besides
