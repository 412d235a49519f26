"""Each process that holds a credential proves it when it starts, before anybody asks."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.conftest import wait_until
from tests.db import attempted
from tests.servers import Postgres

CONNECTORS = "connectors: {begun: {kind: postgres, title: Begun, dsn_env: BEGUN_READER_URL}}\n"


@pytest.fixture
def variables(postgres_server: Postgres, tmp_path: Path) -> Iterator[dict[str, str]]:
    (tmp_path / "connectors.yaml").write_text(CONNECTORS)
    with attempted.database(postgres_server) as dsn:
        yield {"TRIAGE_CONNECTORS": str(tmp_path / "connectors.yaml"), "BEGUN_READER_URL": dsn}


def standing(dsn: str) -> list[tuple[str, ...]]:
    with psycopg.connect(dsn) as link:
        return link.execute("SELECT connector, standing FROM toolbox_connectorproof").fetchall()


def test_the_web_process_proves_at_its_start(
    committed_db: None, variables: dict[str, str], start_web: Callable[..., str], app_dsn: str
) -> None:
    start_web(**variables)
    wait_until(lambda: standing(app_dsn) == [("begun", "proven")], seconds=30)


def test_a_worker_proves_at_its_start_and_says_what_it_found(
    committed_db: None,
    variables: dict[str, str],
    start_worker: Callable[..., "subprocess.Popen[bytes]"],
    postgres_server: Postgres,
    app_dsn: str,
) -> None:
    with psycopg.connect(postgres_server.dsn(attempted.DATABASE), autocommit=True) as link:
        link.execute(f"GRANT DELETE ON app.orders TO {attempted.READER}".encode())
    start_worker("investigate", **variables)
    wait_until(lambda: standing(app_dsn) == [("begun", "refused")], seconds=60)
