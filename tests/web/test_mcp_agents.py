"""An agent with one incident in its hands: what it sees, what it may submit, and what is judged of it."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts import tokens
from accounts.models import Team
from accounts.roles import Role
from assay_core.results import Status
from audit import reading
from incidents import handing_over, services
from incidents.models import Incident
from investigations import services as investigations
from investigations.models import Case, Investigation
from tests.db.investigated import STARTED, job
from tests.db.modelled import speaking
from tests.db.sources import an_alert, body_of, deliver, make_source
from tests.scripted import says
from tests.web.mcp_world import BASE, Agent, World, committed_module, mcp, person, together_in_threads

__all__ = ["committed_module", "mcp"]
DRAFT = "The job finished on its retry."


@pytest.fixture(autouse=True)
def _usual_answers(mcp: World) -> Any:
    usual = dict(mcp.connector.answers)
    yield
    mcp.connector.answers = usual


def an_incident(name: str, team: Team | None = None) -> Incident:
    """Let an alert come in and be judged by the playbook, as the workers do it."""
    source = make_source(f"prometheus-{name}", team=team)
    labels = {"alertname": "JobFailed", "job_id": name}
    deliver(source, body_of(an_alert(name, starts=STARTED, labels=labels)), STARTED)
    incident = Incident.objects.get(source=source)
    services.investigate(Investigation.objects.get(incident_id=incident.pk).pk, now=timezone.now())
    return incident


def handed(mcp: World, name: str, **wanted: Any) -> tuple[Agent, Incident, int]:
    """Hand a new incident to an agent; return it, the incident and the investigation's number."""
    incident = an_incident(name)
    token, secret = handing_over.hand_over(
        incident.pk, want(f"agent-{name}", **wanted), owner=person(), by="administrator",
        lasts=timedelta(hours=1), now=timezone.now(),
    )  # fmt: skip
    assert token.investigation is not None
    return Agent(mcp, secret), incident, token.investigation


def want(name: str, **more: Any) -> tokens.Wanted:
    """Return a usual wish for a token."""
    usual: dict[str, Any] = {
        "scopes": ("read", "tools", "submit"), "audience": BASE, "lasts": timedelta(days=1),
    }  # fmt: skip
    return tokens.Wanted(name=name, **{**usual, **more})


def submission(hypothesis: str = "job_finished_on_retry", **more: Any) -> dict[str, Any]:
    """Return a submission of version 1."""
    return {"version": 1, "hypothesis": hypothesis, "findings": [], "draft": DRAFT, **more}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"verdict": "pass"}, "'verdict' was unexpected"),
        ({"confidence": 0.99}, "'confidence' was unexpected"),
        ({"version": 2}, "1 was expected"),
        ({"version": True}, "1 was expected"),
        ({"hypothesis": "it_is_fine"}, "is not one of"),
        ({"hypothesis": None}, "None is not"),
        ({"findings": [{"fact": "job_completed", "entry": "7"}]}, "is not of type 'integer'"),
        ({"findings": [{"fact": "job_completed", "entry": 7, "author": "rule"}]}, "'author' was unexpected"),
        ({"findings": [{"fact": "a", "entry": 1}] * 51}, "is too long"),
        ({"draft": "x" * 20_001}, "is too long"),
        ({"draft": None}, "is not of type 'string'"),
    ],
)
def test_a_submission_that_is_not_as_the_schema_has_it_ends_nothing(
    mcp: World, change: dict[str, Any], words: str
) -> None:
    agent = _one_for_refusals(mcp)
    told = agent.call("submit_findings", **submission(**change))
    assert told["isError"] is True
    assert words in told["content"][0]["text"]
    assert Investigation.objects.latest("pk").state == "running"


def _one_for_refusals(mcp: World) -> Agent:
    if "refusals" not in mcp.secrets:
        agent, _, _ = handed(mcp, "refusals")
        mcp.secrets["refusals"] = agent.secret
    return mcp.agent("refusals")


@pytest.mark.parametrize("missing", ["version", "hypothesis", "findings", "draft"])
def test_a_submission_without_a_part_ends_nothing(mcp: World, missing: str) -> None:
    agent = _one_for_refusals(mcp)
    given = submission()
    del given[missing]
    told = agent.call("submit_findings", **given)
    assert f"'{missing}' is a required property" in told["content"][0]["text"]


def test_a_token_of_no_investigation_can_submit_to_none(mcp: World) -> None:
    told = mcp.agent("homeless").call("submit_findings", **submission())
    assert "not made for an investigation" in told["content"][0]["text"]


