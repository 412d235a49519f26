"""An agent run again on past incidents: what is measured, and that nothing of production hears of it."""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from incidents.models import Incident
from investigations.models import Case, Exchange, Investigation, Step
from tests.db.evaluated import RULE, evaluated, three
from tests.db.exported import closed
from tests.db.investigated import Scripted, world
from tests.db.modelled import speaking
from tests.scripted import Request, says, status
from tests.scripted.agents import asks_what_is_told, hands_in
from toolbox.models import Call
from trials import queries
from trials.evaluating import driving
from trials.holding import Held
from trials.models import Evaluation, EvaluationRun, EvaluationTranscript

pytestmark = pytest.mark.django_db
MakeUser = Callable[..., Any]
PAID = {"price_in": Decimal(1), "price_out": Decimal(1)}


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def measured() -> Any:
    """Return the measures of the last evaluation."""
    return queries.measured(Evaluation.objects.latest("pk").pk)


def test_an_agent_that_asks_everything_is_measured_and_production_hears_nothing(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    three(make_user)
    asked, kept = len(connector.asked), (Investigation, Call, Exchange, Step, Case)
    before = [model.objects.count() for model in kept]
    entries = _entries()
    incidents = list(Incident.objects.order_by("pk").values())
    with speaking(settings, asks_what_is_told):
        said = evaluated("closed:", runs=2)
    found = measured()
    assert said.count("FALSE PASSES: 2 of 6 verdicts, in 1 of 3 cases") == 1
    assert (found.facts.every.hits, found.facts.every.of) == (6, 6)
    assert (found.before.agreed.hits, found.after.agreed.hits) == (4, 4)
    assert found.beside.recorded.false_passes.hits == found.beside.playbook.false_passes.hits == 1
    assert len(connector.asked) == asked
    assert [model.objects.count() for model in kept] == before
    assert _entries() == entries
    assert list(Incident.objects.order_by("pk").values()) == incidents
    assert EvaluationTranscript.objects.count() == EvaluationRun.objects.filter(state="done").count() == 6


def _entries() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM audit_entry")
        return int(cursor.fetchone()[0])


def test_what_code_asked_is_not_what_the_agent_gathered(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    closed(make_user, "harmless")
    with speaking(settings, lambda _: hands_in(RULE)) as server:
        evaluated("closed:", runs=1)
    found = measured()
    assert "job_completed" in server.requests[1].last  # it was told what is missing, as in production
    assert (found.facts.every.hits, found.facts.each.hits, found.facts.each.of) == (0, 0, 2)
    assert (found.before.agreed.hits, found.after.agreed.hits) == (0, 1)
    assert (found.totals.own_calls, found.totals.calls) == (0, 2)


def test_an_outage_is_tried_again_leaves_every_denominator_and_the_same_command_goes_on(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    three(make_user)
    with speaking(settings, asks_what_is_told, tries=1) as server:

        def fails_from_the_third_on(request: Request) -> Any:
            return asks_what_is_told(request) if request.number < 4 else status(503)

        server.script = fails_from_the_third_on
        with pytest.raises(CommandError, match="5 times in a row") as stopped:
            evaluated("closed:", runs=3)
        assert stopped.value.returncode == 3
        found = measured()
        assert (found.states["done"], found.states["down"], found.states["waiting"]) == (2, 5, 2)
        assert (found.facts.every.of, found.outcomes["endpoint_down"]) == (2, 5)
        server.script = asks_what_is_told
        evaluated("closed:", runs=3)
    assert measured().states["done"] == EvaluationRun.objects.count() == 9
    assert Evaluation.objects.count() == 1
    assert Evaluation.objects.get().finished_at is not None


def test_an_evaluation_stops_before_the_exchange_that_could_pass_its_cap(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    three(make_user)
    usage = {"prompt_tokens": 2_000, "completion_tokens": 100}
    with speaking(settings, lambda r: replace(asks_what_is_told(r), usage=usage), **PAID) as server:
        with pytest.raises(CommandError, match="could pass the spending cap"):
            evaluated("closed:", runs=5, cap="0.02", yes=True)
        row = Evaluation.objects.get()
        assert row.stopped == "cap"
        assert 0 < row.spent_micros == 2_100 * len(server.requests) <= 20_000
        assert row.reserved_micros == 0
        done = measured().states["done"]
        assert 0 < done < 15
        assert measured().states["waiting"] == 15 - done
        evaluated("closed:", runs=5, cap="1", yes=True)
    assert Evaluation.objects.get().stopped == ""
    assert measured().states["done"] == 15


def test_money_is_not_spent_without_a_word(settings: Any, connector: Scripted, make_user: MakeUser) -> None:
    closed(make_user, "harmless")
    with speaking(settings, asks_what_is_told, **PAID) as server:
        with pytest.raises(CommandError, match="This spends money"):
            evaluated("closed:", runs=1)
        assert server.requests == []
    assert not Evaluation.objects.exists()


def test_the_same_command_after_its_end_begins_anew_and_two_at_once_are_refused(
    settings: Any, connector: Scripted, make_user: MakeUser, superuser_dsn: str
) -> None:
    closed(make_user, "harmless")
    with speaking(settings, asks_what_is_told):
        evaluated("closed:", runs=1)
        evaluated("closed:", runs=1)
        assert Evaluation.objects.count() == 2
        first, second = Evaluation.objects.order_by("pk")
        found = queries.compared(first.pk, second.pk)
        assert (found.differ, found.cases, found.by_facts.p, found.new_false_passes) == ([], 1, 1.0, [])
    import psycopg

    with psycopg.connect(superuser_dsn) as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [Held.EVALUATION.value, second.pk])
        with pytest.raises(driving.BeingRun, match="being run by another command"):
            driving.driven(second.pk).__enter__()


def test_hostile_text_stays_data_in_transcripts_and_files(
    settings: Any, connector: Scripted, make_user: MakeUser, tmp_path: Path
) -> None:
    closed(make_user, "harmless")
    Incident.objects.update(title="=cmd|' /C calc'!A0")
    Investigation.objects.update(
        subject=Investigation.objects.get().subject.replace("Job job-7 failed", "=cmd|' /C calc'!A0")
    )
    secret = "sk-proj-" + "a1B2" * 12
    file = tmp_path / "runs.csv"
    with speaking(settings, lambda _: hands_in("none_of_these", draft=f"The key is {secret}.")):
        evaluated("closed:", runs=1, csv=file, json=tmp_path / "measures.json")
    assert secret not in EvaluationTranscript.objects.get().body
    (row,) = csv.DictReader(StringIO(file.read_text(encoding="utf-8")))
    assert row["title"].startswith("'=")
    assert (row["state"], row["hypothesis"], row["ended"]) == ("done", "none_of_these", "false fail")
    whole = json.loads((tmp_path / "measures.json").read_text(encoding="utf-8"))
    assert whole["measures"]["after"]["false_fails"] == {"hits": 1, "of": 1}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["measures.json", "runs.csv"]


def test_a_case_that_is_not_as_it_was_planned_is_left_out(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    closed(make_user, "harmless")
    with speaking(settings, asks_what_is_told, tries=1) as server:
        server.script = lambda _: status(503)
        with pytest.raises(CommandError):
            evaluated("closed:", runs=1)
        row = Evaluation.objects.get()
        row.cases.update(world_digest="0" * 64)
        with driving.driven(row.pk):
            driving.in_this_process(row.pk, lambda _: None)
    run = EvaluationRun.objects.get()
    assert run.state == "left_out"
    assert "has changed since it was planned" in run.reason


def test_a_malformed_answer_is_repaired_or_falls_back_as_in_production(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    closed(make_user, "harmless")
    with speaking(settings, lambda _: says("It is harmless.")):
        evaluated("closed:", runs=1)
    found = measured()
    assert (found.outcomes["fallback"], found.after.agreed.of) == (1, 0)


@pytest.mark.parametrize(
    ("arguments", "options", "says_so"),
    [
        (("closed:rule=no_such",), {}, "There is no rule named 'no_such'. There are"),
        (("closed:source=nobody",), {}, "There is no source 'nobody'"),
        (("closed:",), {"endpoint": "mine"}, "There is no model endpoint named 'mine'"),
        (("closed:",), {"endpoint": "candidate"}, "is not set"),
        (("closed:kind=claim",), {}, "holds no case that can be run"),
        (("nowhere/",), {}, "There is no folder or file"),
        ((), {}, "No set was named"),
        (("closed:",), {"runs": 0}, "Give a number from 1 to 100"),
        (("closed:",), {"cap": "much"}, "is no amount of money"),
        (("closed:",), {"cap": "1", "price": True}, "has no prices"),
        ((), {"show": 4711}, "There is no evaluation 4711"),
    ],
)
def test_what_cannot_be_run_gives_a_sentence(
    settings: Any, connector: Scripted, arguments: tuple[str, ...], options: dict[str, Any], says_so: str
) -> None:
    free = {"price_in": Decimal(0), "price_out": Decimal(0)}
    options = {name: value for name, value in options.items() if name != "price"}
    with speaking(settings, asks_what_is_told, **free), pytest.raises(CommandError, match=says_so):
        call_command("evaluate", *arguments, stdout=StringIO(), stderr=StringIO(), **options)
    assert not Evaluation.objects.exists()
