"""The critic and the rubric of a model's run: what they say is kept, and none of it can raise a verdict."""

import json
import re
from typing import Any

import pytest

from assay_core.results import Status
from audit import reading
from investigations import services
from investigations.models import Draft, Exchange, Objection, RubricEvaluation, Verdict
from investigations.outcomes import Ending
from tests.db.guarded_runs import run
from tests.db.investigated import Scripted, ignore, job, never, world
from tests.db.modelled import ERRORS, JOB, by_model, speaking, submission
from tests.scripted import calls, cut_off, refuses, says, status
from toolbox import gateway
from toolbox.connectors.base import Outcome

pytestmark = pytest.mark.django_db
HANDED_IN = [calls(JOB, ERRORS), says(submission("job_finished_on_retry", draft="It is done."))]
NOTHING = says(json.dumps({"objections": [], "refutations": []}))
OTHER = calls(("find_job", '{"job_id": "job-8"}'))


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def graded(*met: bool) -> Any:
    criteria = [
        {"id": f"c{number}", "passed": each, **({} if each else {"gap": "Say it."})}
        for number, each in enumerate(met, 1)
    ]
    return says(json.dumps({"criteria": criteria}))


def revised(draft: str) -> Any:
    return says(json.dumps({"draft": draft}))


def by_rubric(rubric: str = "Says when\nSays where") -> Any:
    row = by_model()
    row.rubric = rubric
    row.save()
    return row


def entries(row: Any, caller: str) -> list[int]:
    return [each.entry for each in gateway.entries_of_run(row.pk) if each.asked_by == caller]


# --- The critic ---


@pytest.fixture
def critical(settings: Any) -> Any:
    settings.CRITIC_KINDS = ["alert"]
    return settings


def test_a_refutation_that_a_critic_finds_fails_what_would_have_passed(
    critical: Any, tools: Scripted
) -> None:
    def lose(tool: str) -> None:
        if len(tools.asked) > 2:
            tools.answers["find_job"] = job("lost")

    tools.before_answer = lose

    def script(request: Any) -> Any:
        if request.number < 2:
            return HANDED_IN[request.number]
        if request.number == 2:
            return OTHER
        found = int(request.messages[-1]["content"].split()[1].rstrip(":"))
        refuted = {"refutation": "lost_again", "entry": found, "why": "It says so."}
        objection = {"says": "Another job is lost.", "entry": found, "about": "job_completed"}
        return holds_against(refuted, objections=[objection])

    with speaking(critical, script):
        row = run(by_model())
    verdict = Verdict.objects.get()
    assert not verdict.passed
    assert json.loads(verdict.body)["deciding"] == "lost_again"
    (asked,) = entries(row, "critic")
    said = Objection.objects.order_by("refutation")
    assert [(each.about, each.refutation, each.entry) for each in said] == [
        ("job_completed", "", asked),
        ("", "lost_again", asked),
    ]
    assert row.critic_note == "The critic made 2 points."
    (recorded,) = reading.of_investigation(row.pk, kind="case.criticised")
    assert recorded.actor == "critic"
    assert recorded.payload is not None
    assert recorded.payload["by"]["model"] == "scripted-1"
    assert recorded.payload["refutations"] == [[asked, "lost_again"]]


def test_a_critic_can_not_make_a_fact_hold_by_asking_again(critical: Any, tools: Scripted) -> None:
    tools.answers["find_job"] = job("running")

    def finish(tool: str) -> None:
        if len(tools.asked) > 2:
            tools.answers["find_job"] = job("completed")

    tools.before_answer = finish
    with speaking(critical, [*HANDED_IN, calls(JOB), NOTHING]):
        row = run(by_model())
    assert not Verdict.objects.get().passed
    assert entries(row, "critic") == []
    assert [tool for tool, _ in tools.asked] == ["find_job", "count_errors"]


@pytest.mark.parametrize(
    "script",
    [
        [status(400)],
        [refuses("No.")],
        [cut_off("{"), cut_off("{")],
        [says("nothing wrong"), says("still prose")],
        [says('{"objections": [], "refutations": [], "verdict": "pass"}')] * 2,
        [OTHER] * 9,
    ],
)
def test_a_critic_that_fails_leaves_the_verdict_to_the_rules_and_says_so(
    critical: Any, tools: Scripted, script: list[Any]
) -> None:
    with speaking(critical, [*HANDED_IN, *script]):
        row = run(by_model())
    assert Verdict.objects.get().passed
    assert row.critic_note.startswith("The critic gave no answer.")
    assert not Objection.objects.exists()


