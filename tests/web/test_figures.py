"""The figures, the audits of passes and an incident's stamps as pages."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Team
from accounts.roles import Role
from audit import reading
from incidents import services
from incidents.figures import recount, upkeep
from incidents.models import Incident, PassAudit, StampEdit
from tests.db.investigated import world
from tests.db.sources import make_source
from tests.web.pages import MakeUser, a_person, judged, signed_in, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _world(monkeypatch: pytest.MonkeyPatch) -> None:
    world(monkeypatch)


def closed(make_user: MakeUser, incident: Incident | None = None) -> Incident:
    """Let ada close an incident, and count it."""
    incident, ada = incident or judged(), make_user("ada", role=Role.SUPPORT)
    services.close(
        incident.pk, by=ada, outcome="harmless", answer="", reason="Looked at it.", version=incident.version,
        now=timezone.now() + timedelta(hours=2),
    )  # fmt: skip
    recount.recount(timezone.now())
    return incident


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.ON_CALL])
def test_who_sees_one_team_sees_no_figures_of_all(make_user: MakeUser, role: Role) -> None:
    assert a_person(make_user, role=role).get("/figures/").status_code == 403
    assert signed_in(make_user("b", role=role)).get("/figures/stages.csv").status_code == 403


def test_without_incidents_the_page_says_what_to_do(make_user: MakeUser) -> None:
    page = text_of(a_person(make_user, role=Role.MANAGER).get("/figures/"))
    assert "Nothing was detected in these days" in page
    assert "not counted yet" in page


@pytest.mark.parametrize(
    "query",
    ["from=yesterday", "from=0001-01-01&to=9999-12-31", "source=x", "team=99999999999999999999",
     "service=%00", "by=drop", "span=-1", "from=2026-12-01&to=2026-11-01", "rule=" + "x" * 300],
)  # fmt: skip
def test_an_address_that_cannot_be_read_gives_a_page_all_the_same(make_user: MakeUser, query: str) -> None:
    assert a_person(make_user, role=Role.MANAGER).get(f"/figures/?{query}").status_code == 200


def test_the_figures_stand_beside_what_keeps_them_honest(make_user: MakeUser) -> None:
    closed(make_user)
    client = signed_in(make_user("mia", role=Role.MANAGER))
    for query in (
        "",
        "?print=1",
        "?kind=alert",
        "?kind=alert&rule=job_finished_on_retry",
        "?by=week",
        "?by=source",
    ):
        page = text_of(client.get(f"/figures/{query}"))
        for words in (
            "MTTR",
            "2.0 h",
            "Reopened in 14 days",
            "Overridden",
            "False passes",
            "Covered by a rule",
        ):
            assert words in page, (query, words)


@pytest.mark.parametrize("name", ["stages", "weeks", "groups", "rules", "audits"])
def test_each_table_is_to_be_had_as_csv(make_user: MakeUser, name: str) -> None:
    closed(make_user)
    answer = signed_in(make_user("mia", role=Role.MANAGER)).get(f"/figures/{name}.csv?by=source")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert len(text_of(answer).splitlines()) >= 2


def test_a_table_that_there_is_not_is_not_found(make_user: MakeUser) -> None:
    assert a_person(make_user, role=Role.MANAGER).get("/figures/salaries.csv").status_code == 404


def test_a_name_that_is_a_formula_stays_text(make_user: MakeUser) -> None:
    closed(make_user, judged(make_source(title="=1+2")))
    answer = signed_in(make_user("mia", role=Role.MANAGER)).get("/figures/groups.csv?by=source")
    assert "'=1+2" in text_of(answer)


def an_audit(make_user: MakeUser) -> PassAudit:
    """A pass that ada closed and bea has to check."""
    make_user("bea", role=Role.SUPPORT)
    incident = closed(make_user)
    upkeep.tend(timezone.now())
    return PassAudit.objects.get(incident=incident, reviewer__username="bea")


def test_an_audit_is_not_there_for_anybody_else(make_user: MakeUser) -> None:
    audit = an_audit(make_user)
    for client in (signed_in(PassAudit.objects.get().closer or make_user("x")), a_person(make_user, "cyd")):
        assert client.get(f"/audits/{audit.pk}/").status_code == 404
        assert client.post(f"/audits/{audit.pk}/", {"outcome": "harmless", "because": "x"}).status_code == 404
    assert a_person(make_user, "eve", Role.AUDITOR).get("/audits/").status_code == 403


def test_an_audit_of_another_team_is_not_there_to_be_taken(make_user: MakeUser) -> None:
    team = Team.objects.create(name="Payments", slug="payments")
    closed(make_user, judged(make_source(team=team)))
    upkeep.tend(timezone.now())
    audit = PassAudit.objects.get()
    client = a_person(make_user, "olga")
    assert client.post(f"/audits/{audit.pk}/take/").status_code == 404
    assert str(audit.incident.title) not in text_of(client.get("/audits/"))


def test_a_reviewer_sees_the_answers_and_neither_verdict_nor_draft(make_user: MakeUser) -> None:
    audit = an_audit(make_user)
    assert audit.reviewer
    client = signed_in(audit.reviewer)
    page = text_of(client.get(f"/audits/{audit.pk}/"))
    assert "find job" in page
    assert "completed" in page
    for words in (audit.rule, audit.rule.replace("_", " "), audit.incident.verdict_reason, "Draft", "earned"):
        assert words not in page, words


def test_an_answer_is_refused_with_what_was_typed_and_then_kept_once(make_user: MakeUser) -> None:
    audit = an_audit(make_user)
    assert audit.reviewer
    client = signed_in(audit.reviewer)
    refused = client.post(f"/audits/{audit.pk}/", {"outcome": "", "because": "It ran <b>twice</b>."})
    assert refused.status_code == 422
    assert "It ran &lt;b&gt;twice&lt;/b&gt;." in text_of(refused)
    for outcome in ("harmless", "real and fixed"):
        client.post(f"/audits/{audit.pk}/", {"outcome": outcome, "because": "The job ran."})
    audit.refresh_from_db()
    assert (audit.outcome, audit.was_right) == ("harmless", True)
    assert "The pass was right." in text_of(client.get(f"/audits/{audit.pk}/"))


def test_a_stamp_is_corrected_by_who_may_move_incidents_alone(make_user: MakeUser) -> None:
    incident = judged()
    client = a_person(make_user, "vera", Role.AUDITOR)
    posted = {"name": "mitigated", "at": "2026-01-01 10:00", "because": "The graph shows it."}
    assert client.get(f"/incidents/{incident.pk}/stamps/").status_code == 200
    assert client.post(f"/incidents/{incident.pk}/stamps/", posted).status_code == 403
    assert not StampEdit.objects.exists()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [({"at": "soon"}, "Write the time as"), ({"at": "0001-01-01T00:00+05:00"}, "Write the time as"),
     ({"at": "2190-01-01 10:00"}, "still to come"),
     ({"because": " "}, "Say how you know"), ({"name": "closed"}, "Only these times")],
)  # fmt: skip
def test_a_correction_that_cannot_be_is_refused(
    make_user: MakeUser, change: dict[str, str], complaint: str
) -> None:
    incident = judged()
    posted = {"name": "mitigated", "at": "2026-01-01 10:00", "because": "The graph shows it.", **change}
    answer = a_person(make_user).post(f"/incidents/{incident.pk}/stamps/", posted)
    assert answer.status_code == 422
    assert complaint in text_of(answer)


def test_a_correction_is_an_entry_and_is_counted(make_user: MakeUser) -> None:
    incident = judged()
    client = a_person(make_user)
    at = (timezone.now() - timedelta(hours=9)).isoformat()
    posted = {"name": "impact_start", "at": at, "because": "The graph shows it."}
    assert client.post(f"/incidents/{incident.pk}/stamps/", posted).status_code == 302
    edit = StampEdit.objects.get()
    entry = reading.entry(edit.entry)
    assert entry is not None
    assert (entry.kind, entry.payload and entry.payload["reason"]) == ("stamp.edited", "The graph shows it.")
    assert "The graph shows it." in text_of(client.get(f"/incidents/{incident.pk}/stamps/"))
    assert recount.recount(timezone.now()) == 1
