"""The page of a connector: its findings, what an administrator accepts there, and who may not."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from accounts.roles import Role
from tests.db import attempted
from tests.servers import Postgres
from tests.web.pages import MakeUser, a_person, text_of
from toolbox import acknowledgements, gateway, proofs, registry
from toolbox.proofrows import ResidualAcknowledgement, ToolAcknowledgement
from toolbox.scope import CallScope

pytestmark = pytest.mark.django_db
ME = attempted.READER
TOOLS = """
connector: shop
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
CONNECTORS = """
connectors:
  shop: {kind: postgres, title: The <b>shop</b>, dsn_env: PAGE_READER_URL}
  logs: {kind: jsonlines, title: Logs, folder_env: PAGE_LOGS}
"""
MOVES = ("prove", "acknowledge", "take-back")


@pytest.fixture(scope="module")
def reader_dsn(postgres_server: Postgres) -> Iterator[str]:
    with attempted.database(postgres_server) as dsn:
        yield dsn


@pytest.fixture
def plant(postgres_server: Postgres, reader_dsn: str) -> Iterator[Callable[[str], None]]:
    """Run SQL as the superuser; what the tests plant is uprooted afterwards."""
    with psycopg.connect(postgres_server.dsn(attempted.DATABASE), autocommit=True) as link:

        def run(sql: str) -> None:
            link.execute(sql.encode())

        yield run
        link.execute(f"REVOKE INSERT ON app.orders FROM {ME}".encode())
        link.execute("REVOKE EXECUTE ON FUNCTION pg_advisory_lock(bigint) FROM PUBLIC")


@pytest.fixture(autouse=True)
def load(
    reader_dsn: str, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], None]]:
    monkeypatch.setenv("PAGE_READER_URL", reader_dsn)
    (tmp_path / "connectors.yaml").write_text(CONNECTORS)
    settings.TRIAGE_TOOLS = [tmp_path / "tools.yaml"]
    settings.TRIAGE_CONNECTORS = str(tmp_path / "connectors.yaml")

    def write(words: str) -> None:
        if (tmp_path / "tools.yaml").exists():
            registry.current().close()
        (tmp_path / "tools.yaml").write_text(TOOLS.format(words=words))
        registry.current.cache_clear()
        acknowledgements.forget()
        proofs.forget()

    write("First words.")
    yield write
    registry.current().close()
    registry.current.cache_clear()
    proofs.forget()
    acknowledgements.forget()


def test_a_stranger_and_a_connector_that_is_not_there(make_user: MakeUser, client: Any) -> None:
    assert client.get("/connectors/shop/").status_code == 302
    assert a_person(make_user).get("/connectors/nonesuch/").status_code == 404


def test_everybody_sees_the_page_and_only_administrators_act_on_it(
    make_user: MakeUser, plant: Callable[[str], None]
) -> None:
    plant("GRANT EXECUTE ON FUNCTION pg_advisory_lock(bigint) TO PUBLIC")
    manager = a_person(make_user, "grace", Role.MANAGER)
    page = manager.get("/connectors/shop/")
    assert page.status_code == 200
    assert "not proven yet" in text_of(page)
    assert "The &lt;b&gt;shop&lt;/b&gt;" in text_of(page)
    for move in MOVES:
        assert manager.post(f"/connectors/shop/{move}/", {"name": "advisory_locks"}).status_code == 403
    assert manager.post("/tools/count_orders/acknowledge/").status_code == 403
    assert not ResidualAcknowledgement.objects.exists()
    administrator = a_person(make_user, "ada", Role.ADMINISTRATOR)
    for move in MOVES:
        assert administrator.get(f"/connectors/shop/{move}/").status_code == 405
        assert administrator.post(f"/connectors/nonesuch/{move}/").status_code == 404


def test_a_way_to_write_is_shown_with_what_ends_it_and_cannot_be_acknowledged(
    make_user: MakeUser, plant: Callable[[str], None]
) -> None:
    plant(f"GRANT INSERT ON app.orders TO {ME}")
    ada = a_person(make_user, "ada", Role.ADMINISTRATOR)
    assert ada.post("/connectors/shop/prove/").status_code == 302
    page = text_of(ada.get("/connectors/shop/"))
    assert "can do more than read" in page
    assert f"REVOKE INSERT ON app.orders FROM {ME};" in page
    assert "Acknowledge what nobody can revoke there" not in page
    refused = ada.post("/connectors/shop/acknowledge/", {"name": "relation", "because": "x"})
    assert refused.status_code == 422
    assert "relation can be revoked, so it is not acknowledged" in text_of(refused)


