"""A write on its whole way: proposed, prepared, approved, executed, and what stops it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from tests.db import writing
from tests.db.writing import World
from tests.fakes import writes

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> World:
    return writing.opened(make_user, monkeypatch, settings, tmp_path)


def test_an_approved_write_is_executed_once(world: World) -> None:
    request = world.approved()
    assert request.state == "approved"
    assert world.execute(request).state == "succeeded", request.outcome
    assert world.execute(request).state == "succeeded"
    assert [call["value"] for call in writes.calls()] == [7]