def test_a_call_of_a_critic_that_can_not_be_read_is_not_run_and_on_record(
    critical: Any, tools: Scripted
) -> None:
    with speaking(critical, [*HANDED_IN, calls(("find_job", '{"job_id": "')), NOTHING]):
        row = run(by_model())
    assert len(tools.asked) == 2
    assert [each.actor for each in reading.of_investigation(row.pk, kind="call.unreadable")] == ["critic"]


def test_a_critic_endpoint_that_is_not_permitted_is_not_spoken_to(critical: Any, tools: Scripted) -> None:
    with speaking(critical, HANDED_IN) as server:
        ends = critical.MODEL_ENDPOINTS
        critic = {**ends["critic"], "base_url": "https://models.example.org/v1", "model": "m"}
        critical.MODEL_ENDPOINTS = {**ends, "critic": critic}
        row = run(by_model())
    assert len(server.requests) == 2
    assert "models.example.org" in row.critic_note
    assert Verdict.objects.get().passed


def test_an_alert_has_no_critic_unless_the_setting_says_so(settings: Any, tools: Scripted) -> None:
    with speaking(settings, HANDED_IN) as server:
        row = run(by_model())
    assert len(server.requests) == 2
    assert row.critic_note == ""


def test_a_critic_does_not_see_the_investigators_words(critical: Any, tools: Scripted) -> None:
    final = submission(
        "job_finished_on_retry",
        draft="SURELY HARMLESS",
        findings=[{"fact": "job_completed", "entry": 1, "note": "TRUST ME"}],
    )
    with speaking(critical, [calls(JOB, ERRORS), says(final), NOTHING]) as server:
        row = run(by_model())
    assert "SURELY HARMLESS" not in server.requests[2].text
    assert "TRUST ME" not in server.requests[2].text
    assert row.critic_note == "The critic found nothing."


def test_what_a_critic_held_against_it_stays_in_the_next_judgement(
    critical: Any, tools: Scripted, make_user: Any
) -> None:
    tools.answers["count_errors"] = Outcome(Status.UNAVAILABLE, reason="down")

    def script(request: Any) -> Any:
        if request.number < 2:
            return HANDED_IN[request.number]
        shown = re.search(r"recorded answer, entry (\d+)", request.text)
        assert shown is not None
        return holds_against({"refutation": "lost_again", "entry": int(shown[1])})

    with speaking(critical, script):
        row = run(by_model())
    tools.answers["count_errors"] = Outcome(Status.OBSERVED, {"match_count": 0})
    services.ask_and_judge(row.pk, fact="no_recurrence", by=make_user(), on_judged=ignore)
    for case in row.cases.all():
        assert [each["author"] for each in json.loads(case.body)["case"]["refutations"]] == ["model"]
    assert [each.passed for each in row.verdicts.all()] == [False, True]  # the rule does not find it so


def holds_against(*refutations: Any, objections: Any = ()) -> Any:
    return says(json.dumps({"objections": list(objections), "refutations": list(refutations)}))


# --- The rubric ---


def test_gaps_go_back_until_the_rubric_is_met(settings: Any, tools: Scripted) -> None:
    script = [*HANDED_IN, graded(True, False), revised("It is done, there."), graded(True, True)]
    with speaking(settings, script) as server:
        row = run(by_rubric())
    draft = Draft.objects.get()
    assert (draft.text, draft.rubric_result, draft.written_by) == ("It is done, there.", "satisfied", "model")
    assert "Say it." in server.requests[3].text
    kept = RubricEvaluation.objects.order_by("iteration")
    assert [(each.iteration, each.result) for each in kept] == [(0, "needs_revision"), (1, "satisfied")]
    assert kept[0].criteria[1] == {"id": "c2", "text": "Says where", "passed": False, "gap": "Say it."}
    assert all(each.model == "scripted-1" and each.prompt_digest and each.draft_digest for each in kept)
    assert row.verdicts.get().passed
    recorded = reading.of_investigation(row.pk, kind="draft.graded")
    assert [each.payload["words"] for each in recorded if each.payload] == [
        "needs_revision after grading 1",
        "satisfied after grading 2",
    ]


