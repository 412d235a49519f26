"""A pass closes by itself where an administrator let its rule; an auditor of a pass sees no verdict."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from audit import reading
from incidents import selfclosing
from incidents.endings import ended
from incidents.figures import upkeep
from incidents.models import Incident, PassAudit, Resolution, SelfClosing
from incidents.states import State
from investigations import rulebook
from investigations.models import Verdict
from tests.db.investigated import Scripted, job, world
from tests.db.sources import make_source
from tests.web.pages import MakeUser, a_person, judged, signed_in, text_of
from tests.web.test_queue import incident as an_incident

pytestmark = pytest.mark.django_db
RULE = "job_finished_on_retry"


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


@pytest.fixture
def let(connector: Scripted, make_user: MakeUser, settings: Any) -> SelfClosing:
    """A leave for a rule whose trial is over, and whose passes are drawn no more."""
    root, now = make_user("root", role=Role.ADMINISTRATOR), timezone.now()
    leave = selfclosing.allow(RULE, because="59 clean audits", by=root, now=now)
    other = an_incident(make_source("other"))
    PassAudit.objects.bulk_create(
        PassAudit(
            incident=other, verdict_id=-n, rule=RULE, rule_version=leave.rule_version, why="trial",
            drawn_at=now, due_at=now, answered_at=now, was_right=True,
        )
        for n in range(1, 60)
    )  # fmt: skip
    settings.PASS_AUDIT_SHARE = 0
    return leave


def test_without_leave_a_pass_waits_for_a_person(connector: Scripted) -> None:
    assert judged().state == State.REVIEW
    assert not Resolution.objects.exists()


def test_a_pass_of_a_rule_with_leave_closes_in_the_rules_name(let: SelfClosing) -> None:
    incident = judged()
    assert incident.state == State.CLOSED
    resolution = Resolution.objects.get()
    assert (resolution.by, resolution.by_rule, resolution.outcome) == (None, RULE, "harmless")
    assert resolution.answer == Verdict.objects.get().draft.text
    closed = next(e for e in reading.of_incident(incident.pk) if e.kind == "incident.closed")
    assert closed.actor == f"rule:{RULE}"
    assert ended([incident.pk])[incident.pk].by == f"the rule {RULE}"


@pytest.mark.parametrize(("outcome", "state"), [("real and fixed", State.REVIEW), ("harmless", State.CLOSED)])
def test_a_pass_that_is_drawn_waits_until_its_audit_has_found_it_right(
    let: SelfClosing, make_user: MakeUser, settings: Any, outcome: str, state: State
) -> None:
    settings.PASS_AUDIT_SHARE = 1
    client = a_person(make_user)
    incident = judged()
    audit = PassAudit.objects.get(incident=incident)
    assert (incident.state, audit.closer) == (State.REVIEW, None)
    PassAudit.objects.filter(pk=audit.pk).update(reviewer=User.objects.get(username="ada"))
    said = {"outcome": outcome, "because": "As job.state says."}
    assert client.post(f"/audits/{audit.pk}/", said).status_code == 302
    incident.refresh_from_db()
    assert incident.state == state
    assert Resolution.objects.filter(incident=incident, by_rule=RULE).count() == (state == State.CLOSED)
    upkeep.tend(timezone.now())
    assert PassAudit.objects.filter(incident=incident).count() == 1


def test_an_audit_closes_nothing_that_was_taken_up_or_judged_again_meanwhile(
    let: SelfClosing, make_user: MakeUser, settings: Any
) -> None:
    settings.PASS_AUDIT_SHARE = 1
    client = a_person(make_user)
    said = {"outcome": "harmless", "because": "As job.state says."}
    changes: list[dict[str, Any]] = [{"acknowledged_at": timezone.now()}, {"verdict_passed": False}]
    for number, change in enumerate(changes):
        incident = judged(make_source(f"source-{number}"))
        Incident.objects.filter(pk=incident.pk).update(**change)
        PassAudit.objects.filter(incident=incident).update(reviewer=User.objects.get(username="ada"))
        client.post(f"/audits/{PassAudit.objects.get(incident=incident).pk}/", said)
        assert Incident.objects.get(pk=incident.pk).state == State.REVIEW
    assert not Resolution.objects.exists()


def test_a_closing_by_itself_is_said_on_the_page_and_people_open_it_again(
    let: SelfClosing, make_user: MakeUser
) -> None:
    incident, client = judged(), a_person(make_user)
    assert "By <b>itself</b>" in text_of(client.get(f"/incidents/{incident.pk}/"))
    again = {"version": incident.version, "reason": "It is not so."}
    page = text_of(client.post(f"/incidents/{incident.pk}/reopen/", again, follow=True))
    assert "the rule job finished on retry" in page


def test_a_fail_closes_nothing(let: SelfClosing, connector: Scripted) -> None:
    connector.answers["find_job"] = job("failed")
    assert judged().state == State.REVIEW


def test_what_a_person_has_taken_stays_with_them(
    let: SelfClosing, connector: Scripted, make_user: MakeUser
) -> None:
    ada = make_user("ada", role=Role.SUPPORT)
    connector.before_answer = lambda _: Incident.objects.update(assignee=ada)
    assert judged().state == State.REVIEW


def test_a_changed_rule_needs_a_new_leave(let: SelfClosing) -> None:
    SelfClosing.objects.update(rule_version=7)
    assert judged().state == State.REVIEW


def test_a_leave_that_was_ended_closes_nothing_more(let: SelfClosing) -> None:
    selfclosing.end(RULE, because="One was wrong.", by=User.objects.get(), now=timezone.now())
    assert judged().state == State.REVIEW
    with pytest.raises(selfclosing.LeaveRefused, match="do not close"):
        selfclosing.end(RULE, because="Again.", by=User.objects.get(), now=timezone.now())


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.ON_CALL, Role.MANAGER, Role.AUDITOR])
def test_only_an_administrator_lets_a_rule_close(
    connector: Scripted, make_user: MakeUser, role: Role
) -> None:
    client = a_person(make_user, role=role)
    for move in ("let-close", "keep-open"):
        assert client.post(f"/rules/{RULE}/{move}/", {"because": "x"}).status_code == 403
    assert not SelfClosing.objects.exists()


def test_an_administrator_lets_it_and_ends_it_on_the_rules_page(
    connector: Scripted, make_user: MakeUser
) -> None:
    client = a_person(make_user, role=Role.ADMINISTRATOR)
    for because in (" ", "Enough.\0", "x" * 301):
        silent = client.post(f"/rules/{RULE}/let-close/", {"because": because})
        assert silent.status_code == 422, because[:10]
        assert "Say why" in text_of(silent)
    page = text_of(client.post(f"/rules/{RULE}/let-close/", {"because": "Enough."}, follow=True))
    assert f"on for version {rulebook.current_rulebook().rules[RULE].version}" in page
    twice = client.post(f"/rules/{RULE}/let-close/", {"because": "Enough."})
    assert "close by themselves already" in text_of(twice)
    assert client.post(f"/rules/{RULE}/keep-open/", {"because": "No\0more"}).status_code == 422
    page = text_of(client.post(f"/rules/{RULE}/keep-open/", {"because": "No more."}, follow=True))
    assert "People close the passes of this rule." in page
    assert SelfClosing.objects.get().ended_by == "person:ada"
    assert client.post("/rules/no_such_rule/let-close/", {"because": "x"}).status_code == 404


# --- Who audits a pass -----------------------------------------------------------------------------


def drawn(incident: Incident, reviewer: User, **values: Any) -> PassAudit:
    now = timezone.now()
    verdict = Verdict.objects.latest("pk").pk
    return PassAudit.objects.create(
        incident=incident, verdict_id=verdict, rule=RULE, rule_version=1, why="new", reviewer=reviewer,
        drawn_at=now, due_at=now + timedelta(days=7), **values,
    )  # fmt: skip


def test_an_auditor_of_a_pass_sees_its_evidence_and_nothing_that_was_decided(
    let: SelfClosing, make_user: MakeUser
) -> None:
    incident = judged()
    mira, ben = (make_user(name, role=Role.SUPPORT) for name in ("mira", "ben"))
    audit = drawn(incident, mira)
    client = signed_in(mira)
    page = text_of(client.get(f"/incidents/{incident.pk}/"))
    main = page.partition('id="incident"')[2].partition("</article>")[0]
    draft = Verdict.objects.get().draft.text
    for told in (
        "Earned a pass",
        "Closed",
        "harmless",
        draft[:20],
        "finished on retry",
        "Timeline",
        "Take it along",
    ):
        assert told not in main, told
    answer = next(e.id for e in reading.of_incident(incident.pk) if e.kind == "tool.called")
    assert f"/entries/{answer}/" in main
    assert client.get(f"/entries/{answer}/").status_code == 200
    for entry in reading.of_incident(incident.pk):
        if entry.kind != "tool.called":
            assert client.get(f"/entries/{entry.id}/").status_code == 404, entry.kind
    for what in ("record.json", "record.md", "record.csv", "around/", "edits/", "proof"):
        assert client.get(f"/incidents/{incident.pk}/{what}").status_code == 404, what
    assert "By <b>itself</b>" in text_of(signed_in(ben).get(f"/incidents/{incident.pk}/"))
    PassAudit.objects.filter(pk=audit.pk).update(answered_at=timezone.now())
    assert "By <b>itself</b>" in text_of(client.get(f"/incidents/{incident.pk}/"))
