"""What people write on an incident's page: the edited answer, notes, checks of an answer, the record.

Two people at once, every button twice, and the back button: nothing is lost, nothing is doubled.
"""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Team
from accounts.roles import Role
from audit import reading
from incidents.models import DraftEdit, Incident, Note, Resolution
from investigations.models import Verdict
from tests.db.investigated import Scripted, world
from tests.db.sources import make_source
from tests.web.pages import HTMX, MakeUser, a_person, judged, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    return world(monkeypatch)


@pytest.fixture
def incident(connector: Scripted) -> Incident:
    return judged()


def place(incident: Incident, what: str = "") -> str:
    return f"/incidents/{incident.pk}/{what}"


def kinds(incident: Incident) -> list[str]:
    return [entry.kind for entry in reading.of_incident(incident.pk)]


def an_answer(incident: Incident) -> int:
    return next(entry.id for entry in reading.of_incident(incident.pk) if entry.kind == "tool.called")


def edit(client: Client, incident: Incident, text: str, base: int = 0, **more: Any) -> Any:
    return client.post(place(incident, "draft/"), {"answer": text, "base": base, **more})


# --- Who may ---------------------------------------------------------------------------------------


POSTS = ("incidents/{}/notes/", "incidents/{}/draft/", "entries/{}/again/")
GETS = ("incidents/{}/edits/", "incidents/{}/around/", "incidents/{}/record.json")


def test_another_team_writes_nothing_and_knows_of_nothing(connector: Scripted, make_user: MakeUser) -> None:
    bank = judged(make_source(team=Team.objects.create(name="Bank", slug="bank")))
    client = a_person(make_user, teams=[Team.objects.create(name="Shop", slug="shop")])
    before = kinds(bank)
    for route in POSTS:
        number = an_answer(bank) if route.startswith("entries") else bank.pk
        assert (
            client.post(f"/{route.format(number)}", {"note": "x", "answer": "x", "base": 0}).status_code
            == 404
        )
    for route in GETS:
        assert client.get(f"/{route.format(bank.pk)}").status_code == 404
    assert kinds(bank) == before


def test_an_auditor_reads_all_of_it_and_writes_none_of_it(incident: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user, role=Role.AUDITOR)
    before = kinds(incident)
    for route in POSTS:
        number = an_answer(incident) if route.startswith("entries") else incident.pk
        assert client.post(f"/{route.format(number)}", {"note": "x"}).status_code == 403
    for route in (*GETS, "mentions/", "overrides/"):
        assert client.get(f"/{route.format(incident.pk)}").status_code == 200
    assert "Run it again" not in text_of(client.get(f"/entries/{an_answer(incident)}/"))
    assert kinds(incident) == before


# --- The answer that is edited together ------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "base", "words"),
    [
        ("x" * 20_001, "0", "20000"),
        ("a\0b", "0", "Null"),
        ("fine", "", "Send it again"),
        ("fine", "-1", ""),
        ("fine", "9" * 5_000, ""),
        ("fine", "²", ""),
    ],
)
def test_a_text_that_will_not_do_is_refused_and_stays_in_its_field(
    incident: Incident, make_user: MakeUser, text: str, base: str, words: str
) -> None:
    response = a_person(make_user).post(place(incident, "draft/"), {"answer": text, "base": base})
    assert response.status_code == 422
    assert words in text_of(response)
    assert text.replace("\0", "")[:1] in text_of(response).partition('name="answer"')[2]
    assert not DraftEdit.objects.exists()


def test_an_edit_is_kept_with_what_differs_and_the_draft_stays_as_it_was(
    incident: Incident, make_user: MakeUser
) -> None:
    client = a_person(make_user)
    page = text_of(client.get(place(incident)))
    assert "Edited by" not in page
    draft = Verdict.objects.get().draft.text
    edit(client, incident, "Job job-7 is fine. **Sorry.**")
    page = text_of(client.get(place(incident)))
    assert "Edited by" in page
    assert "<strong>Sorry.</strong>" in page
    assert "<ins>" in page
    assert "<del>" in page
    assert Verdict.objects.get().draft.text == draft
    assert "draft.edited" in kinds(incident)
    assert "State 1" in text_of(client.get(place(incident, "edits/")))


def test_of_two_people_who_edit_at_once_the_second_sees_both_texts_and_loses_nothing(
    incident: Incident, make_user: MakeUser
) -> None:
    ada, ben = a_person(make_user, "ada"), a_person(make_user, "ben")
    assert edit(ada, incident, "Ada wrote this.").status_code == 302
    late = edit(ben, incident, "Ben wrote that.", outcome="harmless", reason="Ben's reason")
    page = text_of(late)
    assert late.status_code == 422
    assert "ada has kept another text" in page
    overlap = page.partition('id="overlap"')[2].partition("</details>")[0]
    assert "<del>Ada</del><ins>Ben</ins>" in overlap
    assert "Ben wrote that." in page.partition("<textarea")[2]
    assert "Ben&#x27;s reason" in page
    assert 'value="1"' in page.partition('name="base"')[2][:20]
    assert edit(ben, incident, "Ada and Ben wrote this.", base=1).status_code == 302
    assert list(DraftEdit.objects.values_list("number", "text", "by__username")) == [
        (1, "Ada wrote this.", "ada"),
        (2, "Ada and Ben wrote this.", "ben"),
    ]
    assert "move.refused" in kinds(incident)
    page = text_of(ada.get(place(incident)))
    assert "Ada and Ben wrote this." in page
    assert "state 2" in page


