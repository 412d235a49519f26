"""A write credential is probed both ways; what cannot be looked at, or was long ago, approves nothing."""

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from accounts.roles import Role
from approvals import probing
from approvals.models import CredentialProbe
from approvals.outcomes import DecisionRefused
from audit import reading
from audit.models import Entry
from tests.db import writing
from tests.db.writing import World
from tests.fakes import writes
from triage import checks
from triage.doctor import writes as doctor
from triage.doctor.line import Health

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> World:
    made = writing.opened(make_user, monkeypatch, settings, tmp_path)
    CredentialProbe.objects.all().delete()
    return made


def probed(world: World, *, seconds: float = 5.0) -> CredentialProbe:
    probing.probe_all(lambda: world.now, seconds=seconds)
    return CredentialProbe.objects.get(credential="numbers")


@pytest.mark.parametrize(
    ("mood", "says"),
    [
        ("fail", "it could not be looked at: probe got no answer"),
        ("crash", "the probe fell over (RuntimeError)"),
        (["nonsense"], "no answer that can be read"),
        ("it can write to everything", "it can write to everything (test."),
    ],
)
def test_a_credential_that_is_not_shown_to_be_fit_approves_nothing(
    world: World, mood: Any, says: str
) -> None:
    writes.be(probe=mood)
    row = probed(world)
    assert not row.is_ok
    assert says in row.sentence
    with pytest.raises(DecisionRefused, match="The write credential numbers is not fit"):
        world.decide(world.prepared(), world.person(Role.ON_CALL))


@pytest.mark.parametrize("secrets", ["", "{", '{"other": {}}'])
def test_a_worker_without_the_credential_says_so_and_quotes_nothing(
    world: World, settings: Any, secrets: str
) -> None:
    settings.EXECUTOR_SECRETS = secrets
    row = probed(world)
    assert not row.is_ok
    assert "EXECUTOR_SECRETS" in row.sentence


def test_a_secret_that_something_reads_with_is_no_write_credential(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBERS_READER_TOKEN", "a secret of the numbers")
    row = probed(world)
    assert (row.is_ok, "NUMBERS_READER_TOKEN" in row.sentence) == (False, True)
    assert "a secret of the numbers" not in row.sentence


def test_a_probe_that_hangs_ends_in_time_and_is_not_begun_twice(world: World) -> None:
    writes.be(probe={"slow": 2})
    began = time.monotonic()
    assert "no answer within 0.2 seconds" in probed(world, seconds=0.2).sentence
    probing.probe_all(lambda: world.now, seconds=0.2)
    assert time.monotonic() - began < 1.9
    hanging = [each for each in threading.enumerate() if each.name == "assay-probe-numbers"]
    assert len(hanging) == 1
    hanging[0].join()


def test_a_fit_credential_approves_for_five_minutes_and_not_longer(world: World) -> None:
    assert probed(world).is_ok
    world.later(minutes=4, seconds=59)
    world.decide(world.prepared(), world.person(Role.ON_CALL))
    world.later(seconds=2)
    with pytest.raises(DecisionRefused, match="Is the execute worker running"):
        world.decide(world.prepared(value=9, name="b"), world.person(Role.ON_CALL))


def test_only_another_answer_than_before_is_an_entry(world: World) -> None:
    for mood in ("", "", "it is a superuser", "it is a superuser", ""):
        writes.be(probe=mood)
        world.later(seconds=1)
        probed(world)
    numbers = Entry.objects.filter(kind="write.credential_probed").order_by("pk").values_list("pk", flat=True)
    payloads: list[Mapping[str, Any]] = [
        (reading.entry(each) or pytest.fail("gone")).payload or {} for each in numbers
    ]
    assert [each["is_ok"] for each in payloads] == [True, False, True]
    assert "superuser" in payloads[1]["sentence"]


def test_an_answer_of_an_earlier_look_does_not_replace_a_later_one(world: World) -> None:
    writes.be(probe="it is a superuser")
    later = probed(world)
    writes.be()
    world.later(seconds=-30)
    assert probed(world).sentence == later.sentence


def test_a_proposal_has_only_credentials_looked_at_that_are_not_known_to_be_fit(world: World) -> None:
    first = probed(world)
    world.later(seconds=59)
    probing.probe_due(lambda: world.now)
    assert CredentialProbe.objects.get(pk=first.pk).probed_at == first.probed_at
    world.later(seconds=2)
    probing.probe_due(lambda: world.now)
    assert CredentialProbe.objects.get(pk=first.pk).probed_at == world.now


def test_the_doctor_says_how_each_stands_and_who_holds_too_much(world: World, settings: Any) -> None:
    held, unprobed = doctor.credentials()
    assert (held.health, unprobed.health) == (Health.WARNING, Health.WARNING)
    assert "EXECUTOR_SECRETS" in held.cure
    assert [each.id for each in checks.write_credentials_are_elsewhere(None)] == ["triage.W007"]
    probed(world)
    settings.EXECUTOR_SECRETS = ""
    assert checks.write_credentials_are_elsewhere(None) == []
    (old,) = doctor.credentials()
    assert (old.health, "nobody can approve" in old.seen) == (Health.WARNING, True)
    CredentialProbe.objects.update(is_ok=False, sentence="it is a superuser", probed_at="2099-01-01T00:00Z")
    (unfit,) = doctor.credentials()
    assert (unfit.health, "superuser" in unfit.seen) == (Health.FAILING, True)
    CredentialProbe.objects.update(is_ok=True)
    (fit,) = doctor.credentials()
    assert fit.health is Health.WELL
