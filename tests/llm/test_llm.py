"""A real model of 135 million parameters behind llama.cpp: all is wired, and nothing it says can pass."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone

from incidents import services
from incidents.models import Incident
from investigations import endpoints, probing, transcripts
from investigations.models import Exchange, Investigation, Verdict
from investigations.states import Purpose, RunResult, State
from investigations.talk import Finish, Message, Role
from tests.db.sources import an_alert, body_of, deliver, make_source
from tests.llm import places
from tests.llm.serving import served
from tests.scripted import endpoint_settings

pytestmark = [pytest.mark.timeout(900), places.needs_both()]
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["color"],
    "properties": {"color": {"type": "string", "enum": ["red", "green"]}},
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a running server with the model; a named skip where it is not installed."""
    with served() as found:
        yield found


@pytest.fixture(autouse=True)
def _endpoint(address: str, settings: Any) -> None:
    given = {"base_url": address, "model": "smollm2", "quirks": "llama-cpp-python", "max_tokens": 120}
    patient = {"seconds": 300, "total_seconds": 400, "tries": 1, "context": 8192}
    settings.MODEL_ENDPOINTS = endpoint_settings(default={**given, **patient})


def _said(words: str, **more: Any) -> Any:
    model = endpoints.model_for(Purpose.ASK, investigation=None, incident=None)
    return model.reply([Message(Role.SYSTEM, "You are terse."), Message(Role.USER, words)], **more)


@pytest.mark.django_db
def test_a_reply_that_runs_to_its_limit_is_cut_off() -> None:
    reply = _said("Tell a long story about a fox and a hen house.", tokens=16)
    assert reply.finish is Finish.CUT_OFF
    assert reply.spent.tokens_out >= 16


@pytest.mark.django_db
def test_a_reply_comes_in_pieces_and_is_the_sum_of_them() -> None:
    pieces: list[str] = []
    reply = _said("Count from one to five.", tokens=40, on_text=pieces.append)
    assert len(pieces) > 1
    assert "".join(pieces) == reply.text


@pytest.mark.django_db
def test_a_shape_is_kept_to() -> None:
    assert endpoints.endpoint_for(Purpose.ASK).quirks.name == "llama-cpp-python"
    assert _said("Name the color of grass.", schema=SCHEMA).text.count("color") == 1


@pytest.mark.django_db
def test_the_probe_finds_it_reachable_and_never_raises() -> None:
    found = {each.what: each.level for each in probing.probe("default")}
    assert found["reachable"] == found["schema"] == "well"
    assert set(found) == {"terms", "reachable", "latency", "tools", "schema"}


def test_an_incident_that_it_investigates_ends_with_a_person_and_its_exchanges_kept(
    settings: Any, committed_db: None
) -> None:
    settings.INVESTIGATOR = "model"
    settings.AGENT_MAX_TURNS = 5
    deliver(make_source(), body_of(an_alert("a", starts=timezone.now())), timezone.now())
    run = Investigation.objects.get()
    services.investigate(run.pk, now=timezone.now())
    run.refresh_from_db()
    assert (run.state, Incident.objects.get().state) == (State.JUDGED, "review")
    assert run.outcome in set(RunResult)
    assert not Verdict.objects.filter(passed=True).exists()
    rows = list(Exchange.objects.filter(investigation=run))
    assert rows
    for row in rows:
        assert transcripts.read(row.transcript_digest)["request"]["messages"]