def test_whoever_closes_on_an_older_text_is_shown_the_newer_one_first(
    incident: Incident, make_user: MakeUser
) -> None:
    ada, ben = a_person(make_user, "ada"), a_person(make_user, "ben")
    version = incident.version
    edit(ada, incident, "Ada wrote this.")
    closing = {
        "version": version,
        "outcome": "harmless",
        "answer": "Ben wrote that.",
        "reason": "",
        "base": 0,
    }
    late = ben.post(place(incident, "close/"), closing)
    assert late.status_code == 422
    assert 'id="overlap"' in text_of(late)
    assert not Resolution.objects.exists()


def test_a_text_sent_twice_is_kept_once(incident: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user)
    for _ in range(2):
        assert edit(client, incident, "Once.").status_code == 302
    assert DraftEdit.objects.count() == 1
    assert kinds(incident).count("draft.edited") == 1


def test_what_else_was_typed_stays_when_the_text_is_kept(incident: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user)
    typed = {"outcome": "real and fixed", "reason": "half a reason"}
    plain = client.post(place(incident, "draft/"), {"answer": "A", "base": 0, **typed}, follow=True)
    htmx = client.post(place(incident, "draft/"), {"answer": "B", "base": 1, **typed}, headers=HTMX)
    for response in (plain, htmx):
        assert response.status_code == 200
        assert "half a reason" in text_of(response)
        assert 'value="real and fixed"' in text_of(response)
        assert "checked" in text_of(response).partition('value="real and fixed"')[2][:60]
    assert "half a reason" not in text_of(client.get(place(incident)))


def test_an_answer_to_a_draft_before_is_set_aside_and_shown(
    incident: Incident, connector: Scripted, make_user: MakeUser
) -> None:
    client = a_person(make_user)
    edit(client, incident, "Words for the first draft.")
    fact = an_answer(incident)
    client.post(place(incident, "refute/"), {"entry": fact, "because": "It is of yesterday."})
    page = text_of(client.get(place(incident)))
    assert 'id="aside"' in page
    assert "Words for the first draft." in page.partition('id="aside"')[2]
    assert "Words for the first draft." not in page.partition("<textarea")[2].partition("</textarea>")[0]
    assert edit(client, incident, "Words for the second.", base=1).status_code == 302
    assert 'id="aside"' not in text_of(client.get(place(incident)))


def test_a_closed_incident_takes_no_edit_and_shows_what_was_sent_otherwise(
    incident: Incident, make_user: MakeUser
) -> None:
    client = a_person(make_user)
    closing = {"version": incident.version, "outcome": "harmless", "answer": "Sent otherwise.", "reason": ""}
    client.post(place(incident, "close/"), closing)
    page = text_of(client.get(place(incident)))
    assert "What differs from the draft" in page.partition('id="resolution"')[2]
    late = edit(client, incident, "Too late.")
    assert late.status_code == 422
    assert "is closed" in text_of(late)


# --- Notes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "words"), [("  ", "write the note"), ("x" * 4_001, "4000 is the most")])
def test_a_note_that_will_not_do_is_refused_in_words(
    incident: Incident, make_user: MakeUser, text: str, words: str
) -> None:
    response = a_person(make_user).post(place(incident, "notes/"), {"note": text})
    assert response.status_code == 422
    assert words in text_of(response)
    assert not Note.objects.exists()


def test_a_note_sent_twice_is_kept_once_and_another_text_from_the_same_form_too(
    incident: Incident, make_user: MakeUser
) -> None:
    client = a_person(make_user)
    for text in ("First.", "First.", "Second, after the back button."):
        assert client.post(place(incident, "notes/"), {"note": text, "once": "f"}).status_code == 302
    assert list(Note.objects.values_list("text", flat=True)) == ["First.", "Second, after the back button."]
    assert kinds(incident).count("note.written") == 2
    assert "First." in text_of(client.get(place(incident)))


def test_a_mention_reaches_who_sees_the_incident_and_says_who_does_not(
    connector: Scripted, make_user: MakeUser
) -> None:
    bank, shop = (Team.objects.create(name=name, slug=name) for name in ("bank", "shop"))
    incident = judged(make_source(team=bank))
    client = a_person(make_user, "ada", teams=[bank])
    ben = a_person(make_user, "ben", teams=[bank])
    cid = a_person(make_user, "cid", teams=[shop])
    text = "@ben, @BEN and @cid: ask ada@ben.example, or @nobody."
    page = text_of(client.post(place(incident, "notes/"), {"note": text}, follow=True))
    assert "@cid is nobody who sees this incident" in page
    assert "@nobody is nobody" in page
    assert "<b>@ben</b>" in page.replace("@ben,", "@ben")
    assert [user.username for user in Note.objects.get().mentioned.all()] == ["ben"]
    assert f"/incidents/{incident.pk}/#note-" in text_of(ben.get("/mentions/"))
    assert "Nobody has named you" in text_of(cid.get("/mentions/"))


def test_a_note_is_text_and_its_secrets_are_masked(incident: Incident, make_user: MakeUser) -> None:
    client = a_person(make_user)
    text = "<script>x</script> @ada password=hunter2hunter2"
    page = text_of(client.post(place(incident, "notes/"), {"note": text}, follow=True))
    assert "<script>x" not in page
    assert "&lt;script&gt;x" in page
    assert "hunter2hunter2" not in page
    assert "hunter2hunter2" not in Note.objects.get().text
