"""Somebody's own agent on our server, from the token to the verdict: `make test-agents`."""

import json
import os
import subprocess
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts import tokens
from accounts.roles import Role
from audit import reading
from incidents import handing_over
from incidents.models import Incident
from investigations.models import Case, Investigation
from tests import scripted
from tests.agents import places
from tests.conftest import wait_until
from tests.flow.play import Play
from tests.scripted import Request, Scripted, calls

EARNED, LATE, BACK = (
    "a retry that finished",
    "a job that completed before the incident",
    "a timeout that comes back",
)
DRAFT = "The job finished on its retry."


class Brain:
    """A scripted model: it asks what it is told to ask, and hands in, spoilt as often as `spoils` says."""

    def __init__(self, *, asks: bool = True, spoils: tuple[dict[str, Any], ...] = ()) -> None:
        self.asks = asks
        self.spoils = list(spoils)
        self.told: list[str] = []  # what came back for each spoilt submission
        self._sent_spoilt = False

    def __call__(self, request: Request) -> Scripted:
        """Answer one request, each call by an id that was not there before."""
        reply = self._reply(request)
        for place, call in enumerate(reply.message["tool_calls"]):
            call["id"] = f"call_{request.number}_{place}"
        return reply

    def _reply(self, request: Request) -> Scripted:
        seen = [_json(message["content"]) for message in request.messages if message["role"] == "tool"]
        state = next((each for each in seen if "rules" in each), None)
        if state is None:
            return calls(("get_investigation", "{}"))
        if self._sent_spoilt:
            self.told.append(request.last)
        rule = next(each for each in state["rules"] if each["name"] == "transient_upstream_timeout")
        answers = [each for each in seen if "entry" in each]
        open_ones = [each for each in rule["questions"] if each["arguments"] is not None]
        if self.asks and not answers:
            return calls(*((each["tool"], json.dumps(each["arguments"])) for each in open_ones))
        findings = [
            {"fact": question["fact"], "entry": answer["entry"]}
            for question, answer in zip(open_ones, answers, strict=False)
        ]
        return self._hand_in(request, findings)

    def _hand_in(self, request: Request, findings: list[dict[str, Any]]) -> Scripted:
        cited = " ".join(f"[entry {each['entry']}]" for each in findings)
        whole = {
            "version": 1, "hypothesis": "transient_upstream_timeout", "findings": findings,
            "draft": f"{DRAFT} {cited}",
        }  # fmt: skip
        self._sent_spoilt = bool(self.spoils)
        if self.spoils:
            whole |= self.spoils.pop(0)
        name = "submit_findings" if "submit_findings" in request.tools else "final_result"
        return calls((name, json.dumps(whole)))


def _json(content: Any) -> dict[str, Any]:
    """Return what a tool's message holds, in whichever form a framework hands it on."""
    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    if isinstance(found, dict) and set(found) == {"type", "text"}:
        found = json.loads(found["text"])
    return found if isinstance(found, dict) else {}


def run(name: str, play: Play, owner: Any, title: str, brain: Brain) -> tuple[Any, int]:
    """Hand an incident to an agent and let it work; return how its program ended and the investigation."""
    incident = _incident(play, title)
    wanted = tokens.Wanted(
        name=f"{name}-{incident.pk}", scopes=("read", "tools", "submit"), audience=play.address,
        lasts=timedelta(days=1),
    )  # fmt: skip
    token, secret = handing_over.hand_over(
        incident.pk, wanted, owner=owner, by="administrator", lasts=timedelta(hours=1), now=timezone.now()
    )
    assert token.investigation is not None
    with scripted.endpoint(brain) as model:
        ended = subprocess.run(
            [places.python(name), places.program(name)],
            env={
                "PATH": os.environ["PATH"], "ASSAY_URL": play.address, "ASSAY_TOKEN": secret,
                "LLM_BASE_URL": model.url, "MODEL_ID": "scripted-1",
            },
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert secret not in "".join(request.text for request in model.requests)
    return ended, token.investigation


def _incident(play: Play, name: str) -> Incident:
    from triage.demo import example

    key = next(each["sender_key"] for each in example.expectations() if each["name"] == name)
    return Incident.objects.get(sender_key=key)


def _of(name: str) -> Any:
    """Skip an example whose packages are not there, before anything is set up for it."""
    why = f"The packages of examples/agents/{name} are not installed: make test-agents does it."
    return pytest.param(name, marks=pytest.mark.skipif(not places.is_installed(name), reason=why))


@pytest.fixture(params=[_of(name) for name in places.NAMES])
def framework(request: pytest.FixtureRequest) -> str:
    """The name of an example whose packages are installed."""
    name: str = request.param
    return name


@pytest.mark.timeout(400)
def test_an_agent_of_a_public_framework_works_on_incidents_and_code_decides(
    framework: str, play: Play, start_all: Callable[[], Any], make_user: Callable[..., Any]
) -> None:
    start_all()
    assert play.post(play.postings[:3]) == [202] * 3  # failed jobs
    wait_until(play.is_over, seconds=90)
    ada = make_user("ada", role=Role.MANAGER)

    ended, number = run(framework, play, ada, EARNED, Brain())
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["passed"] is True
    row = Investigation.objects.get(pk=number)
    assert (row.investigator, row.state) == ("external", "judged")
    case = Case.objects.get(investigation_id=number).body
    assert DRAFT in case
    asked_by = {
        entry.payload["asked_by"]
        for entry in reading.of_investigation(number, kind="tool.called")
        if entry.payload is not None
    }
    assert asked_by == {f"token:{framework}-{row.incident_id}"}

    # Words without a look, where the records say otherwise.
    ended, number = run(framework, play, ada, LATE, Brain(asks=False))
    assert ended.returncode == 0, ended.stderr
    decided = json.loads(ended.stdout)
    assert (decided["passed"], decided["deciding"]) == (False, "job_completed_on_retry")

    # A verdict of its own is refused, in words that the model is told; then it hands in without one.
    brain = Brain(spoils=({"verdict": "pass"},))
    ended, number = run(framework, play, ada, BACK, brain)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["passed"] is False
    assert len(brain.told) == 1
    assert "'verdict' was unexpected" in brain.told[0]
    kinds = [entry.kind for entry in reading.of_investigation(number)]
    assert (kinds.count("submission.taken"), Incident.objects.filter(state="investigating").count()) == (1, 0)