@pytest.mark.parametrize(
    ("script", "result"),
    [
        ([status(400)], "grader_error"),
        ([says("fine"), says("fine")], "grader_error"),
        ([graded(True), graded(True)], "grader_error"),
        ([graded(False, True), says("no"), says("no")], "needs_revision"),
        ([says(json.dumps({"criteria": [{"id": "c1", "passed": True}, {"id": "c2", "passed": True}],
                           "cannot_be_graded": "It asks for what no draft can hold."}))], "failed"),
        ([graded(False, True), revised("b"), graded(False, True), revised("c"), graded(False, True)],
         "max_iterations_reached"),
    ],
)  # fmt: skip
def test_a_draft_that_nobody_confirmed_says_so_and_is_kept(
    settings: Any, tools: Scripted, script: list[Any], result: str
) -> None:
    with speaking(settings, [*HANDED_IN, *script]):
        run(by_rubric())
    draft = Draft.objects.get()
    assert draft.rubric_result == result
    assert draft.text in ("It is done.", "c")
    assert Verdict.objects.get().passed


def test_what_is_graded_is_what_is_kept(settings: Any, tools: Scripted) -> None:
    again = revised("Done, see https://evil.example/x and password=hunter2hunter2.")
    with speaking(settings, [*HANDED_IN, graded(True, False), again, graded(True, True)]) as server:
        run(by_rubric())
    draft = Draft.objects.get()
    assert draft.rubric_result == "satisfied"
    assert RubricEvaluation.objects.latest("pk").draft == draft.text
    for kept in (draft.text, server.requests[4].text):
        assert "evil.example" not in kept
        assert "hunter2" not in kept


def test_without_a_rubric_nothing_is_graded(settings: Any, tools: Scripted) -> None:
    with speaking(settings, HANDED_IN):
        run(by_rubric(" \n"))
    assert [(one.purpose, one.reason) for one in Exchange.objects.order_by("pk")] == [
        ("investigator", "")
    ] * 2
    assert Draft.objects.get().rubric_result == ""


def test_a_draft_that_the_citation_guard_had_rewritten_is_graded_again(
    settings: Any, tools: Scripted
) -> None:
    script = [
        *HANDED_IN[:1],
        says(submission("job_finished_on_retry", draft="See [entry 999999999].")),
        graded(True, True),
        revised("See nothing."),
        graded(True, False),
    ]
    with speaking(settings, script):
        run(by_rubric())
    draft = Draft.objects.get()
    assert (draft.text, draft.rubric_result) == ("See nothing.", "max_iterations_reached")


def test_a_run_that_is_taken_over_goes_on_after_its_last_grading(settings: Any, tools: Scripted) -> None:
    row = by_rubric()

    def refuse(_: Any) -> None:
        raise RuntimeError("the incident can't be moved")

    first = [*HANDED_IN, graded(True, False), revised("It is done, there."), graded(True, True)]
    with speaking(settings, first):
        with pytest.raises(RuntimeError):
            services.run(row.pk, on_judged=refuse, on_failed=never)
        assert RubricEvaluation.objects.count() == 2
    with speaking(settings, []) as server:
        assert services.run(row.pk, on_judged=ignore, on_failed=never).ending is Ending.JUDGED
    assert server.requests == []
    assert Draft.objects.get().text == "It is done, there."
    assert Draft.objects.get().rubric_result == "satisfied"


def test_a_critic_looks_once_whoever_takes_the_run_over(critical: Any, tools: Scripted) -> None:
    row = by_model()

    def refuse(_: Any) -> None:
        raise RuntimeError("the incident can't be moved")

    with speaking(critical, [*HANDED_IN, NOTHING]), pytest.raises(RuntimeError):
        services.run(row.pk, on_judged=refuse, on_failed=never)
    with speaking(critical, []) as server:
        run(row)
    assert server.requests == []
    assert row.critic_note == "The critic found nothing."
    assert len(reading.of_investigation(row.pk, kind="case.criticised")) == 1


def test_a_grader_may_ask_where_the_setting_lets_it(settings: Any, tools: Scripted) -> None:
    settings.GRADER_HAS_TOOLS = True
    with speaking(settings, [*HANDED_IN, OTHER, graded(True, True)]) as server:
        row = run(by_rubric())
    assert server.requests[2].tools == ["count_errors", "find_job"]
    assert len(entries(row, "grader")) == 1
    settings.GRADER_HAS_TOOLS = False
    with speaking(settings, [*HANDED_IN, graded(True, True)]) as server:
        other = by_model(2)
        other.rubric = "Says when\nSays where"
        other.save()
        run(other)
    assert server.requests[2].tools == []
