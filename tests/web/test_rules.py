"""The rulebook's pages: the list, one rule, suspending and lifting, what would flip today."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Team
from accounts.roles import Role
from assay_core.results import Status
from audit.models import Entry as AuditEntry
from incidents import folding, services
from incidents.models import Delivery, Incident, RuleTally
from investigations import rulebook
from investigations.models import FactTrouble, RuleSuspension, Verdict
from investigations.rulebook import SHIPPED
from tests.db.investigated import Scripted, job, world
from tests.db.sources import make_source
from tests.pure.shipped_rules import SHAPES
from tests.web.pages import MakeUser, a_person, judged, text_of
from toolbox.connectors.base import Outcome
from verdicts.loading import load_rulebook
from verdicts.rulebook import Rulebook

pytestmark = pytest.mark.django_db
RULE = "job_finished_on_retry"


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


@pytest.fixture
def boss(connector: Scripted, make_user: MakeUser) -> Client:
    return a_person(make_user, "boss", Role.ADMINISTRATOR)


def change(client: Client, act: str, because: str = "it passed a lost job", rule: str = RULE) -> Any:
    return client.post(f"/rules/{rule}/{act}/", {"because": because})


@pytest.mark.parametrize("act", ["suspend", "lift"])
@pytest.mark.parametrize("role", [role for role in Role if role != Role.ADMINISTRATOR])
def test_nobody_but_administrators_suspends_or_lifts(
    connector: Scripted, make_user: MakeUser, act: str, role: Role
) -> None:
    if act == "lift":
        RuleSuspension.objects.create(rule=RULE, because="x", made_by="critic", made_at=timezone.now())
    client = a_person(make_user, "eve", role)
    assert change(client, act).status_code == 403
    assert RuleSuspension.objects.filter(lifted_at=None).count() == (act == "lift")
    assert "Suspend the rule" not in text_of(client.get(f"/rules/{RULE}/"))


def test_a_suspension_needs_a_reason_and_a_rule(boss: Client) -> None:
    assert change(boss, "suspend", " ").status_code == 422
    assert change(boss, "suspend", "x" * 301).status_code == 422
    assert change(boss, "suspend", rule="no_such_rule").status_code == 404
    assert change(boss, "lift").status_code == 422
    assert not RuleSuspension.objects.exists()
    for act in ("suspend", "lift"):
        assert boss.get(f"/rules/{RULE}/{act}/").status_code == 405


def test_a_suspension_holds_for_the_very_next_verdict_and_its_digest(boss: Client) -> None:
    before = judged()
    assert change(boss, "suspend").status_code == 302
    assert change(boss, "suspend").status_code == 422
    suspended = judged(make_source("second"), "job-8")
    assert change(boss, "lift", "mended").status_code == 302
    after = judged(make_source("third"), "job-9")
    assert [each.verdict_passed for each in (before, suspended, after)] == [True, False, True]
    digests = list(Verdict.objects.values_list("rulebook_digest", flat=True))
    assert digests[0] == digests[2] != digests[1]


def test_a_suspension_is_on_record_and_on_the_page(boss: Client) -> None:
    change(boss, "suspend")
    page = text_of(boss.get(f"/rules/{RULE}/"))
    assert "it passed a lost job" in page
    assert "suspended" in text_of(boss.get("/rules/"))
    change(boss, "lift", "mended")
    assert "mended" in text_of(boss.get(f"/rules/{RULE}/"))
    kinds = [entry.kind for entry in AuditEntry.objects.order_by("pk")]
    assert kinds[-2:] == ["rule.suspended", "rule.resumed"]


@pytest.mark.parametrize("path", ["/rules/", f"/rules/{RULE}/", "/rules/diff/"])
def test_strangers_sign_in_first_and_nobody_posts(boss: Client, path: str) -> None:
    assert Client().get(path).status_code == 302
    assert boss.post(path).status_code == 405


def test_a_rule_that_is_not_there_is_not_found(boss: Client) -> None:
    assert boss.get("/rules/no_such_rule/").status_code == 404


def test_a_shipped_rule_shows_its_checks_as_they_are_written(
    make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = load_rulebook([SHIPPED], SHAPES)
    monkeypatch.setattr(rulebook, "loaded_rulebook", lambda: book)
    client = a_person(make_user)
    page = text_of(client.get("/rules/transient_upstream_timeout/"))
    assert "verdicts/rules/transient_upstream_timeout.py:" in page
    assert page.count('class="raw"') >= len(book.rules["transient_upstream_timeout"].facts)
    assert "answer." in page
    assert book.rule_digest("transient_upstream_timeout") in page
    for name in book.rules:
        assert client.get(f"/rules/{name}/").status_code == 200


def test_a_broken_rule_says_why_and_what_to_do(make_user: MakeUser, monkeypatch: pytest.MonkeyPatch) -> None:
    book = Rulebook(rules={}, shapes={}, broken={"torn": "its cases are not JSON."})
    monkeypatch.setattr(rulebook, "loaded_rulebook", lambda: book)
    client = a_person(make_user)
    for path in ("/rules/", "/rules/torn/"):
        page = text_of(client.get(path))
        assert "its cases are not JSON." in page
        assert "manage.py proverules" in page


def test_the_list_counts_what_was_raised_earned_and_overridden(
    boss: Client, connector: Scripted, make_user: MakeUser
) -> None:
    incident = judged()
    incident.refresh_from_db()
    services.close(
        incident.pk, by=make_user("carl"), outcome="real and fixed", answer="", reason="it was lost",
        version=incident.version, now=timezone.now(),
    )  # fmt: skip
    connector.answers["find_job"] = job("cancelled")
    judged(make_source("second"), "job-8")
    page = boss.get("/rules/")
    figures = {line.spec.name: line.figures for line in page.context["lines"]}
    assert (figures[RULE].raised, figures[RULE].earned, figures[RULE].overridden) == (1, 1, 1)
    assert (figures["job_was_cancelled"].raised, figures["job_was_cancelled"].overridden) == (1, 0)
    assert figures["report_arrived_late"].quiet == "never raised"


def test_a_rule_that_has_rested_for_ninety_days_is_listed(boss: Client) -> None:
    judged()
    RuleTally.objects.update(last_raised_at=timezone.now() - timedelta(days=91))
    quiet = {line.spec.name: line.figures.quiet for line in boss.get("/rules/").context["quiet"]}
    assert quiet[RULE] == "not raised in 90 days"


def test_what_no_rule_covers_is_counted_without_telling_of_other_teams(
    boss: Client, make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = Rulebook(rules={}, shapes={})
    monkeypatch.setattr(rulebook, "loaded_rulebook", lambda: book)
    mine = judged(name="job-1")
    judged(make_source("second", team=Team.objects.create(slug="other", name="Other")), "job-2")
    listed = boss.get("/rules/").context["unruled"]
    assert [(each.words, each.incidents) for each in listed] == [("alertname JobFailed", 2)]
    seen = a_person(make_user, "eve").get("/rules/").context["unruled"]
    assert [(each.incidents, each.example) for each in seen] == [(1, mine.pk)]


def test_nothing_flips_under_the_same_rules(boss: Client) -> None:
    judged()
    found = boss.get("/rules/diff/").context["diff"]
    assert (found.judged, found.same, found.flips) == (1, 1, [])


def test_a_flip_stands_beside_what_people_decided(
    boss: Client, make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    incident = judged()
    incident.refresh_from_db()
    services.close(
        incident.pk, by=make_user("carl"), outcome="harmless", answer="", reason="",
        version=incident.version, now=timezone.now(),
    )  # fmt: skip
    change(boss, "suspend")
    page = boss.get("/rules/diff/")
    assert [
        (flip.incident, flip.passed, flip.now_passes, flip.ending) for flip in page.context["diff"].flips
    ] == [(incident.pk, True, False, "false fail")]
    assert "harmless" in text_of(page)


def test_the_diff_is_paged_and_tells_nothing_of_other_teams(
    boss: Client, make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("incidents.rulediff.diff.__kwdefaults__", {"at_once": 1})
    judged(name="job-1")
    judged(make_source("second", team=Team.objects.create(slug="other", name="Other")), "job-2")
    first = boss.get("/rules/diff/").context["diff"]
    second = boss.get(f"/rules/diff/?before={first.next_before}").context["diff"]
    assert (first.judged, second.judged, second.next_before) == (1, 1, None)
    assert boss.get("/rules/diff/?before=x").context["diff"].judged == 1
    assert a_person(make_user, "eve").get("/rules/diff/").context["diff"].next_before is None


def test_a_case_that_was_changed_is_named_and_stops_nothing(boss: Client) -> None:
    judged()
    case = Verdict.objects.get().case
    type(case).objects.filter(pk=case.pk).update(body="{}")
    page = boss.get("/rules/diff/")
    assert (page.status_code, len(page.context["diff"].unreadable)) == (200, 1)


def test_the_pages_take_few_queries(boss: Client, django_assert_max_num_queries: Any) -> None:
    for number in range(4):
        judged(make_source(f"source-{number}"), f"job-{number}")
    for path, most in (("/rules/", 10), (f"/rules/{RULE}/", 14), ("/rules/diff/", 10)):
        with django_assert_max_num_queries(most):
            boss.get(path)


def test_a_field_that_went_missing_is_counted_by_path(boss: Client, connector: Scripted) -> None:
    connector.answers["find_job"] = Outcome(Status.OBSERVED, {"job": {"status": "completed"}})
    judged()
    rows = FactTrouble.objects.values_list("rule", "fact", "tool", "path", "kind")
    told = {row[0]: row[2:] for row in rows}
    assert set(told.values()) == {("find_job", "job.state", "missing")}
    page = text_of(boss.get(f"/rules/{next(iter(told))}/"))
    assert "job.state" in page
    assert "<svg" in page


def test_a_jump_after_a_clean_run_opens_one_incident(boss: Client, connector: Scripted) -> None:
    judged()
    first = Verdict.objects.get()
    for _ in range(20):
        case = type(first.case).objects.create(
            investigation=first.investigation, body=first.case.body, digest=first.case.digest,
            judged_at=first.created_at,
        )  # fmt: skip
        Verdict.objects.create(
            case=case, investigation=first.investigation, passed=True, hypothesis=RULE, reason="",
            body=first.body, rulebook_digest="", created_at=first.created_at - timedelta(days=1),
        )  # fmt: skip
    connector.answers["count_errors"] = Outcome(Status.OBSERVED, {"matches": 0})
    for number in range(5):
        judged(make_source(f"source-{number}"), f"job-{number}")
        told = Delivery.objects.filter(source__slug="schedule").count()
        assert told == (number >= 2), number
    folding.fold(Delivery.objects.get(source__slug="schedule").pk, timezone.now())
    drift = Incident.objects.get(source__slug="schedule")
    assert drift.kind == "alert"
    for word in (RULE, "count_errors", "match_count"):
        assert word in drift.title


def test_troubles_without_a_clean_run_open_nothing(connector: Scripted) -> None:
    connector.answers["count_errors"] = Outcome(Status.OBSERVED, {"matches": 0})
    for number in range(4):
        judged(make_source(f"source-{number}"), f"job-{number}")
    assert FactTrouble.objects.count() >= 4
    assert not Delivery.objects.filter(source__slug="schedule").exists()
