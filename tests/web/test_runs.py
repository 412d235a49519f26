"""A model's run on the pages: watched, stopped, told something, read step by step; and who may."""

from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Team
from accounts.roles import Role
from audit import reading
from incidents import services
from incidents.models import Incident
from incidents.states import State
from investigations import watching
from investigations.models import (
    Draft,
    Exchange,
    Investigation,
    Objection,
    RubricEvaluation,
    RunNote,
    Step,
)
from investigations.states import State as RunState
from investigations.watching import Watching
from tests.db.investigated import Scripted, world
from tests.db.modelled import ERRORS, JOB, speaking, submission
from tests.db.sources import an_alert, body_of, deliver, make_source
from tests.scripted import calls, says
from tests.web.hostile import TEXTS
from tests.web.pages import HTMX, MakeUser, a_person, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
MOVES = ("stop", "tell")


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def arrived(investigator: str = "model", team: Team | None = None) -> tuple[Incident, Investigation]:
    """Let an alert come in whose investigation a model is at."""
    source = make_source(team=team)
    alert = an_alert("job-7", starts=timezone.now(), labels={"alertname": "JobFailed", "job_id": "job-7"})
    deliver(source, body_of(alert), timezone.now())
    incident = Incident.objects.get(source=source)
    run = Investigation.objects.get(incident_id=incident.pk)
    Investigation.objects.filter(pk=run.pk).update(investigator=investigator)
    run.refresh_from_db()
    return incident, run


def address(incident: Incident, rest: str = "") -> str:
    return f"/incidents/{incident.pk}/{f'{rest}/' if rest else ''}"


def judged(
    settings: Any, draft: str = "The job finished.", *, hypothesis: str = "job_finished_on_retry"
) -> tuple[Incident, Investigation]:
    incident, run = arrived()
    final = submission(
        hypothesis,
        draft=draft,
        proposed_actions=[{"action": "restart_job", "arguments": {"job": "job-7"}, "why": "It hangs."}],
    )
    with speaking(settings, [calls(JOB, ERRORS), says(final), says(final)]):
        services.investigate(run.pk, now=timezone.now())
    run.refresh_from_db()
    incident.refresh_from_db()
    return incident, run


@pytest.mark.parametrize("move", MOVES)
def test_another_teams_run_is_404_and_goes_on(connector: Scripted, make_user: MakeUser, move: str) -> None:
    incident, run = arrived(team=Team.objects.create(name="Bank", slug="bank"))
    client = a_person(make_user, teams=[Team.objects.create(name="Shop", slug="shop")])
    assert client.post(address(incident, move), {"note": "Hello"}).status_code == 404
    assert client.get(address(incident, f"runs/{run.pk}")).status_code == 404
    run.refresh_from_db()
    assert run.state == RunState.QUEUED
    assert not RunNote.objects.exists()


@pytest.mark.parametrize("move", MOVES)
def test_an_auditor_watches_and_steers_nothing(connector: Scripted, make_user: MakeUser, move: str) -> None:
    incident, _ = arrived()
    client = a_person(make_user, role=Role.AUDITOR)
    page = text_of(client.get(address(incident)))
    assert f'data-live="{address(incident, "live")}"' in page
    assert "Stop the run" not in page
    assert client.post(address(incident, move), {"note": "Hello"}).status_code == 403
    assert client.get(address(incident, move)).status_code == 405


def test_stopping_a_run_lays_the_incident_before_a_person(connector: Scripted, make_user: MakeUser) -> None:
    incident, run = arrived()
    client = a_person(make_user)
    response = client.post(address(incident, "stop"), {"reason": "I know\0 what it is."}, headers=HTMX)
    assert response.status_code == 200
    assert "Stopped by ada. I know what it is." in text_of(response)
    incident.refresh_from_db()
    run.refresh_from_db()
    assert (incident.state, incident.verdict_passed) == (State.REVIEW, None)
    assert run.state == RunState.STOPPED
    assert "investigation.stopped" in [entry.kind for entry in reading.of_incident(incident.pk)]
    assert [event.kind for event in watching.so_far(watching.of_run(run.pk))] == ["ended"]
    again = client.post(address(incident, "stop"))
    assert again.status_code == 422
    assert "nothing of it goes on" in text_of(again)


