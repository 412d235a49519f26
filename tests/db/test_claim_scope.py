"""A claim's tools see the claimant's rows: what the example shop declares of its customers' data."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from assay_core.results import Status
from tests.db import shop
from toolbox import gateway, registry
from toolbox.scope import CallScope

CLAIM = {"order_id": "ORD-1042", "email": "jonas.berger@example.com", "customer_id": "C-2004"}
OTHERS = {"order_id": "ORD-1041", "email": "greta.vogel@example.com", "customer_id": "C-2003"}
OF_CUSTOMERS = (
    "find_order", "check_ownership", "twin_orders", "list_payments", "find_invoice", "list_refunds",
    "list_shipments", "list_emails", "find_account",
)  # fmt: skip
PERSONAL = ("Jonas Berger", "jonas.berger@example.com")


@pytest.fixture(scope="module")
def admin_dsn(postgres_server: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    dsn: str = postgres_server.dsn("postgres")
    shop.load(dsn, tmp_path_factory.getbasetemp() / "claim-logs", now=datetime.now(UTC))
    return dsn


@pytest.fixture
def tools(
    admin_dsn: str,
    tmp_path_factory: pytest.TempPathFactory,
    db: None,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
) -> Iterator[registry.Toolbox]:
    with shop.asked(monkeypatch, settings, admin_dsn, tmp_path_factory.getbasetemp() / "claim-logs"):
        yield registry.current()


def asked(tools: registry.Toolbox, name: str, values: dict[str, str]) -> dict[str, str]:
    return {argument: values[argument] for argument in tools.definitions[name].input["properties"]}


def claims(**more: Any) -> CallScope:
    return CallScope(**{"caller": "model", "subject": CLAIM, **more})


@pytest.mark.parametrize("name", OF_CUSTOMERS)
def test_another_customers_rows_are_refused_in_a_claims_investigation(
    tools: registry.Toolbox, name: str
) -> None:
    called = gateway.call(name, asked(tools, name, OTHERS), claims())
    assert (called.status, called.result) == (Status.REFUSED, None)
    assert "must be the subject's" in called.reason


@pytest.mark.parametrize("name", OF_CUSTOMERS)
@pytest.mark.parametrize("subject", [None, {}, {"email": CLAIM["email"]}])
def test_without_a_claim_that_names_it_no_row_is_seen(
    tools: registry.Toolbox, name: str, subject: dict[str, str] | None
) -> None:
    called = gateway.call(name, asked(tools, name, CLAIM), claims(subject=subject))
    assert (called.status, called.result) == (Status.REFUSED, None)


@pytest.mark.parametrize("name", [name for name in OF_CUSTOMERS if name not in ("find_account",)])
def test_the_claimants_own_rows_are_seen_without_names_and_addresses(
    tools: registry.Toolbox, name: str
) -> None:
    called = gateway.call(name, asked(tools, name, CLAIM), claims())
    assert called.status in (Status.OBSERVED, Status.EMPTY), called.reason
    shown = str(gateway.shown(called).value)
    assert not [words for words in PERSONAL if words in shown]


def test_the_record_keeps_what_readers_are_not_shown(tools: registry.Toolbox) -> None:
    called = gateway.call("list_emails", asked(tools, "list_emails", CLAIM), claims())
    assert called.result["emails"][0]["to_address"] == CLAIM["email"]
    assert gateway.shown(called).value["emails"][0]["to_address"] == "[redacted: field]"


@pytest.mark.parametrize("spelled", ["ord-1042", " ORD-1042 "])
def test_the_same_order_spelled_otherwise_is_the_claimants_still(
    tools: registry.Toolbox, spelled: str
) -> None:
    called = gateway.call("find_order", {"order_id": spelled}, claims())
    assert called.status is Status.OBSERVED, called.reason


def test_every_tool_that_asks_of_a_customer_is_held_to_the_subject(tools: registry.Toolbox) -> None:
    named = {"order_id", "email", "customer_id"}
    for tool in tools.definitions.values():
        of_customer = named & set(tool.input["properties"])
        assert set(tool.scope) == of_customer, tool.name
