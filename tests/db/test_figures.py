"""The figures: each change reaches them, and they are what an independent count of the same rows gives."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.roles import Role
from incidents import services
from incidents.figures import recount
from incidents.figures.tally import Tally
from incidents.models import Incident, Record, SpanSum, StaleIncident
from tests.db.investigated import world
from tests.web.pages import MakeUser, judged

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _world(monkeypatch: pytest.MonkeyPatch) -> None:
    world(monkeypatch)


def whole() -> Tally:
    """All days together."""
    tally = Tally()
    for each in SpanSum.objects.filter(by="", length=1):
        tally.add(Tally.from_texts(each.body, each.resolve, each.stages))
    return tally


def test_what_changed_is_stale_until_it_is_counted(make_user: MakeUser) -> None:
    incident, now = judged(), timezone.now()
    assert StaleIncident.objects.filter(incident_id=incident.pk).exists()
    assert recount.recount(now) >= 1
    assert not StaleIncident.objects.exists()
    assert whole().ended == {"open": 1}


def test_an_incident_that_is_closed_reopened_and_closed_is_one_with_its_last_closing(
    make_user: MakeUser,
) -> None:
    incident, ada = judged(), make_user("ada", role=Role.SUPPORT)
    opened_at = incident.first_received_at - timedelta(minutes=300)
    Incident.objects.filter(pk=incident.pk).update(first_received_at=opened_at)
    for minutes in (10, 300):
        incident.refresh_from_db()
        if incident.state == "closed":
            services.reopen(
                incident.pk,
                by=ada,
                reason="It is back.",
                version=incident.version,
                now=opened_at + timedelta(minutes=20),
            )
            incident.refresh_from_db()
        services.close(
            incident.pk, by=ada, outcome="harmless", answer="", reason="Looked at it.",
            version=incident.version, now=opened_at + timedelta(minutes=minutes),
        )  # fmt: skip
        recount.recount(timezone.now())
    tally = whole()
    assert tally.ended == {"person": 1}
    assert tally.stage("resolve").percentile(50) == pytest.approx(300 * 60, rel=0.006)
    assert Record.objects.get().was_reopened
    assert sum(closed for closed, _ in tally.closings.values()) == 1
    assert Incident.objects.count() == 1