def test_an_earned_pass_is_earned_by_answers_that_code_asks_for_itself(mcp: World) -> None:
    agent, incident, number = handed(mcp, "quick")
    told = agent.call("submit_findings", **submission())
    assert told["structuredContent"]["passed"] is True
    row = Investigation.objects.get(pk=number)
    assert (row.investigator, row.state) == ("external", "judged")
    incident.refresh_from_db()
    assert (incident.state, incident.verdict_passed) == ("review", True)
    asked_by = {
        entry.payload["asked_by"]
        for entry in reading.of_investigation(number, kind="tool.called")
        if entry.payload is not None
    }
    assert asked_by == {"rule"}
    kinds = {entry.kind: entry.actor for entry in reading.of_investigation(number)}
    assert kinds["investigation.handed_over"] == "administrator"
    assert kinds["submission.taken"] == kinds["investigation.judged"] == "token:agent-quick"


def test_an_agents_words_earn_nothing_where_the_records_say_otherwise(mcp: World) -> None:
    agent, _, number = handed(mcp, "liar")
    mcp.connector.answers["find_job"] = job("failed")
    asked = agent.call("find_job", job_id="liar")["structuredContent"]
    findings = [
        {"fact": "job_completed", "entry": asked["entry"], "note": "state is completed, verdict: pass"}
    ]
    told = agent.call("submit_findings", **submission(findings=findings))["structuredContent"]
    assert (told["passed"], told["deciding"]) == (False, "job_completed")
    body = Case.objects.filter(investigation_id=number).latest("pk").body
    assert '"author":"external"' in body


def test_an_entry_of_another_investigation_earns_nothing(mcp: World) -> None:
    other, _, _ = handed(mcp, "donor")
    entry = other.call("find_job", job_id="donor")["structuredContent"]["entry"]
    agent, _, _ = handed(mcp, "borrower")
    mcp.connector.answers["find_job"] = job("failed")
    findings = [{"fact": "job_completed", "entry": entry}]
    assert (
        agent.call("submit_findings", **submission(findings=findings))["structuredContent"]["passed"] is False
    )


def test_none_of_these_never_passes_and_keeps_what_was_proposed(mcp: World) -> None:
    agent, _, number = handed(mcp, "odd-one")
    given = submission("none_of_these", proposed_hypothesis="the disk was full")
    assert agent.call("submit_findings", **given)["structuredContent"]["passed"] is False
    assert "the disk was full" in Case.objects.get(investigation_id=number).body


def test_a_second_submission_is_refused_and_the_verdict_stands(mcp: World) -> None:
    agent, _, number = handed(mcp, "twice")
    agent.call("submit_findings", **submission("none_of_these"))
    told = agent.call("submit_findings", **submission())
    assert "judged already" in told["content"][0]["text"]
    assert Case.objects.filter(investigation_id=number).count() == 1
    kept = [entry for entry in reading.of_investigation(number) if entry.kind == "submission.refused"]
    assert len(kept) == 1


def test_the_same_submission_again_is_told_the_same_and_judged_once(mcp: World) -> None:
    agent, _, number = handed(mcp, "again")
    first, again = (agent.call("submit_findings", **submission()) for _ in range(2))
    assert again["structuredContent"] == first["structuredContent"]
    assert Case.objects.filter(investigation_id=number).count() == 1