def test_what_nobody_can_revoke_is_acknowledged_shown_and_taken_back(
    make_user: MakeUser, plant: Callable[[str], None]
) -> None:
    plant("GRANT EXECUTE ON FUNCTION pg_advisory_lock(bigint) TO PUBLIC")
    ada = a_person(make_user, "ada", Role.ADMINISTRATOR)
    ada.post("/connectors/shop/prove/")
    assert '<option value="advisory_locks">' in text_of(ada.get("/connectors/shop/"))
    unsaid = ada.post("/connectors/shop/acknowledge/", {"name": "advisory_locks", "because": ""})
    assert (unsaid.status_code, "Say why" in text_of(unsaid)) == (422, True)
    said = {"name": "advisory_locks", "because": "The <i>provider</i> keeps it"}
    assert ada.post("/connectors/shop/acknowledge/", said).status_code == 302
    page = text_of(ada.get("/connectors/shop/"))
    assert "proven to read only" in page
    assert "The &lt;i&gt;provider&lt;/i&gt; keeps it" in page
    assert "pg_advisory_lock(bigint)" in page
    assert gateway.call("count_orders", {}, CallScope(caller="x")).status == "observed"
    assert ada.post("/connectors/shop/take-back/", {"name": "advisory_locks"}).status_code == 302
    assert "can do more than read" in text_of(ada.get("/connectors/shop/"))
    again = ada.post("/connectors/shop/take-back/", {"name": "advisory_locks"})
    assert (again.status_code, "is not acknowledged for shop" in text_of(again)) == (422, True)


def test_a_connector_without_a_credential_and_one_out_of_reach_say_so(
    make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = a_person(make_user, "ada", Role.ADMINISTRATOR)
    assert "nothing to prove" in text_of(ada.get("/connectors/logs/"))
    for move in ("prove", "acknowledge"):
        assert ada.post(f"/connectors/logs/{move}/", {"name": "x"}).status_code == 422
    registry.current().close()
    monkeypatch.setenv("PAGE_READER_URL", "postgresql://r:s3cret-word@/x?host=/nonexistent")
    assert ada.post("/connectors/shop/prove/").status_code == 302
    page = text_of(ada.get("/connectors/shop/"))
    assert "could not be proven" in page
    assert "nothing answers at the database" in page
    assert "s3cret-word" not in page
    refused = ada.post("/connectors/shop/acknowledge/", {"name": "advisory_locks", "because": "x"})
    assert (refused.status_code, "the proof could not be run" in text_of(refused)) == (422, True)


def test_a_changed_tool_is_shown_and_accepted_only_as_it_was_shown(
    make_user: MakeUser, load: Callable[[str], None]
) -> None:
    ada = a_person(make_user, "ada", Role.ADMINISTRATOR)
    gateway.call("count_orders", {}, CallScope(caller="x"))
    load("Second <i>words</i>.")
    shown = registry.current().definitions["count_orders"].digest
    page = text_of(ada.get("/connectors/shop/"))
    assert "+ &quot;description&quot;: &quot;Second &lt;i&gt;words&lt;/i&gt;.&quot;" in page
    load("Third words.")
    stale = ada.post("/tools/count_orders/acknowledge/", {"digest": shown})
    assert (stale.status_code, "has changed again since you looked" in text_of(stale)) == (422, True)
    now = registry.current().definitions["count_orders"].digest
    assert ada.post("/tools/count_orders/acknowledge/", {"digest": now}).status_code == 302
    assert ToolAcknowledgement.objects.latest("pk").acknowledged_by == "person:ada"
    twice = ada.post("/tools/count_orders/acknowledge/", {"digest": now})
    assert (twice.status_code, "is acknowledged as it stands" in text_of(twice)) == (422, True)
    assert ada.post("/tools/nonesuch/acknowledge/", {"digest": now}).status_code == 404