def test_a_note_waits_for_the_models_next_step(connector: Scripted, make_user: MakeUser) -> None:
    incident, _ = arrived()
    client = a_person(make_user)
    assert client.post(address(incident, "tell"), {"note": "The deploy was at nine."}).status_code == 302
    page = text_of(client.get(address(incident)))
    assert "The deploy was at nine." in page
    assert "not heard yet" in page


@pytest.mark.parametrize("note", ["", " ", "x" * 2_001])
def test_a_note_that_will_not_do_comes_back_as_typed(
    connector: Scripted, make_user: MakeUser, note: str
) -> None:
    incident, _ = arrived()
    response = a_person(make_user).post(address(incident, "tell"), {"note": note}, headers=HTMX)
    assert response.status_code == 422
    assert f'value="{note}"' in text_of(response)
    assert not RunNote.objects.exists()


def test_a_playbook_reads_no_notes_and_is_not_watched(connector: Scripted, make_user: MakeUser) -> None:
    incident, _ = arrived("playbook")
    client = a_person(make_user)
    page = text_of(client.get(address(incident)))
    assert "data-live=" not in page
    assert "Send the note" not in page
    assert "Stop the run" in page
    assert client.post(address(incident, "tell"), {"note": "Hello"}).status_code == 422


def test_without_script_the_page_shows_what_was_told_so_far(connector: Scripted, make_user: MakeUser) -> None:
    incident, run = arrived()
    told = Watching(watching.of_run(run.pk))
    told.note("asked", {"tool": "find_job"})
    told.note("answered", {"tool": "find_job", "status": "observed", "entry": 41})
    page = text_of(a_person(make_user).get(address(incident)))
    assert "Asks “find job”." in page
    assert '<a class="cite" href="/entries/41/" data-peek>entry 41</a>' in page
    assert f'data-after="{watching.so_far(told.stream)[-1].id}"' in page