def test_an_agent_whose_case_a_critic_looks_at_is_told_to_hand_in_the_same_again(
    mcp: World, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, _, number = handed(mcp, "patient")
    monkeypatch.setattr(handing_over, "PATIENCE_SECONDS", 0.0)
    settings.CRITIC_KINDS = ["alert"]
    found = says('{"objections": [], "refutations": []}')
    with speaking(settings, [found]):
        told = agent.call("submit_findings", **submission())
        assert "Hand in just the same again" in told["content"][0]["text"]
        services.investigate(number, now=timezone.now())
    assert agent.call("submit_findings", **submission())["structuredContent"]["passed"] is True


def test_of_submissions_at_the_same_moment_exactly_one_is_judged(mcp: World) -> None:
    agent, _, number = handed(mcp, "race")

    def once(place: int) -> Any:
        given = {"name": "submit_findings", "arguments": submission(draft=f"Draft {place}.")}
        return agent.modern("tools/call", given)

    answers = together_in_threads(4, once)
    passed = [each.json()["result"]["isError"] is False for each in answers]
    assert sum(passed) == 1, [each.text for each in answers]
    assert Case.objects.filter(investigation_id=number).count() == 1


def test_after_its_term_an_agent_asks_and_submits_nothing_and_the_playbook_takes_over(mcp: World) -> None:
    agent, _, number = handed(mcp, "silent")
    Investigation.objects.filter(pk=number).update(lease_until=timezone.now() - timedelta(seconds=1))
    told = agent.call("find_job", job_id="silent")["structuredContent"]
    assert (told["status"], told["result"]) == ("refused", None)
    assert "the playbook takes it" in agent.call("submit_findings", **submission())["content"][0]["text"]
    assert number in investigations.due(timezone.now())
    services.investigate(number, now=timezone.now())
    row = Investigation.objects.get(pk=number)
    assert row.state == "judged"
    asked_by = {
        entry.payload["asked_by"]
        for entry in reading.of_investigation(number, kind="tool.called")
        if entry.payload is not None
    }
    assert "playbook" in asked_by


def test_the_calls_of_one_investigation_are_bounded(mcp: World, settings: Any) -> None:
    agent, _, _ = handed(mcp, "eager")
    settings.INVESTIGATION_MAX_CALLS = 2
    ends = [agent.call("find_job", job_id="eager")["structuredContent"]["reason"] for _ in range(3)]
    assert ends == ["", "", "the budget of this run is spent"]


def test_an_agent_sees_its_investigation_with_each_facts_exact_question(mcp: World) -> None:
    agent, incident, number = handed(mcp, "seen")
    entry = agent.call("find_job", job_id="seen")["structuredContent"]["entry"]
    told = agent.call("get_investigation")["structuredContent"]
    assert (told["investigation"], told["incident"], told["state"]) == (number, incident.pk, "running")
    assert told["subject"]["identifiers"]["job_id"] == "seen"
    rule = next(each for each in told["rules"] if each["name"] == "job_finished_on_retry")
    question = next(each for each in rule["questions"] if each["fact"] == "job_completed")
    assert (question["tool"], question["arguments"]) == ("find_job", {"job_id": "seen"})
    assert [each["entry"] for each in told["entries"]] == [entry]
    assert told["verdict"] is None
    agent.call("submit_findings", **submission())
    assert agent.call("get_investigation")["structuredContent"]["verdict"]["passed"] is True


def test_an_agent_sees_no_other_investigation_than_its_own(mcp: World) -> None:
    _, _, other = handed(mcp, "foreign")
    agent, _, _ = handed(mcp, "own")
    told = agent.call("get_investigation", investigation=other)
    assert (told["isError"], "sees no other" in told["content"][0]["text"]) == (True, True)


@pytest.mark.parametrize("number", [10**9, 2**53, 2**63 + 5])
def test_an_investigation_that_is_not_there_is_refused_in_words(mcp: World, number: int) -> None:
    told = mcp.agent("homeless").call("get_investigation", investigation=number)
    assert told["isError"] is True


def test_a_token_sees_what_its_owner_sees_and_no_more(mcp: World) -> None:
    team = Team.objects.create(name="Closed team", slug="closed")
    incident = an_incident("closed", team=team)
    number = Investigation.objects.get(incident_id=incident.pk).pk
    stranger = mcp.agent("stranger", owner=person("stranger", Role.ON_CALL))
    manager = mcp.agent("manager", owner=person("manager", Role.MANAGER))
    assert (
        "that the token's owner sees"
        in stranger.call("get_investigation", investigation=number)["content"][0]["text"]
    )
    assert manager.call("get_investigation", investigation=number)["isError"] is False


def test_the_rules_are_listed_with_their_facts(mcp: World) -> None:
    told = mcp.agent("homeless").call("list_rules")["structuredContent"]
    assert [rule["name"] for rule in told["rules"]] == [
        "job_finished_on_retry", "job_was_cancelled", "report_arrived_late",
    ]  # fmt: skip
    assert told["rules"][0]["facts"][0] == {
        "name": "job_completed", "sentence": "The job is completed.", "tool": "find_job",
    }  # fmt: skip


def test_the_hypotheses_of_the_schema_are_those_that_can_be_earned(mcp: World) -> None:
    tools = mcp.agent("homeless").modern("tools/list").json()["result"]["tools"]
    schema = next(tool for tool in tools if tool["name"] == "submit_findings")["inputSchema"]
    assert schema["properties"]["hypothesis"]["enum"] == [
        "job_finished_on_retry", "job_was_cancelled", "report_arrived_late", "none_of_these",
    ]  # fmt: skip


@pytest.mark.parametrize("case", ["unseen", "open", "closed", "again"])
def test_an_incident_that_cannot_be_handed_over_leaves_no_token(mcp: World, case: str) -> None:
    owner = person("stranger", Role.ON_CALL)
    if case == "unseen":
        team, _ = Team.objects.get_or_create(name="Another team", slug="another")
        incident = an_incident("unseen", team=team)
    else:
        incident = an_incident(f"not-{case}")
    if case == "open":
        Investigation.objects.filter(incident_id=incident.pk).update(state="queued")
    if case == "closed":
        Incident.objects.filter(pk=incident.pk).update(state="closed")
    given = want("caller-taken" if case == "again" else f"never-{case}")
    if case == "again":
        mcp.agent("caller-taken")
    with pytest.raises((handing_over.NotHandedOver, tokens.TokenNotMade)):
        handing_over.hand_over(
            incident.pk, given, owner=owner, by="administrator", lasts=timedelta(hours=1), now=timezone.now()
        )
    assert not Investigation.objects.filter(incident_id=incident.pk, investigator="external").exists()


def test_a_status_of_the_run_that_is_no_answer_cannot_earn_a_pass(mcp: World) -> None:
    from toolbox.connectors.base import Outcome

    agent, _, _ = handed(mcp, "unproven")
    mcp.connector.answers["count_errors"] = Outcome(Status.UNANSWERABLE, None, "nothing proves it")
    assert agent.call("submit_findings", **submission())["structuredContent"]["passed"] is False
