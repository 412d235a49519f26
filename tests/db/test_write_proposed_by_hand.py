"""A person proposes a write by a command: filed for others, and never decided by its author."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from accounts.roles import Role
from approvals import preparing
from approvals.models import ActionRequest
from approvals.outcomes import DecisionRefused
from tests.db import writing
from tests.db.writing import World

pytestmark = pytest.mark.django_db
BECAUSE = "--because=The number is wrong since noon."


@pytest.fixture
def world(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> World:
    return writing.opened(make_user, monkeypatch, settings, tmp_path)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("test.set_number", "{}", "--by=nobody"), "Nobody who may sign in"),
        (("test.set_number", "{", "--by={me}"), "no JSON"),
        (("test.set_number", "[]", "--by={me}"), "one JSON object"),
        (("test.set_number", "{}", "--by={me}"), "not as its schema has them"),
        (("kubectl.delete", "{}", "--by={me}"), "There is no action"),
    ],
)
def test_what_cannot_be_proposed_is_said_in_words_and_files_nothing(
    world: World, given: tuple[str, ...], says: str
) -> None:
    me = world.person(Role.ON_CALL).username
    with pytest.raises(CommandError, match=says):
        call_command("propose", *(each.replace("{me}", me) for each in given), BECAUSE)
    assert not ActionRequest.objects.exists()


def test_whoever_proposed_it_cannot_decide_it(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    me = world.person(Role.ON_CALL)
    call_command("propose", "test.set_number", '{"name": "a", "value": 7}', f"--by={me.username}", BECAUSE)
    request = ActionRequest.objects.get(undoes=None)
    assert f"/approvals/{request.pk}/" in capsys.readouterr().out
    world.now = request.proposed_at
    world.probe()
    preparing.prepare(request.pk, now=world.now)
    request.refresh_from_db()
    with pytest.raises(DecisionRefused, match="You proposed this request"):
        world.decide(request, me)
