"""Pure tests are many and short, so that whatever is done for each of them counts.

They have no database, mailbox, server, site or URLs of their own: pytest-django's fixtures for these are left
out. And what was imported to collect them is not searched for garbage again and again.
"""

import gc
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.pure.rows import folded, rows_of

_HERE = Path(__file__).parent
_EACH_ROW = os.environ.get("ROWS") == "1"
_NOT_NEEDED = frozenset(
    {
        "_dj_autoclear_mailbox", "_django_clear_site_cache", "_django_db_marker", "_django_isolate_apps",
        "_django_set_urlconf", "_django_setup_unittest", "_live_server_helper",
        "_template_string_if_invalid_marker",
    }
)  # fmt: skip

gc.disable()
settings.register_profile("short", max_examples=10, deadline=None, database=None)
settings.register_profile("full", max_examples=500, deadline=None)
settings.load_profile("full" if os.environ.get("FULL") == "1" else "short")


def pytest_pycollect_makeitem(collector: pytest.Module, name: str, obj: Any) -> pytest.Function | None:
    """Run the rows of a parametrised test as one, unless rows of their own are asked for."""
    is_test = name.startswith("test_") and isinstance(collector, pytest.Module) and callable(obj)
    if not is_test or _EACH_ROW or (rows := rows_of(obj)) is None:
        return None
    made: pytest.Function = pytest.Function.from_parent(collector, name=name, callobj=folded(obj, rows))
    return made


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what no pure test needs; what one asks for by name stays."""
    for item in items:
        if isinstance(item, pytest.Function) and _HERE in item.path.parents:
            asked = item._fixtureinfo.argnames
            item.fixturenames[:] = [
                name
                for name in item.fixturenames
                if name in asked or (name not in _NOT_NEEDED and name != "monkeypatch")
            ]


def pytest_collection_finish() -> None:
    """Collect garbage from here on, and rarely: each test leaves little behind."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
