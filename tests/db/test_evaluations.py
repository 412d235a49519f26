"""An agent run again on past incidents: what is measured, and that nothing of production hears of it."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.db.evaluated import asks_all, evaluated, three
from tests.db.investigated import Scripted, world
from tests.db.modelled import speaking
from trials import queries
from trials.models import Evaluation, EvaluationRun

pytestmark = pytest.mark.django_db
MakeUser = Callable[..., Any]


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def test_an_agent_that_asks_everything_is_measured(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    three(make_user)
    asked = len(connector.asked)
    with speaking(settings, asks_all):
        evaluated("closed:", runs=2)
    found = queries.measured(Evaluation.objects.get().pk)
    assert EvaluationRun.objects.count() == 6
    assert len(connector.asked) == asked
    assert (found.after.false_passes.hits, found.after.false_passes.of) == (2, 6)
    assert (found.facts.every.hits, found.facts.every.of) == (6, 6)
