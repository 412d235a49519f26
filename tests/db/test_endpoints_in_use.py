"""The endpoint in use: replaced by a passed drill alone; and replies that say they are of another model."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from incidents import folding, sweeping
from incidents.models import Delivery, Incident
from investigations import endpoints, inuse, sightings
from investigations.inuse import Identity, Passed, UseRefused
from investigations.models import EndpointSeen, EndpointUse
from investigations.sightings import Sights
from investigations.states import Purpose, Taken
from investigations.talk import EndpointRefused, Finish, Reply
from tests.scripted.settings import endpoint_settings
from triage.doctor import models_in_use
from triage.doctor.line import Health

pytestmark = pytest.mark.django_db

OLD = {"base_url": "http://localhost:1/v1", "model": "old-1"}
NEW = {"base_url": "http://localhost:2/v1", "model": "new-1"}


@pytest.fixture
def administrator(django_user_model: type[User]) -> User:
    from django.contrib.auth.models import Group

    person = django_user_model.objects.create_user("ada")
    person.groups.add(Group.objects.get(name=Role.ADMINISTRATOR))
    return person


def in_use(purpose: Purpose = Purpose.INVESTIGATOR) -> str:
    return endpoints.endpoint_in_use(purpose).model


@pytest.mark.parametrize("changed", [NEW, {**OLD, "model": "old-2"}, {**OLD, "base_url": NEW["base_url"]}])
def test_another_model_or_server_in_the_settings_is_refused_without_a_drill(
    settings: Any, changed: dict[str, str]
) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(default=OLD)
    assert in_use() == "old-1"
    settings.MODEL_ENDPOINTS = endpoint_settings(default=changed)
    with pytest.raises(EndpointRefused, match="passed drill"):
        endpoints.model_for(Purpose.INVESTIGATOR, investigation=None, incident=None)


def test_a_critic_that_is_newly_set_does_not_serve_in_the_place_of_the_default(settings: Any) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(default=OLD)
    in_use(Purpose.CRITIC)
    settings.MODEL_ENDPOINTS = endpoint_settings(default=OLD, critic=NEW)
    assert in_use(Purpose.CRITIC) == "old-1"
    settings.MODEL_ENDPOINTS = endpoint_settings(default=NEW, critic=NEW)
    with pytest.raises(EndpointRefused, match="purpose critic"):
        in_use(Purpose.CRITIC)


def test_the_first_of_a_purpose_is_noted_once_and_as_never_drilled(settings: Any) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(default=OLD)
    assert [in_use(), in_use()] == ["old-1", "old-1"]
    row = EndpointUse.objects.get()
    assert (row.how, row.drill, row.began_by) == (Taken.FIRST, None, "settings")


def test_what_passed_a_drill_serves_under_whatever_name_it_is_set(settings: Any, administrator: User) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(default=OLD, candidate=NEW)
    in_use()
    passed = Passed(7, Identity(**NEW), "candidate")
    inuse.replace([Purpose.INVESTIGATOR], passed, by=administrator, now=timezone.now())
    assert in_use() == "new-1"
    settings.MODEL_ENDPOINTS = endpoint_settings(default=NEW)
    assert in_use() == "new-1"
    settings.MODEL_ENDPOINTS = endpoint_settings(default=OLD)
    with pytest.raises(EndpointRefused, match="passed drill"):
        in_use()


def test_an_override_ends_by_itself_and_the_endpoint_before_it_serves_again(
    settings: Any, administrator: User
) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(default=OLD)
    in_use()
    settings.MODEL_ENDPOINTS = endpoint_settings(default=NEW)
    place, began = endpoints.endpoint_named("default"), timezone.now() - timedelta(hours=2)
    inuse.override(
        Purpose.INVESTIGATOR, place, hours=3, because="The old one is gone.", by=administrator, now=began
    )
    assert in_use() == "new-1"
    inuse.override(Purpose.INVESTIGATOR, place, hours=1, because="Shorter.", by=administrator, now=began)
    with pytest.raises(EndpointRefused, match="old-1"):
        in_use()


def test_only_administrators_override_with_a_reason_and_for_three_days_at_most(
    settings: Any, administrator: User, django_user_model: type[User]
) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(default=NEW)
    place, now = endpoints.endpoint_named("default"), timezone.now()
    stranger = django_user_model.objects.create_user("bob")
    for hours, because, by in (
        (1, "because", stranger),
        (1, " ", administrator),
        (73, "because", administrator),
    ):
        with pytest.raises(UseRefused):
            inuse.override(Purpose.ASK, place, hours=hours, because=because, by=by, now=now)
    assert not EndpointUse.objects.exists()


def test_a_changed_fingerprint_opens_one_incident_of_its_own(settings: Any) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(default=OLD)
    place, now = endpoints.endpoint_named("default"), timezone.now()
    for minutes, fingerprint in enumerate(["fp_1", "fp_1", "fp_2", "fp_1", "fp_2"]):
        reply = Reply("", (), Finish.STOP, model="old-1-2026", fingerprint=fingerprint)
        sightings.note(place, reply, now + timedelta(minutes=minutes))
    later = now + timedelta(minutes=9)
    assert [sweeping.report_swaps(later), sweeping.report_swaps(later)] == [1, 0]
    folding.fold(Delivery.objects.get().pk, later)
    incident = Incident.objects.get()
    assert "fp_2" in incident.title
    assert "fp_1" in incident.annotations["description"]


def test_a_run_looks_up_what_its_replies_are_of_once_in_ten_minutes_and_a_swap_within_it_at_once(
    settings: Any, django_assert_num_queries: Any
) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(default=OLD)
    place, now, sights = endpoints.endpoint_named("default"), timezone.now(), Sights()

    def noted(fingerprint: str, minutes: int) -> None:
        reply = Reply("", (), Finish.STOP, model="old-1-2026", fingerprint=fingerprint)
        sights.note(place, reply, now + timedelta(minutes=minutes))

    noted("fp_1", 0)
    with django_assert_num_queries(0):
        noted("fp_1", 9)
    noted("fp_2", 9)
    noted("fp_1", 11)
    assert sweeping.report_swaps(now + timedelta(minutes=12)) == 1
    assert EndpointSeen.objects.get(fingerprint="fp_1").last_seen_at == now + timedelta(minutes=11)


def test_a_reply_that_names_nothing_and_the_first_that_names_something_are_no_change(settings: Any) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(default=OLD)
    place, now = endpoints.endpoint_named("default"), timezone.now()
    for model in ("", "old-1-2026", "", "old-1-2026"):
        sightings.note(place, Reply("", (), Finish.STOP, model=model), now)
    assert sweeping.report_swaps(now) == 0


def test_the_doctor_warns_of_an_override_and_fails_where_what_is_in_use_is_set_nowhere(
    settings: Any, administrator: User
) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(default=OLD)
    in_use()
    assert [(line.health, "never drilled" in line.seen) for line in models_in_use.standing()] == [
        (Health.WELL, True)
    ]
    settings.MODEL_ENDPOINTS = endpoint_settings(default=NEW)
    assert Health.FAILING in {line.health for line in models_in_use.standing()}
    place, now = endpoints.endpoint_named("default"), timezone.now()
    inuse.override(Purpose.INVESTIGATOR, place, hours=1, because="Urgent.", by=administrator, now=now)
    (line,) = models_in_use.standing()
    assert line.health is Health.WARNING
    assert "WITHOUT A DRILL until" in line.seen
    assert "Urgent." in line.seen
