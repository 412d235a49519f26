"""The page of tools, its switches and rules, and the calls that wait: as administrator, others, nobody."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import Team, User
from accounts.roles import Role
from assay_core.results import Status
from tests.db.investigated import Scripted, world
from tests.db.sources import make_source
from tests.web.pages import MakeUser, a_person, judged, text_of
from toolbox import acknowledgements, gateway, proofs, registry, toolrules
from toolbox.models import Ask, ToolRule
from toolbox.scope import CallScope
from toolbox.toolrules import Wanted

pytestmark = pytest.mark.django_db
TOKEN = CallScope(caller="token:agent")


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    proofs.forget()
    acknowledgements.forget()
    return world(monkeypatch)


@pytest.fixture
def boss(connector: Scripted, make_user: MakeUser) -> Client:
    return a_person(make_user, "boss", Role.ADMINISTRATOR)


def test_it_lists_each_tool_with_its_question_and_its_calls(boss: Client) -> None:
    gateway.call("count_errors", {"query": "x", "since": "y"}, TOKEN)
    gateway.call("count_errors", {}, TOKEN)
    page = text_of(boss.get("/tools/"))
    for words in (
        "count_errors",
        "find_job",
        "Scripted answers",
        "SELECT 1",
        "2 calls",
        "1 refused",
        "no credential",
    ):
        assert words in page


def test_without_tools_the_page_says_what_to_set(
    make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "current", lambda: registry.Toolbox({}, {}))
    assert "TRIAGE_TOOLS" in text_of(a_person(make_user).get("/tools/"))


def test_pausing_and_resuming_need_a_reason_and_hold_at_once(boss: Client) -> None:
    arguments = {"query": "x", "since": "y"}
    assert boss.post("/tools/count_errors/pause/", {"because": " "}).status_code == 422
    assert not ToolRule.objects.exists()
    assert boss.post("/tools/count_errors/pause/", {"because": "too slow"}).status_code == 302
    assert "paused" in gateway.call("count_errors", arguments, TOKEN).reason
    assert "Paused: " in text_of(boss.get("/tools/"))
    refused = boss.post("/tools/count_errors/pause/", {"because": "again"})
    assert (refused.status_code, "paused already" in text_of(refused)) == (422, True)
    assert boss.post("/tools/count_errors/resume/", {"because": "fast again"}).status_code == 302
    assert gateway.call("count_errors", arguments, TOKEN).status is Status.OBSERVED
    assert boss.post("/tools/count_errors/resume/", {"because": "again"}).status_code == 422


def test_a_rule_is_made_and_ended_on_the_page(boss: Client) -> None:
    form = {
        "effect": "deny",
        "tool": "find_*",
        "caller": "token:*",
        "arguments": "job_id = job-9*",
        "because": "secret",
    }
    assert boss.post("/tools/rules/", form).status_code == 302
    rule = ToolRule.objects.get()
    assert (rule.effect, rule.caller, rule.arguments, rule.made_by) == (
        "deny", "token:*", {"job_id": "job-9*"}, "person:boss",
    )  # fmt: skip
    page = text_of(boss.get("/tools/"))
    assert "job_id = job-9*" in page
    assert boss.post(f"/tools/rules/{rule.pk}/end/", {"because": "over"}).status_code == 302
    assert boss.post(f"/tools/rules/{rule.pk}/end/", {"because": "over"}).status_code == 422
    assert boss.post("/tools/rules/99999/end/", {"because": "over"}).status_code == 422


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tool": ""}, "This field is required"),
        ({"because": ""}, "This field is required"),
        ({"effect": "allow"}, "not one of the available choices"),
        ({"arguments": "no pattern"}, "Write one argument a line"),
        ({"effect": "pause"}, "one tool and everybody"),
    ],
)
def test_a_form_that_says_too_little_makes_nothing(boss: Client, changes: dict[str, str], words: str) -> None:
    form = {"effect": "deny", "tool": "find_*", "caller": "", "arguments": "", "because": "secret", **changes}
    response = boss.post("/tools/rules/", form)
    assert (response.status_code, words in text_of(response)) == (422, True)
    assert not ToolRule.objects.exists()


PATHS = ("/tools/rules/", "/tools/rules/1/end/", "/tools/find_job/pause/", "/tools/find_job/resume/")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("role", [role for role in Role if role != Role.ADMINISTRATOR])
def test_nobody_but_administrators_changes_anything(
    connector: Scripted, make_user: MakeUser, path: str, role: Role
) -> None:
    client = a_person(make_user, "other", role)
    assert client.post(path, {"because": "x", "effect": "deny", "tool": "*"}).status_code == 403
    assert not ToolRule.objects.exists()
    page = text_of(client.get("/tools/"))
    assert "Make a rule" not in page
    assert "Pause the tool" not in page


@pytest.mark.parametrize("path", [*PATHS, "/asks/1/"])
def test_what_changes_something_is_posted(boss: Client, path: str) -> None:
    assert boss.get(path).status_code == 405
    assert Client().post(path).status_code == 302


@pytest.mark.parametrize("path", ["/tools/", "/asks/", "/entries/"])
def test_without_a_session_or_a_role_there_is_no_page(
    connector: Scripted, make_user: MakeUser, path: str
) -> None:
    assert Client().get(path).status_code == 302
    client = Client()
    client.force_login(make_user("nobody"))
    assert client.get(path).status_code == 403


# --- Calls that wait --------------------------------------------------------------------------


def an_ask(**values: Any) -> Ask:
    now = timezone.now()
    filled = {
        "rule": 1, "tool": "find_job", "caller": "token:agent", "shown": {"job_id": "job-7"},
        "arguments_digest": "0" * 64, "opened_at": now, "expires_at": now + timedelta(minutes=1), **values,
    }  # fmt: skip
    return Ask.objects.create(**filled)


@pytest.mark.parametrize(("choice", "answer"), [("allow", "allowed"), ("refuse", "refused")])
def test_a_waiting_call_is_answered_by_a_person(boss: Client, choice: str, answer: str) -> None:
    ask = an_ask()
    page = text_of(boss.get("/asks/"))
    assert "job-7" in page
    assert "token:agent" in page
    assert boss.post(f"/asks/{ask.pk}/", {"answer": choice, "words": "fi\0ne"}).status_code == 302
    ask.refresh_from_db()
    assert (ask.answer, ask.answered_by, ask.words) == (answer, "person:boss", "fine")
    again = boss.post(f"/asks/{ask.pk}/", {"answer": "allow"})
    assert (again.status_code, "too late" in text_of(again)) == (422, True)


def test_an_answer_that_is_none_answers_nothing(boss: Client) -> None:
    ask = an_ask()
    assert boss.post(f"/asks/{ask.pk}/", {"answer": "maybe"}).status_code == 422
    ask.refresh_from_db()
    assert ask.answer == ""


def test_a_call_about_another_teams_incident_is_not_there(connector: Scripted, make_user: MakeUser) -> None:
    incident = judged(make_source(team=Team.objects.create(name="Bank", slug="bank")))
    ask = an_ask(incident=incident.pk)
    client = a_person(make_user)
    assert "job-7" not in text_of(client.get("/asks/"))
    assert client.post(f"/asks/{ask.pk}/", {"answer": "allow"}).status_code == 404
    assert a_person(make_user, "ines", Role.AUDITOR).get("/asks/").status_code == 403
    assert "job-7" in text_of(a_person(make_user, "mia", Role.MANAGER).get("/asks/"))


def test_a_call_that_nobody_allowed_in_time_no_longer_waits(boss: Client) -> None:
    ask = an_ask(expires_at=timezone.now() - timedelta(seconds=1))
    assert "No call waits" in text_of(boss.get("/asks/"))
    assert boss.post(f"/asks/{ask.pk}/", {"answer": "allow"}).status_code == 422


# --- The command ------------------------------------------------------------------------------


def told(*arguments: str) -> str:
    out = StringIO()
    call_command("toolrules", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def test_the_command_makes_lists_and_ends_rules(connector: Scripted, make_user: Callable[..., User]) -> None:
    make_user("boss", role=Role.ADMINISTRATOR)
    signed = ("--because", "secret", "--by", "boss")
    assert told("list") == "No tool rule stands.\n"
    told("deny", "find_*", "--caller", "token:*", "--argument", "job_id=job-9*", *signed)
    told("pause", "count_errors", *signed)
    number = ToolRule.objects.get(effect="deny").pk
    assert f"{number}: deny find_* for token:* with job_id=job-9*: secret (person:boss)" in told("list")
    assert "ended by person:boss" in told("resume", "count_errors", *signed)
    assert "ended by person:boss" in told("end", str(number), *signed)
    assert told("list") == "No tool rule stands.\n"
    assert "pause count_errors" in told("list", "--ended")
    assert "No tool that is loaded here is named nonesuch" in told("ask", "nonesuch", *signed)
    misspelt = ("deny", "find_*", "--argument", "jobid=job-9*", *signed)
    assert "takes the argument jobid: the rule refuses nothing" in told(*misspelt)
    assert "refuses nothing" not in told("deny", "find_*", "--argument", "*=job-9*", *signed)


def test_the_page_says_when_a_rule_can_mean_no_call(boss: Client) -> None:
    given = {"effect": "deny", "tool": "find_job", "arguments": "jobid = job-9*", "because": "secret"}
    page = text_of(boss.post("/tools/rules/", given, follow=True))
    assert "takes the argument jobid: the rule refuses nothing" in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("deny", "x", "--because", "y", "--by", "nobody"), "There is no person 'nobody'"),
        (("deny", "x", "--because", "y", "--by", "ada"), "ada may not"),
        (("deny", "x", "--argument", "y", "--because", "y", "--by", "boss"), "write NAME=PATTERN"),
        (("end", "12345", "--because", "y", "--by", "boss"), "There is no tool rule 12345"),
        (("resume", "x", "--because", "y", "--by", "boss"), "x is not paused"),
        (("deny", "x", "--by", "boss"), "--because"),
    ],
)
def test_the_command_says_what_it_cannot_do(
    connector: Scripted, make_user: MakeUser, arguments: tuple[str, ...], words: str
) -> None:
    make_user("boss", role=Role.ADMINISTRATOR)
    make_user("ada", role=Role.SUPPORT)
    with pytest.raises(CommandError, match=words):
        told(*arguments)
    assert not ToolRule.objects.exists()


def test_a_hidden_tool_is_denied_or_paused_for_every_call(connector: Scripted, make_user: MakeUser) -> None:
    boss = make_user("boss", role=Role.ADMINISTRATOR)
    for wanted in (
        Wanted("deny", "find_job", "a", caller="token:*"),
        Wanted("deny", "count_errors", "a", arguments={"query": "x"}),
    ):
        toolrules.make(wanted, by=boss, now=timezone.now())
    standing = toolrules.standing()
    assert standing.hides("find_job", "token:agent")
    assert not standing.hides("find_job", "playbook")
    assert not standing.hides("count_errors", "token:agent")
