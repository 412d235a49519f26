"""What a demo tells of a model's runs: outcomes by kind, tokens, and every incident that nobody has."""

import pytest
from django.utils import timezone

from incidents.models import Incident
from incidents.states import State
from investigations.models import Exchange, Investigation
from investigations.states import Exchanged, Purpose, RunResult
from tests.db.sources import an_alert, body_of, deliver, make_source
from triage.demo import ended

pytestmark = pytest.mark.django_db


def _incidents(*states: str) -> list[Incident]:
    """Return the incidents of as many alerts, in these states."""
    now, source = timezone.now(), make_source()
    for number, state in enumerate(states):
        deliver(source, body_of(an_alert(f"alert-{number}", starts=now)), now)
        Incident.objects.filter(pk=Incident.objects.latest("pk").pk).update(state=state)
    return list(Incident.objects.select_related("source").order_by("pk"))


def _exchange(run: Investigation, outcome: Exchanged, *, read: int, written: int) -> None:
    Exchange.objects.create(
        investigation=run, purpose=Purpose.INVESTIGATOR, endpoint="default", model="m", step=1,
        outcome=outcome, tokens_in=read, tokens_out=written, created_at=timezone.now(),
    )  # fmt: skip


def test_outcomes_exchanges_and_states_are_counted_by_kind() -> None:
    incidents = _incidents(State.REVIEW, State.REVIEW, State.CLOSED)
    runs = list(Investigation.objects.order_by("pk"))
    for run, outcome in zip(
        runs, (RunResult.FALLBACK, RunResult.ENDPOINT_DOWN, RunResult.FALLBACK), strict=True
    ):
        Investigation.objects.filter(pk=run.pk).update(outcome=outcome)
    _exchange(runs[0], Exchanged.STOP, read=700, written=20)
    _exchange(runs[2], Exchanged.DOWN, read=300, written=0)
    assert ended.told(incidents) == (
        "Its 3 runs ended as 2 fallback, 1 endpoint_down.\n"
        "Its 2 exchanges ended as 1 down, 1 stop; it read 1000 tokens and wrote 20.\n"
        "The 3 incidents stand as 2 review, 1 closed."
    )


def test_an_incident_that_nobody_has_is_named() -> None:
    incidents = _incidents(State.REVIEW, State.INVESTIGATING, State.CLOSED)
    assert ended.left_lying(incidents) == [
        f"{incidents[1].title!r} of {incidents[1].source.slug} is in investigating, and nobody works on it"
    ]
