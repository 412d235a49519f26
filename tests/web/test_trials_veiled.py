"""Whoever audits a pass reads in no trial what was decided of its incident."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from incidents.models import Incident, PassAudit
from investigations.models import Investigation
from tests.db.investigated import world
from tests.web import trialled
from tests.web.pages import MakeUser, judged, signed_in, text_of
from trials.golden import keeping
from trials.models import Evaluation, GoldenRow, GoldenSet
from trials.states import Origin

pytestmark = pytest.mark.django_db


@pytest.fixture
def incident(monkeypatch: pytest.MonkeyPatch) -> Incident:
    world(monkeypatch)
    return judged()


@pytest.fixture
def bea(incident: Incident, make_user: MakeUser) -> User:
    """A manager who has yet to audit it."""
    user = make_user("bea", role=Role.MANAGER)
    verdict = Investigation.objects.get(incident_id=incident.pk).verdicts.latest("pk")
    now = timezone.now()
    PassAudit.objects.create(
        incident=incident, verdict_id=verdict.pk, rule=incident.hypothesis, rule_version=1, why="trial",
        reviewer=user, drawn_at=now, due_at=now + timedelta(days=1),
    )  # fmt: skip
    return user


@pytest.fixture
def other(make_user: MakeUser) -> Client:
    return signed_in(make_user("katarina", role=Role.MANAGER))


@pytest.fixture
def golden(incident: Incident) -> GoldenSet:
    """One candidate of that incident, one of none."""
    now = timezone.now()
    made = GoldenSet.objects.create(name="ours", version=1, contract="1", created_by="mia", created_at=now)
    rows = ((f"incident-{incident.pk}", "spam"), ("ours/tool#1", "bug"))
    for number, (row_id, label) in enumerate(rows):
        GoldenRow.objects.create(
            of=made, row_id=row_id, label=label, title=f"Row {number}", origin=Origin.CLOSED, written_at=now,
            incident_id=None if number else incident.pk,
        )  # fmt: skip
    return made


def test_a_golden_row_s_label_is_kept_back_and_cannot_be_settled(
    bea: User, other: Client, golden: GoldenSet, incident: Incident
) -> None:
    client, address = signed_in(bea), f"/trials/golden/{golden.pk}/"
    page = client.get(address).content.decode()
    assert "you audit it: its label is shown once you have answered" in page
    assert f'value="incident-{incident.pk}"' not in page
    assert 'value="ours/tool#1"' in page
    assert '<span class="chip">spam</span>' not in page
    assert '<span class="chip">spam</span>' in other.get(address).content.decode()
    form = {"row": f"incident-{incident.pk}", "act": "confirm"}
    assert "answer its audit first" in text_of(client.post(f"{address}settle/", form))
    assert len(keeping.candidates_of(golden)) == 2


def test_an_evaluation_leaves_its_case_out(bea: User, other: Client, incident: Incident) -> None:
    row: Evaluation = trialled.evaluated()
    case = row.cases.get(position=0)
    row.cases.filter(pk=case.pk).update(incident_id=incident.pk, title="The veiled one")
    client, address = signed_in(bea), f"/trials/evaluations/{row.pk}"
    assert "The veiled one" not in text_of(client.get(f"{address}/"))
    assert "1 case is left out" in text_of(client.get(f"{address}/"))
    assert "The veiled one" not in text_of(client.get(f"{address}.csv"))
    refused = client.get(f"/trials/evaluation-runs/{case.runs.all()[0].pk}/")
    assert refused.status_code == 403
    assert f"You audit incident {incident.pk}" in text_of(refused)
    for path in (f"{address}/", f"{address}.csv", f"/trials/evaluation-runs/{case.runs.all()[0].pk}/"):
        assert "The veiled one" in text_of(other.get(path)), path


def test_the_figures_of_an_evaluation_leave_it_out(bea: User, other: Client, incident: Incident) -> None:
    """With it, the figures less the cases that are shown would be what was decided of it."""
    row: Evaluation = trialled.evaluated()
    case = row.cases.filter(is_twin=False).first()
    assert case is not None
    row.cases.filter(pk=case.pk).update(incident_id=incident.pk)
    client, whole = signed_in(bea), row.cases.filter(is_twin=False).count()
    pages = {
        f"/trials/evaluations/{row.pk}.json": '"cases": {}',
        f"/trials/compare/?first={row.pk}&second={row.pk}": "{} cases that both hold",
    }
    for path, words in pages.items():
        counted = whole if "json" in path else row.cases.count()
        assert words.format(counted) in text_of(other.get(path)), path
        assert words.format(counted - 1) in text_of(client.get(path)), path
    scored = f">evaluation {row.pk}<"
    theirs, hers = (
        text_of(browser.get("/trials/")).partition(scored)[2][:600] for browser in (other, client)
    )
    assert theirs
    assert theirs != hers, "its verdict is counted in the history"


def test_a_row_of_a_drill_waits_for_the_audit(bea: User, other: Client, incident: Incident) -> None:
    drill = trialled.drilled({1: "bug", 2: "bug"})
    made = GoldenSet.objects.create(
        name="ours", version=1, contract="1", created_by="mia", created_at=timezone.now()
    )
    GoldenRow.objects.create(
        of=made, row_id="ours/tool#1", label="bug", title="T", origin=Origin.CLOSED,
        written_at=timezone.now(), incident_id=incident.pk,
    )  # fmt: skip
    address = f"/trials/drills/{drill.pk}/review/1/"
    client = signed_in(bea)
    assert client.get(address).status_code == 403
    assert client.get(f"/trials/drills/{drill.pk}/review/").headers["Location"].endswith("/review/2/")
    assert other.get(address).status_code == 200
    run = drill.candidate_id
    for path in (f"/trials/drills/{drill.pk}/", f"/trials/drill-runs/{run}.csv"):
        refused = client.get(path)
        assert refused.status_code == 403, path
        assert f"You audit incident {incident.pk}" in text_of(refused), path
        assert "You audit" not in text_of(other.get(path)), path
    compared = f"/trials/compare/?what=drills&first={run}&second={drill.baseline_id}"
    assert f"You audit incident {incident.pk}" in text_of(client.get(compared))
    assert "You audit" not in text_of(other.get(compared))
