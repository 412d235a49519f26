"""The audit log's page and its downloads: what they say, and who gets them."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.models import Team
from accounts.roles import Role
from assay_core import verify as offline
from assay_core.notes import SigningKey
from assay_core.sealed import read_proofs
from audit import publishing, reading, recording, sealing
from audit.places import parsed
from audit.writing import write
from tests.db.investigated import Scripted, world
from tests.db.sources import make_source
from tests.web.pages import MakeUser, a_person, judged, text_of

pytestmark = pytest.mark.django_db
KEY = SigningKey.make("log.example/audit")


@pytest.fixture(autouse=True)
def _key(settings: Settings) -> None:
    settings.AUDIT_VERIFIER = [KEY.verifier.text]


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


def check(response: object, keys: tuple[SigningKey, ...] = (KEY,)) -> int:
    return offline.check_proofs(text_of(response), [key.verifier for key in keys]).code


def test_before_anything_is_signed_the_page_says_what_to_do(make_user: MakeUser) -> None:
    page = text_of(a_person(make_user).get("/log/"))
    for words in (
        "never signed",
        "manage.py auditkey",
        "No checkpoint leaves this database",
        "None is recorded",
    ):
        assert words in page
    assert a_person(make_user, "bo").get("/log/checkpoint").status_code == 409


def test_the_page_shows_the_seal_its_copies_and_the_last_verification(
    make_user: MakeUser, settings: Settings, tmp_path: Path
) -> None:
    settings.AUDIT_PLACES = [f"file://{tmp_path}/copies"]
    write("thing.done", {}, actor="system")
    sealing.seal_all(KEY)
    publishing.publish_due(verifiers=[KEY.verifier])
    recording.verify_and_record()
    page = text_of(a_person(make_user).get("/log/"))
    for words in (
        "in time",
        KEY.verifier.text.replace("+", "+"),
        "published",
        f"file://{tmp_path}/copies",
        "INTACT",
    ):
        assert words in page
    note = text_of(a_person(make_user, "bo").get("/log/checkpoint"))
    assert note == (tmp_path / "copies").read_text()


def test_a_copy_that_is_another_log_is_said_loudly(
    make_user: MakeUser, settings: Settings, tmp_path: Path
) -> None:
    settings.AUDIT_PLACES = [f"file://{tmp_path}/copies"]
    (tmp_path / "copies").write_text(SigningKey.make("other.example").sign("other.example\n1\nAAAA\n"))
    write("thing.done", {}, actor="system")
    sealing.seal_all(KEY)
    publishing.publish_due(to=[parsed(settings.AUDIT_PLACES[0])], verifiers=[KEY.verifier])
    page = text_of(a_person(make_user).get("/log/"))
    assert 'role="alert"' in page
    assert "are two logs" in page


def test_a_setting_that_cannot_be_read_is_named(make_user: MakeUser, settings: Settings) -> None:
    settings.AUDIT_PLACES = ["ftp://somewhere"]
    assert "ftp is no kind of place" in text_of(a_person(make_user).get("/log/"))


def test_an_entry_shows_its_place_and_its_proof_holds(connector: Scripted, make_user: MakeUser) -> None:
    incident = judged()
    client = a_person(make_user)

    entry = next(one for one in reading.of_incident(incident.pk) if one.kind == "tool.called")
    assert "not sealed yet" in text_of(client.get(f"/entries/{entry.id}/"))
    early = client.get(f"/entries/{entry.id}/proof")
    assert early.status_code == 409
    sealing.seal_all(KEY)
    assert f'href="/entries/{entry.id}/proof"' in text_of(client.get(f"/entries/{entry.id}/"))
    found = client.get(f"/entries/{entry.id}/proof")
    assert found.headers["Content-Disposition"] == f'attachment; filename="entry-{entry.id}.tlog-proof"'
    assert check(found) == 0
    (proof,) = read_proofs(text_of(found))
    assert proof.disclosed.canonical == entry.canonical
    assert proof.disclosed.payload is not None


def test_what_a_reader_sees_masked_is_not_in_the_proof_either(make_user: MakeUser) -> None:
    secret = "ghp_" + "a1B2" * 9
    made = write("thing.done", {"text": f"token {secret}"}, actor="system")
    sealing.seal_all(KEY)
    client = a_person(make_user, "ines", Role.AUDITOR)
    assert secret not in text_of(client.get(f"/entries/{made.id}/"))
    found = client.get(f"/entries/{made.id}/proof")
    assert check(found) == 0
    assert read_proofs(text_of(found))[0].disclosed.payload is None


def test_a_verdict_is_proven_with_every_entry_of_its_run(connector: Scripted, make_user: MakeUser) -> None:
    incident = judged()
    sealing.seal_all(KEY)
    found = a_person(make_user).get(f"/incidents/{incident.pk}/proof")
    assert check(found) == 0
    kinds = [proof.disclosed.envelope["kind"] for proof in read_proofs(text_of(found))]
    assert "investigation.judged" in kinds
    assert "tool.called" in kinds


@pytest.mark.parametrize("path", ["/log/", "/log/checkpoint", "/entries/1/proof", "/incidents/1/proof"])
def test_nobody_gets_in_without_signing_in_or_with_another_method(make_user: MakeUser, path: str) -> None:
    assert Client().get(path).status_code == 302
    client = a_person(make_user)
    assert client.post(path).status_code == 405
    make_user("nobody")
    stranger = Client()
    stranger.login(username="nobody", password="a long test password")
    assert stranger.get(path).status_code == 403


@pytest.mark.parametrize("number", [0, 999_999, 2**63, 10**30])
def test_what_is_not_there_is_404(make_user: MakeUser, number: int) -> None:
    client = a_person(make_user)
    assert client.get(f"/entries/{number}/proof").status_code == 404
    assert client.get(f"/incidents/{number}/proof").status_code == 404


def test_the_proofs_of_another_teams_incident_are_404(connector: Scripted, make_user: MakeUser) -> None:

    incident = judged(make_source(team=Team.objects.create(name="Bank", slug="bank")))
    entry = reading.of_incident(incident.pk)[0]
    sealing.seal_all(KEY)
    client = a_person(make_user)
    assert client.get(f"/entries/{entry.id}/proof").status_code == 404
    assert client.get(f"/incidents/{incident.pk}/proof").status_code == 404