def test_the_page_says_how_the_run_went_and_what_it_cost(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    incident, run = judged(settings)
    page = text_of(a_person(make_user).get(address(incident)))
    assert "Its first submission was valid." in page
    assert "scripted-1" in page
    assert "2 answers of tools" in page
    assert "3 exchanges, 300 tokens read, 30 written" in page
    assert "restart job" in page
    assert "Nothing comes of these by themselves." in page
    assert f'href="{address(incident, f"runs/{run.pk}")}"' in page


def test_each_step_is_on_the_runs_own_page_and_transcripts_are_for_those_permitted(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    incident, run = judged(settings)
    exchange = Exchange.objects.filter(investigation=run).earliest("pk")
    ada, mona = a_person(make_user), a_person(make_user, "mona", Role.MANAGER)
    page = text_of(ada.get(address(incident, f"runs/{run.pk}")))
    assert page.count('class="step step-') == Step.objects.count() == 8
    assert "find job" in page
    transcript = address(incident, f"exchanges/{exchange.pk}")
    assert transcript not in page
    assert ada.get(transcript).status_code == 403
    assert transcript in text_of(mona.get(address(incident, f"runs/{run.pk}")))
    shown = text_of(mona.get(transcript))
    assert "What came back" in shown
    assert "find job" in shown


def test_a_run_or_an_exchange_of_another_incident_is_404_here(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    incident, run = judged(settings)
    deliver(make_source("other"), body_of(an_alert("x", starts=timezone.now())), timezone.now())
    other = Incident.objects.exclude(pk=incident.pk).get()
    client = a_person(make_user, role=Role.MANAGER)
    exchange = Exchange.objects.filter(investigation=run).earliest("pk")
    for rest in (f"runs/{run.pk}", f"exchanges/{exchange.pk}", "runs/999999", "exchanges/999999"):
        assert client.get(address(other, rest)).status_code == 404


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_hostile_words_of_a_model_are_only_text(
    settings: Any, connector: Scripted, make_user: MakeUser, text: str
) -> None:
    from tests.web.test_csp import assert_clean

    incident, run = judged(settings, draft=text[:5_000])
    Step.objects.filter(investigation=run).update(body=_body(text))
    Investigation.objects.filter(pk=run.pk).update(model=text[:200], reason=text)
    RunNote.objects.create(
        investigation=run, text=text[:2000], made_by=f"person:{text[:100]}", made_at=timezone.now()
    )
    exchange = Exchange.objects.filter(investigation=run).earliest("pk")
    Exchange.objects.update(model=text[:200], reason=text, endpoint=text[:40])
    client = a_person(make_user, role=Role.MANAGER)
    for rest in ("", f"runs/{run.pk}", f"exchanges/{exchange.pk}"):
        response = client.get(address(incident, rest))
        assert response.status_code == 200
        assert_clean(text_of(response), rest)


def _body(text: str) -> str:
    import json

    return json.dumps({"role": "assistant", "text": text, "calls": [["1", text, text]], "reply": None})


def test_a_draft_shows_what_of_it_is_not_confirmed_how_it_was_graded_and_what_a_critic_says(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    incident, run = judged(settings, draft=f"It took 47 minutes, see trace {trace} and trace {'b' * 32}.")
    draft = Draft.objects.get()
    draft.citations.filter(value=trace).update(state="verified", link=f"https://traces.example/{trace}")
    Draft.objects.update(rubric_result="max_iterations_reached")
    RubricEvaluation.objects.create(
        investigation=run, attempt=1, iteration=0, result="needs_revision", draft="x", draft_digest="x",
        criteria=[{"id": "1", "text": "Names the cause", "passed": False, "gap": "No cause is named."}],
        rubric_digest="r", created_at=timezone.now(),
    )  # fmt: skip
    Objection.objects.create(
        investigation=run, attempt=1, about="job_completed", entry=1, says="It was another job.",
        created_at=timezone.now(),
    )  # fmt: skip
    Investigation.objects.update(critic_note="The critic made 1 point.")
    page = text_of(a_person(make_user).get(address(incident)))
    assert f'href="https://traces.example/{trace}" rel="noreferrer">{trace}</a>' in page
    assert f'{"b" * 32} <span class="cite cite-unchecked">unchecked</span>' in page
    assert "In no cited entry:" in page
    assert "does not meet its rubric: the tries are used up" in page
    assert "No cause is named." in page
    assert "It was another job." in page
    assert "It can only lower a verdict." in page


def test_a_hypothesis_without_a_rule_is_counted_on_the_rulebooks_page(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    for name, words in (("one", "The cache was cold."), ("two", "the  cache was cold")):
        deliver(make_source(name), body_of(an_alert(name, starts=timezone.now())), timezone.now())
        run = Investigation.objects.latest("pk")
        Investigation.objects.filter(pk=run.pk).update(investigator="model")
        with speaking(settings, [says(submission(proposed_hypothesis=words))]):
            services.investigate(run.pk, now=timezone.now())
    client = a_person(make_user)
    response = client.get("/rules/")
    found = [(each.words, each.incidents) for each in response.context["proposed"]]
    assert found == [("the  cache was cold", 2)]
    assert "Hypotheses without a rule" in text_of(response)
    page = text_of(client.get(address(Incident.objects.latest("pk"))))
    assert "What it supposes, which no rule covers" in page


def test_a_models_words_without_a_pass_say_so_before_they_begin_wherever_they_go(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    said = "No pass was earned. This text is a model's own"
    incident, _ = judged(settings, draft="All is well, close it.", hypothesis="none_of_these")
    client = a_person(make_user, role=Role.MANAGER)
    page = text_of(client.get(address(incident))).replace("&#x27;", "'")
    assert 0 < page.index(said) < page.index("All is well, close it.")
    assert client.get(f"/incidents/{incident.pk}/record.json").json()["draft_caution"].startswith(said)
    record = text_of(client.get(f"/incidents/{incident.pk}/record.md"))
    assert 0 < record.index(said) < record.index("All is well, close it.")


def test_a_models_words_with_a_pass_and_those_of_code_need_no_such_warning(
    settings: Any, connector: Scripted, make_user: MakeUser
) -> None:
    incident, run = judged(settings)
    assert run.verdicts.get().passed
    client = a_person(make_user, role=Role.MANAGER)
    assert "No pass was earned" not in text_of(client.get(address(incident)))
    assert client.get(f"/incidents/{incident.pk}/record.json").json()["draft_caution"] == ""
