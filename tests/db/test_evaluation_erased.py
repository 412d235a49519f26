"""An answer that was erased for its personal data is in no world, whenever it was erased."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError

from audit.erasing import erase
from tests.db.evaluated import evaluated
from tests.db.exported import closed
from tests.db.investigated import world
from tests.db.modelled import speaking
from tests.db.owning import owner_alias
from tests.scripted import status
from tests.scripted.agents import asks_what_is_told
from toolbox.models import Call
from trials import queries
from trials.evaluating import driving, running
from trials.models import Evaluation, EvaluationCase, EvaluationRun


def test_an_erased_answer_is_in_no_world_and_its_case_has_no_verdict_to_compare_with(
    settings: Any,
    committed_db: None,
    owner_dsn: str,
    make_user: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connector = world(monkeypatch)
    closed(make_user, "harmless")
    asked = len(connector.asked)
    with speaking(settings, asks_what_is_told, tries=1) as server:
        server.script = lambda _: status(503)
        with pytest.raises(CommandError):
            evaluated("closed:", runs=1)
        with owner_alias(owner_dsn) as owner:
            entry = Call.objects.filter(tool="find_job").latest("pk").entry
            erase(entry, by="person:ada", reason="asked for by the person", using=owner)
        # What was begun before the erasure is left out; what is planned after it knows of the gap.
        server.script = asks_what_is_told
        first = Evaluation.objects.get()
        running.forget()
        with driving.driven(first.pk):
            driving.in_this_process(first.pk, lambda _: None)
        run = EvaluationRun.objects.get()
        assert (run.state, "has changed since it was planned" in run.reason) == ("left_out", True)
        evaluated("closed:", runs=1)
    second = Evaluation.objects.latest("pk")
    assert EvaluationCase.objects.get(evaluation=second).erased == 1
    found = queries.measured(second.pk)
    assert (found.totals.not_recorded, found.after.agreed.of, found.erased) == (1, 0, 1)
    assert len(connector.asked) == asked
