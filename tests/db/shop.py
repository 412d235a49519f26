"""The example shop on the tests' server, and what the application has to be told to ask it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from psycopg import conninfo

from examples.shop import reader, world
from investigations import rulebook
from investigations.citations import declared
from toolbox import registry

SHOP = Path(world.__file__).parent
PASSWORD = "a long password of the reader"


def load(admin_dsn: str, logs: Path, *, now: datetime) -> None:
    """Load the world as of `now`: a time of the test's own, since what the tools find ages from it on."""
    world.load(admin_dsn, reader_password=PASSWORD, now=now, logs=logs)


def reader_dsn(admin_dsn: str) -> str:
    """Return the shop's database as its reader."""
    parts: dict[str, Any] = {**conninfo.conninfo_to_dict(admin_dsn)}
    parts |= {"dbname": world.DATABASE, "user": reader.READER, "password": PASSWORD}
    return conninfo.make_conninfo(**parts)


@contextmanager
def asked(monkeypatch: pytest.MonkeyPatch, settings: Any, admin_dsn: str, logs: Path) -> Iterator[None]:
    """Let the gateway and the rulebook use the shop's tools; afterwards forget them."""
    monkeypatch.setenv("SHOP_READER_URL", reader_dsn(admin_dsn))
    monkeypatch.setenv("SHOP_LOGS", str(logs))
    settings.TRIAGE_TOOLS = [SHOP / "tools"]
    settings.TRIAGE_CONNECTORS = str(SHOP / "connectors.yaml")
    settings.TRIAGE_CITATIONS = str(SHOP / "citations.yaml")
    forget()
    try:
        yield
    finally:
        registry.current().close()
        forget()


def forget() -> None:
    """Let what was loaded of tools, citations and rules be loaded anew."""
    registry.current.cache_clear()
    declared.current.cache_clear()
    rulebook.loaded_rulebook.cache_clear()
