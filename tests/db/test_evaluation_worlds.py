"""Recorded worlds: what was recorded is answered, all else is not; and the healthy windows beside them."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from assay_core.results import Status
from audit import reading
from investigations import rulebook
from investigations.models import Case
from tests.db.evaluated import evaluated
from tests.db.exported import closed
from tests.db.investigated import Scripted, job, world
from tests.db.modelled import speaking
from tests.scripted import Request, calls
from tests.scripted.agents import asks_what_is_told, hands_in, questions
from toolbox import registry
from toolbox.connectors.base import Outcome
from toolbox.models import Call
from trials import queries, worlds
from trials.models import Evaluation, EvaluationRun

pytestmark = pytest.mark.django_db
MakeUser = Callable[..., Any]
PAID = {"price_in": Decimal(1), "price_out": Decimal(1)}


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def measured() -> Any:
    """Return the measures of the last evaluation."""
    return queries.measured(Evaluation.objects.latest("pk").pk)


def test_a_question_that_nobody_asked_then_is_not_recorded_and_counted(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    closed(make_user, "harmless")
    asked = len(connector.asked)

    def wanders(request: Request) -> Any:
        if any(each["role"] == "tool" for each in request.messages):
            return hands_in("none_of_these")
        other = ("find_job", '{"job_id": "job-99"}')
        return calls(other, ("kubectl_delete", "{}"), ("find_job", '{"job": 1}'), *questions(request))

    with speaking(settings, wanders) as server:
        evaluated("closed:", runs=1)
    told = [m["content"] for m in server.requests[1].messages if m["role"] == "tool"]
    assert "Not recorded" in told[0]
    assert "There is no tool" in told[1]
    assert "not as the tool declares" in told[2]
    found = measured()
    assert (found.totals.not_recorded, found.totals.refused, found.totals.calls) == (1, 2, 5)
    assert len(connector.asked) == asked
    run = EvaluationRun.objects.get()
    answers = queries.transcript(run.pk)
    assert answers is not None
    sources = [each["source"] for each in answers["answers"]]
    assert sources == ["not_recorded", "refused", "refused", "recorded", "recorded"]


def test_by_choice_it_goes_to_the_live_tool_and_is_marked_as_no_incidents_evidence(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    incident = closed(make_user, "harmless")
    asked, entries = len(connector.asked), len(reading.of_incident(incident.pk))

    def looks_elsewhere(request: Request) -> Any:
        if any(each["role"] == "tool" for each in request.messages):
            return hands_in("none_of_these")
        return calls(("find_job", '{"job_id": "job-99"}'))

    with speaking(settings, looks_elsewhere):
        evaluated("closed:", runs=1, live=True)
    assert connector.asked[asked:] == [("find_job", {"job_id": "job-99"})]
    assert measured().totals.live == 1
    call = Call.objects.latest("pk")
    assert (call.incident, call.investigation, call.caller) == (None, None, "evaluation")
    assert len(reading.of_incident(incident.pk)) == entries


def redeclared(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Declare find_job otherwise, in the toolbox and in the rulebook."""
    toolbox, book = registry.current(), rulebook.loaded_rulebook()
    changed = replace(toolbox.definitions["find_job"], **changes)
    other = replace(toolbox, definitions={**toolbox.definitions, "find_job": changed})
    anew = replace(book, shapes=other.shapes())
    monkeypatch.setattr(registry, "current", lambda: other)
    monkeypatch.setattr(rulebook, "loaded_rulebook", lambda: anew)


def test_an_argument_whose_normalisation_was_changed_since_is_not_recorded(
    settings: Any, connector: Scripted, make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed(make_user, "harmless")
    redeclared(monkeypatch, normalise={"job_id": ("upper",)})
    with speaking(settings, asks_what_is_told):
        evaluated("closed:", runs=1)
    found = measured()
    assert (found.totals.not_recorded, found.totals.redeclared) == (1, 0)
    assert found.after.agreed.hits == 0


def test_a_declaration_that_changed_in_words_alone_still_answers_and_is_counted(
    settings: Any, connector: Scripted, make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed(make_user, "harmless")
    redeclared(monkeypatch, plain={"name": "find_job", "description": "In other words."})
    with speaking(settings, asks_what_is_told):
        said = evaluated("closed:", runs=1)
    assert (measured().totals.not_recorded, measured().totals.redeclared) == (0, 1)
    assert "1 answers were recorded when their tool was declared otherwise" in said


def test_a_truncated_answer_is_truncated_again_and_earns_nothing(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    connector.answers["count_errors"] = Outcome(Status.TRUNCATED, {"match_count": 0})
    closed(make_user, "real and fixed")
    with speaking(settings, asks_what_is_told) as server:
        evaluated("closed:", runs=1)
    assert "answered truncated" in str([each["content"] for each in server.requests[1].messages])
    assert (measured().after.agreed.hits, measured().after.false_passes.hits) == (1, 0)


def test_the_newest_answer_to_a_question_is_the_worlds(connector: Scripted, make_user: MakeUser) -> None:
    incident = closed(make_user, "harmless")
    world = worlds.of_incident(incident.pk)
    assert len(world.answers) == 2
    assert world.now == Case.objects.latest("pk").judged_at
    with pytest.raises(worlds.WorldMissing, match="never investigated"):
        worlds.of_incident(999_999)


def test_a_healthy_window_beside_a_case_is_a_case_of_its_own_in_which_nothing_may_pass(
    settings: Any, connector: Scripted, make_user: MakeUser, tmp_path: Path
) -> None:
    incident = closed(make_user, "harmless")
    entries = len(reading.of_incident(incident.pk))
    began = {"began_at": timezone.now() - timedelta(days=1), "by": "Ada", "to": tmp_path}
    with pytest.raises(CommandError, match="A rule passes in this window"):
        call_command("keeptwin", incident.pk, **began)
    connector.answers["find_job"] = job("running")
    call_command("keeptwin", incident.pk, **began, stdout=StringIO())
    assert len(reading.of_incident(incident.pk)) == entries
    call_command("export_incident", incident.pk, by="Ada", to=tmp_path, stdout=StringIO())
    with speaking(settings, asks_what_is_told):
        said = evaluated(str(tmp_path), runs=2)
    found = measured()
    assert (found.cases, found.after.agreed.of) == (1, 2)
    assert (found.twins.passed.hits, found.twins.passed.of) == (0, 2)
    assert "Healthy windows, apart: 0 of 2 passed" in said
    assert found.totals.not_recorded == 0


@pytest.mark.parametrize(
    ("number", "began_at", "says_so"),
    [(4711, "2026-01-01T00:00:00Z", "There is no incident"), (0, "2099-01-01", "begins in the future")],
)
def test_a_window_that_cannot_be_kept_gives_a_sentence(
    connector: Scripted, make_user: MakeUser, tmp_path: Path, number: int, began_at: str, says_so: str
) -> None:
    number = number or closed(make_user, "harmless").pk
    with pytest.raises(CommandError, match=says_so):
        call_command("keeptwin", str(number), "--began-at", began_at, "--by", "Ada", "--to", str(tmp_path))
    assert list(tmp_path.iterdir()) == []
