"""The pages of approvals: what a person sees of a request, and what each click does or is refused."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone

from accounts.models import Team, User
from accounts.roles import Role
from approvals.models import ActionRequest, Breaker, Decision, Freeze, Look, WriteSwitch
from approvals.outcomes import Proposer
from tests.db import writing
from tests.db.writing import World
from tests.web.hostile import HIDDEN, TEXTS
from tests.web.pages import signed_in, text_of
from tests.web.signing import entries, fresh

pytestmark = pytest.mark.django_db
REASON = "The number was right before the deploy."


@pytest.fixture
def world(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> World:
    opened = writing.opened(make_user, monkeypatch, settings, tmp_path)
    opened.now = timezone.now()
    opened.probe()
    return opened


def by_passkey(person: User) -> Client:
    return fresh(person, method="mfa", type="webauthn")


def decide(client: Client, request: ActionRequest, choice: str = "approve", **more: str) -> Any:
    form = {"choice": choice, "reason": REASON, "digest": request.digest, **more}
    return client.post(f"/approvals/{request.pk}/decide/", form)


def refusals() -> list[str]:
    return [entry["reason"] for entry in entries("write.move_refused")]


def test_without_a_proof_the_button_says_why_and_the_click_is_refused_and_recorded(world: World) -> None:
    request, client = world.prepared(), signed_in(world.person(Role.ON_CALL))
    page = text_of(client.get(f"/approvals/{request.pk}/"))
    assert "Approve is disabled:" in page
    assert "Show that it is you first" in page
    assert 'value="approve" disabled' in page
    refused = decide(client, request)
    assert (refused.status_code, "Show that it is you first" in text_of(refused)) == (422, True)
    assert REASON in text_of(refused)
    assert any("Show that it is you first" in reason for reason in refusals())
    assert not Decision.objects.exists()


def test_a_password_is_not_enough_for_a_high_risk(world: World) -> None:
    request, client = world.prepared("test.set_number_high"), fresh(world.person(Role.ON_CALL))
    page = text_of(client.get(f"/approvals/{request.pk}/"))
    assert "with a passkey or an authenticator app" in page
    assert "for=strong" in page
    assert decide(client, request).status_code == 422
    assert not Decision.objects.exists()


def test_another_digest_than_the_one_shown_is_refused(world: World) -> None:
    request, client = world.prepared(), by_passkey(world.person(Role.ON_CALL))
    refused = decide(client, request, digest="0" * 64)
    assert (refused.status_code, "What your page showed is not what is asked now" in text_of(refused)) == (
        422,
        True,
    )
    assert decide(client, request, digest="").status_code == 422
    assert decide(client, request, choice="maybe").status_code == 422
    assert decide(client, request, reason=" ").status_code == 422
    assert len(refusals()) == 4
    assert not Decision.objects.exists()


def test_whoever_proposed_it_is_told_that_somebody_else_decides(world: World) -> None:
    person = world.person(Role.ON_CALL)
    request = world.prepared(by=Proposer(person.actor, person=person.pk))
    client = by_passkey(person)
    assert "You proposed this request: somebody else has to decide it." in text_of(
        client.get(f"/approvals/{request.pk}/")
    )
    assert decide(client, request).status_code == 422
    assert decide(client, request, "deny").status_code == 422
    assert len(refusals()) == 2


def test_a_dead_credential_disables_the_button_in_words(world: World) -> None:
    world.probe(is_ok=False)
    request, client = world.prepared(), by_passkey(world.person(Role.ON_CALL))
    page = text_of(client.get(f"/approvals/{request.pk}/"))
    assert "The write credential numbers is not fit" in page
    assert decide(client, request).status_code == 422
    assert decide(client, request, "deny").status_code == 302, "whoever is in doubt can always deny"


def test_approving_shows_the_next_state_and_keeps_how_it_was_given(world: World) -> None:
    request, person = world.prepared(), world.person(Role.ON_CALL)
    client = by_passkey(person)
    client.get(f"/approvals/{request.pk}/")
    done = decide(client, request)
    assert (done.status_code, done.headers["Location"]) == (302, f"/approvals/{request.pk}/")
    page = text_of(client.get(f"/approvals/{request.pk}/"))
    assert "Approved. It is executed once the gates let it through." in page
    assert "by passkey" in page
    decision = Decision.objects.get(request=request)
    assert decision.opened_at == Look.objects.get(request=request, person=person).first_at
    assert decision.method == "passkey"


def test_the_second_of_two_clicks_leads_to_the_page_that_the_first_one_made(world: World) -> None:
    request, client = world.prepared(), by_passkey(world.person(Role.ON_CALL))
    assert decide(client, request).status_code == 302
    assert decide(client, request).status_code == 302
    assert Decision.objects.filter(request=request).count() == 1
    assert decide(client, request, "deny").status_code == 422, "a changed mind is another decision"


def test_a_high_risk_waits_for_a_second_person_of_another_role(world: World) -> None:
    request = world.prepared("test.set_number_high")
    decide(by_passkey(world.person(Role.ON_CALL)), request)
    manager = by_passkey(world.person(Role.MANAGER))
    assert "1 of 2 approvals, from 2 roles" in text_of(manager.get(f"/approvals/{request.pk}/"))
    decide(manager, request)
    request.refresh_from_db()
    assert request.state == "approved"


def test_a_deny_ends_it_without_a_proof(world: World) -> None:
    request, client = world.prepared(), signed_in(world.person(Role.ON_CALL))
    assert decide(client, request, "deny").status_code == 302
    request.refresh_from_db()
    assert request.state == "denied"
    assert "It is not proposed again in the same run" in text_of(client.get(f"/approvals/{request.pk}/"))


def test_the_page_shows_the_difference_and_the_very_bytes(world: World) -> None:
    request, client = world.prepared(), signed_in(world.person(Role.ON_CALL))
    page = text_of(client.get(f"/approvals/{request.pk}/"))
    assert "<del>0</del>" in page
    assert "<ins>7</ins>" in page
    assert request.digest in page
    assert "&quot;arguments&quot;:{&quot;name&quot;:&quot;a&quot;,&quot;value&quot;:7}" in page
    assert "number:a" in page
    assert writing.WHY in page
    assert "not checked by anybody" in page


def test_hidden_characters_are_spelled_out_and_counted(world: World) -> None:
    request, client = world.prepared(name=f"a{HIDDEN}b"), signed_in(world.person(Role.ON_CALL))
    page = text_of(client.get(f"/approvals/{request.pk}/"))
    assert "⟦U+202E⟧" in page
    assert "invisible or direction-changing character" in page
    assert HIDDEN[0] not in page


def test_a_body_that_was_changed_below_is_not_shown_as_if_it_were_whole(world: World) -> None:
    request, client = world.prepared(), by_passkey(world.person(Role.ON_CALL))
    ActionRequest.objects.filter(pk=request.pk).update(body=request.body.replace('"value":7', '"value":8'))
    page = text_of(client.get(f"/approvals/{request.pk}/"))
    assert "nothing of it can be trusted" in page
    assert "<ins>8</ins>" not in page


@pytest.mark.parametrize("kind", sorted(set(TEXTS) - {"long word"}))
def test_hostile_words_stay_words(world: World, kind: str) -> None:
    request = world.prepared()
    ActionRequest.objects.filter(pk=request.pk).update(
        reason=TEXTS[kind], outcome=TEXTS[kind], proposed_by=TEXTS[kind][:200]
    )
    client = signed_in(world.person(Role.ON_CALL))
    for address in (f"/approvals/{request.pk}/", "/approvals/"):
        page = text_of(client.get(address))
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "<h1>owned" not in page
        assert "\u202e" not in page


def test_the_gates_answer_beside_the_page_and_say_what_blocks(world: World) -> None:
    world.switch(False)
    request, client = world.prepared(), signed_in(world.person(Role.ON_CALL))
    assert "<html" in text_of(client.get(f"/approvals/{request.pk}/gates/"))
    part = text_of(client.get(f"/approvals/{request.pk}/gates/", headers={"HX-Request": "true"}))
    assert "<html" not in part
    assert "writes are off for global" in part
    assert "the content is as its digest says" in part


def test_the_list_has_its_shelves_and_says_that_writes_are_off(world: World) -> None:
    client = signed_in(world.person(Role.ON_CALL))
    assert "Nothing waits for a decision" in text_of(client.get("/approvals/"))
    request = world.prepared()
    page = text_of(client.get("/approvals/"))
    assert f"/approvals/{request.pk}/" in page
    assert "Writes are off." not in page
    world.switch(False)
    assert "Writes are off." in text_of(client.get("/approvals/"))
    decide(client, request, "deny")
    assert f"/approvals/{request.pk}/" not in text_of(client.get("/approvals/"))
    history = text_of(client.get("/approvals/?tab=history&state=denied&action=test.set_number"))
    assert f"/approvals/{request.pk}/" in history
    assert "No request matches" in text_of(client.get("/approvals/?tab=history&state=failed"))
    for odd in (
        "?tab=nonsense&before=x",
        "?before=-1&tab=history",
        "?tab=history&before=99999999999999999999999",
    ):
        assert client.get(f"/approvals/{odd}").status_code == 200


def test_another_teams_request_is_not_there_and_who_reaches_for_it_is_recorded(
    world: World, make_user: Callable[..., User]
) -> None:
    request = world.prepared()
    ActionRequest.objects.filter(pk=request.pk).update(team_id=Team.objects.create(name="Pay", slug="pay").pk)
    client = by_passkey(world.person(Role.ON_CALL))
    assert client.get(f"/approvals/{request.pk}/").status_code == 404
    assert client.get(f"/approvals/{request.pk}/gates/").status_code == 404
    assert f"/approvals/{request.pk}/" not in text_of(client.get("/approvals/"))
    assert decide(client, request).status_code == 404
    assert refusals() == ["the request is not there, or belongs to another team"]


def test_an_edit_makes_a_new_request_that_its_editor_cannot_decide(world: World) -> None:
    request, client = world.prepared(), by_passkey(world.person(Role.ON_CALL))
    address = f"/approvals/{request.pk}/edit/"
    assert client.post(address, {"arguments": "[]", "why": "Eight is right."}).status_code == 422
    assert client.post(address, {"arguments": "{", "why": "Eight is right."}).status_code == 422
    unfit = client.post(address, {"arguments": '{"name": "a"}', "why": "Eight is right."})
    assert (unfit.status_code, "not as its schema has them" in text_of(unfit)) == (422, True)
    done = client.post(address, {"arguments": '{"name": "a", "value": 8}', "why": "Eight is right."})
    assert done.status_code == 302
    made = ActionRequest.objects.get(replaces=request)
    assert done.headers["Location"] == f"/approvals/{made.pk}/"
    page = text_of(client.get(f"/approvals/{made.pk}/"))
    assert f"replaces request {request.pk}" in page
    assert f"replaced by request {made.pk}" in text_of(client.get(f"/approvals/{request.pk}/"))


def test_withdrawing_needs_a_reason(world: World) -> None:
    request, client = world.prepared(), signed_in(world.person(Role.SUPPORT))
    assert client.post(f"/approvals/{request.pk}/withdraw/", {"because": ""}).status_code == 422
    assert (
        client.post(f"/approvals/{request.pk}/withdraw/", {"because": "It heals itself."}).status_code == 302
    )
    request.refresh_from_db()
    assert request.state == "withdrawn"


def test_an_unknown_outcome_is_settled_by_a_person_who_shows_who_they_are(world: World) -> None:
    request = world.approved()
    ActionRequest.objects.filter(pk=request.pk).update(state="unknown")
    person = world.person(Role.ON_CALL)
    form = {"outcome": "failed", "because": "The number is still the old one."}
    address = f"/approvals/{request.pk}/settle/"
    sent_away = signed_in(person).post(address, form)
    assert sent_away.status_code == 302
    assert sent_away.headers["Location"].startswith(f"/step-up/?next=%2Fapprovals%2F{request.pk}%2F")
    assert len(refusals()) == 1
    client = by_passkey(person)
    page = text_of(client.get(f"/approvals/{request.pk}/"))
    assert "Nobody knows whether this write happened" in page
    assert client.post(address, {"outcome": "", "because": "x"}).status_code == 422
    assert client.post(address, form).status_code == 302
    request.refresh_from_db()
    assert request.state == "failed"


def test_a_rollback_is_asked_for_on_the_page_of_what_it_undoes(world: World) -> None:
    request = world.execute(world.approved())
    assert request.state == "succeeded", request.outcome
    client = by_passkey(world.person(Role.ON_CALL))
    assert "Ask for the rollback" in text_of(client.get(f"/approvals/{request.pk}/"))
    assert client.post(f"/approvals/{request.pk}/roll-back/", {"because": ""}).status_code == 422
    done = client.post(f"/approvals/{request.pk}/roll-back/", {"because": "It made things worse."})
    child = ActionRequest.objects.get(undoes=request)
    assert done.headers["Location"] == f"/approvals/{child.pk}/"
    assert f"undoes request {request.pk}" in text_of(client.get(f"/approvals/{child.pk}/"))


def test_two_people_switch_on_and_one_switches_off(world: World) -> None:
    WriteSwitch.objects.all().delete()
    manager, boss = world.person(Role.MANAGER), world.person(Role.ADMINISTRATOR)
    on = {"scope": "global", "to": "on", "because": "The change window begins."}
    sent_away = signed_in(manager).post("/approvals/switch/flip/", on)
    assert sent_away.headers["Location"] == "/step-up/?next=%2Fapprovals%2Fswitch%2F"
    assert len(refusals()) == 1
    first, second = by_passkey(manager), by_passkey(boss)
    assert first.post("/approvals/switch/flip/", on).status_code == 302
    assert not WriteSwitch.objects.get(scope="global").writes_enabled
    assert "Switch on, as the second" in text_of(second.get("/approvals/switch/"))
    assert first.post("/approvals/switch/flip/", on).status_code == 422
    assert second.post("/approvals/switch/flip/", on).status_code == 302
    assert WriteSwitch.objects.get(scope="global").writes_enabled
    off = {**on, "to": "off", "because": "Something is odd."}
    assert signed_in(manager).post("/approvals/switch/flip/", off).status_code == 302
    assert not WriteSwitch.objects.get(scope="global").writes_enabled
    assert second.post("/approvals/switch/flip/", {**off, "because": ""}).status_code == 422
    for scope in ("team:999", "team:", f"team:{'9' * 5_000}", "team:²"):
        assert second.post("/approvals/switch/flip/", {**off, "scope": scope}).status_code == 422, scope[:20]


def test_a_breaker_is_closed_by_name(world: World) -> None:
    breaker = Breaker.objects.create(
        action="test.set_number", target="number:a", opened_at=world.now, because="2 writes failed"
    )
    manager = by_passkey(world.person(Role.MANAGER))
    assert "2 writes failed" in text_of(manager.get("/approvals/breakers/"))
    assert manager.post(f"/approvals/breakers/{breaker.pk}/close/", {"because": ""}).status_code == 422
    done = manager.post(f"/approvals/breakers/{breaker.pk}/close/", {"because": "The cause is gone."})
    assert done.status_code == 302
    page = text_of(manager.get("/approvals/breakers/"))
    assert "Every breaker is closed" in page
    assert "The cause is gone." in page


def test_a_freeze_is_made_and_opened_by_somebody_else(world: World) -> None:
    maker, other = by_passkey(world.person(Role.MANAGER)), by_passkey(world.person(Role.ADMINISTRATOR))
    form = {"title": "Black Friday", "scope": "global"}
    assert maker.post("/approvals/calendar/make/", form).status_code == 422
    window = {"starts_at": "2020-01-01T00:00", "ends_at": "2099-01-01T00:00"}
    for scope in ("odd", "team:999", "team:Shop", "team:0", "action:test.set_nmber"):
        refused = maker.post("/approvals/calendar/make/", {**form, **window, "scope": scope})
        assert refused.status_code == 422, scope
    assert maker.post("/approvals/calendar/make/", {**form, **window}).status_code == 302
    freeze = Freeze.objects.get()
    request = world.prepared()
    gates = f"/approvals/{request.pk}/gates/"
    assert "“Black Friday” stands until" in text_of(maker.get(gates))
    end = f"/approvals/calendar/{freeze.pk}/end/"
    assert maker.post(end, {"because": "It is over."}).status_code == 422
    let = {"request": str(request.pk), "because": "It stops the loss."}
    assert other.post(f"/approvals/calendar/{freeze.pk}/except/", {**let, "request": "x"}).status_code == 422
    assert other.post(f"/approvals/calendar/{freeze.pk}/except/", let).status_code == 302
    assert "no freeze stands" in text_of(maker.get(gates))
    assert "It stops the loss." in text_of(maker.get("/approvals/calendar/"))
    assert other.post(end, {"because": "It is over."}).status_code == 302
    assert "No freeze stands, and none comes" in text_of(maker.get("/approvals/calendar/"))


def test_the_glass_is_broken_loudly_and_reviewed_by_somebody_else(world: World) -> None:
    holder, other = world.person(Role.ON_CALL), world.person(Role.MANAGER)
    reason = {"because": "The shop is down and nobody else answers."}
    group = Group.objects.get(name="break-glass")
    holder.groups.add(group)
    alone = by_passkey(holder).post("/approvals/glass/break/", reason)
    assert (alone.status_code, "1 named holder" in text_of(alone)) == (422, True)
    other.groups.add(group)
    without = signed_in(holder)
    assert 'disabled aria-describedby="why-not"' in text_of(without.get("/approvals/glass/"))
    assert without.post("/approvals/glass/break/", reason).status_code == 422
    assert len(refusals()) == 2
    assert by_passkey(holder).post("/approvals/glass/break/", reason).status_code == 302
    assert "The glass is broken." in text_of(signed_in(world.person(Role.SUPPORT)).get("/approvals/"))
    glass = holder.broken_glass.get()
    review = f"/approvals/glass/{glass.pk}/review/"
    words = {"because": "One write, right and needed."}
    assert by_passkey(other).post(review, words).status_code == 422, "the hour is not over"
    type(glass).objects.filter(pk=glass.pk).update(
        began_at=world.now - timedelta(hours=3), ends_at=world.now - timedelta(hours=2)
    )
    assert "still to be reviewed" in text_of(by_passkey(other).get("/approvals/"))
    assert by_passkey(other).post(review, words).status_code == 302
    assert "One write, right and needed." in text_of(by_passkey(other).get("/approvals/glass/"))


def test_managers_see_whether_people_still_look(world: World) -> None:
    client = signed_in(world.person(Role.MANAGER))
    assert "Nobody has decided anything yet" in text_of(client.get("/approvals/attention/"))
    request = world.prepared()
    decide(by_passkey(world.person(Role.ON_CALL)), request)
    unread = world.prepared(name="b")
    ActionRequest.objects.filter(pk=unread.pk).update(state="expired", ended_at=world.now)
    page = text_of(client.get("/approvals/attention/"))
    assert "100 %" in page
    assert "1 ran out of time; 1 of these nobody had looked at" in page
    assert signed_in(world.person(Role.ON_CALL)).get("/approvals/attention/").status_code == 403
