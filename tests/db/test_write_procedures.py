"""job.retry in the example shop: a real procedure, called by a role that can do nothing else."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import conninfo

from accounts.models import User
from accounts.roles import Role
from approvals import preparing, services, verifying
from approvals.actions import registry
from approvals.actions.base import ActionFailed, CouldNotCheck, Observed, Proposal
from approvals.actions.call_procedure import CallProcedure
from approvals.hands import Credential
from approvals.models import CredentialProbe
from approvals.outcomes import Proposer
from examples.shop import world as shop_world
from examples.shop import writer
from tests.db import shop
from tests.db.writing import World

PASSWORD = "a long password of the writer"
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def loaded(servers: Any, django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The shop with its writer; returns the superuser's address of its database."""
    admin = servers.postgres.dsn("postgres")
    shop_world.load(
        admin,
        reader_password=shop.PASSWORD,
        writer_password=PASSWORD,
        now=NOW,
        logs=tmp_path_factory.mktemp("l"),
    )
    return str(servers.postgres.dsn("shop"))


@pytest.fixture
def hands(loaded: str) -> Credential:
    parts: dict[str, Any] = {**conninfo.conninfo_to_dict(loaded), "user": writer.WRITER, "password": PASSWORD}
    return Credential("shop_writer", {"dsn": conninfo.make_conninfo("", **parts)})


@pytest.fixture
def asked(
    loaded: str, db: None, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path, servers: Any
) -> Iterator[None]:
    settings.TRIAGE_ACTIONS = str(shop.SHOP / "actions.yaml")
    with shop.asked(monkeypatch, settings, servers.postgres.dsn("postgres"), tmp_path):
        yield


@pytest.fixture
def retry(asked: None) -> CallProcedure:
    found = registry.current().actions["job.retry"]
    assert isinstance(found, CallProcedure)
    return found


@pytest.fixture
def job(loaded: str) -> str:
    """A dead job."""
    with psycopg.connect(loaded, autocommit=True) as link:
        row = link.execute("SELECT id FROM shop.jobs ORDER BY id LIMIT 1").fetchone()
        assert row is not None
        link.execute("DELETE FROM shop.job_retries")
        link.execute("UPDATE shop.jobs SET state = 'dead' WHERE id = %s", [row[0]])
    return str(row[0])


def test_the_writer_can_call_its_procedure_and_nothing_else(retry: CallProcedure, hands: Credential) -> None:
    assert retry.probe(hands) == ""


@pytest.mark.parametrize(
    ("grant", "undo", "said"),
    [
        (
            "GRANT UPDATE ON shop.jobs TO shop_writer",
            "REVOKE UPDATE ON shop.jobs FROM shop_writer",
            "write to shop.jobs",
        ),
        ("ALTER ROLE shop_writer CREATEDB", "ALTER ROLE shop_writer NOCREATEDB", "make databases"),
        ("GRANT shop_owner TO shop_writer", "REVOKE shop_owner FROM shop_writer", "it is a member of"),
        (
            "REVOKE EXECUTE ON PROCEDURE shop.retry_job FROM shop_writer",
            "GRANT EXECUTE ON PROCEDURE shop.retry_job TO shop_writer",
            "may not call shop.retry_job",
        ),
    ],
)
def test_a_probe_says_what_is_too_much_or_missing(
    retry: CallProcedure, hands: Credential, loaded: str, grant: str, undo: str, said: str
) -> None:
    with psycopg.connect(loaded, autocommit=True) as link:
        link.execute(grant)
        try:
            assert said in retry.probe(hands)
        finally:
            link.execute(undo)


def test_an_unreachable_database_is_said_without_its_address(retry: CallProcedure) -> None:
    nowhere = Credential(
        "shop_writer", {"dsn": "host=127.0.0.1 port=1 user=secret-name password=secret-word"}
    )
    with pytest.raises(CouldNotCheck) as caught:
        retry.probe(nowhere)
    assert "secret" not in str(caught.value)
    with pytest.raises(ActionFailed):
        retry.execute({"job_id": "x"}, Observed(""), nowhere, "key")


def test_the_server_s_no_is_a_failure_and_the_same_key_runs_once(
    retry: CallProcedure, hands: Credential, loaded: str, job: str
) -> None:
    with pytest.raises(ActionFailed, match="P0001"):
        retry.execute({"job_id": _alive(loaded)}, Observed(""), hands, "a" * 64)
    retry.execute({"job_id": job}, Observed(""), hands, "b" * 64)
    retry.execute({"job_id": job}, Observed(""), hands, "b" * 64)
    with psycopg.connect(loaded) as link:
        assert link.execute("SELECT count(*) FROM shop.job_retries").fetchone() == (1,)


def _alive(loaded: str) -> str:
    with psycopg.connect(loaded) as link:
        row = link.execute("SELECT id FROM shop.jobs WHERE state <> 'dead' LIMIT 1").fetchone()
    assert row is not None
    return str(row[0])


def test_a_dead_job_is_queued_again_and_seen_to_be(
    retry: CallProcedure, hands: Credential, job: str, make_user: Callable[..., User], settings: Any
) -> None:
    settings.EXECUTOR_SECRETS = json.dumps({"shop_writer": dict(hands.fields)})
    world = World(make_user)
    world.switch()
    CredentialProbe.objects.create(credential="shop_writer", is_ok=True, probed_at=world.now)
    request = services.propose(
        Proposal("job.retry", {"job_id": job}, "The upstream is back."), by=Proposer("model"),
        incident=None, investigation=None, cites=(), now=world.now,
    )  # fmt: skip
    preparing.prepare(request.pk, now=world.now)
    request.refresh_from_db()
    assert request.digest, request.outcome
    world.decide(request, world.person(Role.ON_CALL))
    assert world.execute(request).state == "succeeded", request.outcome
    world.later(seconds=5)
    verifying.verify(request.pk, now=world.now)
    request.refresh_from_db()
    assert request.verification == "verified", request.verified_how


def test_a_job_that_is_not_dead_is_withdrawn_with_the_reason(
    retry: CallProcedure,
    hands: Credential,
    job: str,
    loaded: str,
    make_user: Callable[..., User],
    settings: Any,
) -> None:
    request = services.propose(
        Proposal("job.retry", {"job_id": _alive(loaded)}, "It may help."), by=Proposer("model"),
        incident=None, investigation=None, cites=(), now=NOW,
    )  # fmt: skip
    preparing.prepare(request.pk, now=NOW)
    request.refresh_from_db()
    assert request.state == "withdrawn"
    assert "job.state is" in request.outcome
