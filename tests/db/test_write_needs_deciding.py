"""What approvals are held to before a write (A1 to A11): who decides what, when, and how."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.urls import get_resolver

from accounts.models import User
from accounts.permissions import GLASS_HOLDERS
from accounts.roles import Role
from accounts.stepup import Method, StepUp
from approvals import preparing, services, sweeping
from approvals.actions.base import Proposal
from approvals.models import ActionRequest, Decision
from approvals.outcomes import Proposer
from audit import reading
from tests.db import writing
from tests.db.writing import WHY, World
from tests.fakes import writes

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> World:
    return writing.opened(make_user, monkeypatch, settings, tmp_path)


def refused(world: World, request: ActionRequest, person: User, **more: Any) -> str:
    """Decide, expect a refusal, and return its words once they are found in the audit log."""
    with pytest.raises(services.DecisionRefused) as caught:
        world.decide(request, person, **more)
    kept = ActionRequest.objects.get(pk=request.pk)
    assert kept.state == request.state
    return str(caught.value)


# --- A1: nobody decides their own ---


@pytest.mark.parametrize("barred", ["person", "token_owner"])
def test_a1_who_proposes_does_not_decide(world: World, barred: str) -> None:
    person = world.person(Role.ON_CALL)
    request = world.prepared(by=Proposer("token:x", **{barred: person.pk}))
    assert "somebody else" in refused(world, request, person)
    assert "somebody else" in services.can_decide(person, request, world.step(), world.now)


def test_a1_who_edits_does_not_decide(world: World) -> None:
    person = world.person(Role.ON_CALL)
    first = world.prepared()
    second = services.edit(first, {"name": "a", "value": 8}, by=person, why=WHY, now=world.now)
    preparing.prepare(second.pk, now=world.now)
    second.refresh_from_db()
    assert "edited" in refused(world, second, person)
    assert world.decide(second, world.person(Role.MANAGER)).state == "approved"


# --- A2: quorum ---


def test_a2_a_high_risk_takes_two_people_of_two_roles(world: World, make_user: Callable[..., User]) -> None:
    request = world.prepared("test.set_number_high")
    assert world.decide(request, world.person(Role.ON_CALL)).state == "proposed"
    assert world.decide(request, make_user("second", role=Role.ON_CALL)).state == "proposed"
    assert world.decide(request, world.person(Role.MANAGER)).state == "approved"


def test_a2_the_first_deny_ends_it(world: World) -> None:
    request = world.prepared("test.set_number_high")
    world.decide(request, world.person(Role.ON_CALL))
    assert world.decide(request, world.person(Role.MANAGER), "deny").state == "denied"
    assert ActionRequest.objects.get(undoes=request).state == "denied"
    assert world.execute(request).state == "denied"
    assert not writes.calls()


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.AUDITOR])
def test_a2_other_roles_do_not_decide(world: World, role: Role) -> None:
    assert "approved by" in refused(world, world.prepared(), world.person(role))


# --- A3: bound to content ---


def test_a3_a_decision_names_the_digest_that_was_shown(world: World) -> None:
    request = world.prepared()
    assert "not what is asked now" in refused(world, request, world.person(Role.ON_CALL), digest="0" * 64)


def test_a3_an_edit_is_a_new_request(world: World) -> None:
    first = world.prepared()
    second = services.edit(
        first, {"name": "a", "value": 8}, by=world.person(Role.SUPPORT), why=WHY, now=world.now
    )
    first.refresh_from_db()
    assert (first.state, second.replaces_id, second.digest) == ("withdrawn", first.pk, "")
    assert "nothing left to decide" in refused(world, first, world.person(Role.ON_CALL))


# --- A4: two expiries ---


def test_a4_a_late_decision_is_refused_and_a_late_request_expires(world: World) -> None:
    request = world.prepared()
    world.later(minutes=15)
    world.probe()
    assert "had to be decided" in refused(world, request, world.person(Role.ON_CALL))
    sweeping.sweep(world.now)
    request.refresh_from_db()
    assert request.state == "expired"


def test_a4_an_approval_is_good_for_five_minutes(world: World) -> None:
    request = world.approved()
    world.later(minutes=5)
    assert world.execute(request).state == "refused"
    assert request.outcome.startswith("digest: the time to execute it is over")
    assert not writes.calls()


def test_a4_what_was_not_executed_expires(world: World) -> None:
    request = world.approved()
    world.later(minutes=5)
    sweeping.sweep(world.now)
    request.refresh_from_db()
    assert request.state == "expired"


# --- A5: step-up ---


@pytest.mark.parametrize("stepup", [None, "stale", "future"])
def test_a5_without_a_fresh_proof_nobody_approves(world: World, stepup: str | None) -> None:
    spans = {"stale": -timedelta(seconds=301), "future": timedelta(minutes=2)}
    proof = StepUp(Method.PASSKEY, world.now + spans[stepup]) if stepup else None
    request = world.prepared()
    assert "Show that it is you" in refused(world, request, world.person(Role.ON_CALL), stepup=proof)


@pytest.mark.parametrize("method", [Method.PASSWORD, Method.SINGLE_SIGN_ON, Method.RECOVERY_CODE])
def test_a5_a_high_risk_wants_a_passkey_or_a_code(world: World, method: Method) -> None:
    request = world.prepared("test.set_number_high")
    said = refused(world, request, world.person(Role.ON_CALL), stepup=world.step(method))
    assert "passkey" in said


def test_a5_a_decision_records_how_it_was_given(world: World) -> None:
    request = world.prepared()
    world.decide(request, world.person(Role.ON_CALL), stepup=world.step(Method.TOTP))
    kept = Decision.objects.get(request=request)
    assert (kept.method, kept.group, kept.opened_at) == ("totp", "on-call", world.now)
    assert kept.entry is not None
    entry = reading.entry(kept.entry)
    assert entry is not None
    assert entry.payload is not None
    assert (entry.kind, entry.payload["method"]) == ("write.decided", "totp")


# --- A6: reasons ---


def test_a6_both_sides_say_why(world: World) -> None:
    with pytest.raises(services.ProposalRefused, match="why it is proposed"):
        services.propose(
            Proposal("test.set_number", {"name": "a", "value": 1}, "  "),
            by=Proposer("model"), incident=None, investigation=None, cites=(), now=world.now,
        )  # fmt: skip
    assert "Say why" in refused(world, world.prepared(), world.person(Role.ON_CALL), reason="ok")


def test_a6_a_ticket_can_be_asked_for(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    world = writing.opened(make_user, monkeypatch, settings, tmp_path, "{ticket_pattern: 'OPS-[0-9]+'}")
    request = world.prepared()
    assert "Name the ticket" in refused(world, request, world.person(Role.ON_CALL))
    assert world.decide(request, world.person(Role.ON_CALL), reason="as agreed in OPS-17").state == "approved"


# --- A7, A20: no other way to a decision ---


def test_a7_no_address_decides_but_the_requests_own_page(world: World) -> None:
    addresses = [str(each.pattern) for each in get_resolver().url_patterns]
    assert not [address for address in addresses if "chat" in address or "slack" in address]


# --- A8: both identities ---


def test_a8_the_entry_names_the_agent_and_the_person_behind_it(world: World) -> None:
    owner = world.person(Role.ON_CALL)
    request = world.propose(by=Proposer("token:agent-1", token_owner=owner.pk))
    entry = _newest("write.proposed")
    assert (entry.actor, entry.payload["token_owner"]) == ("token:agent-1", owner.pk)
    assert request.token_owner == owner.pk


# --- A9: freezes ---


def test_a9_a_freeze_stops_a_write_and_its_maker_cannot_open_it(
    world: World, make_user: Callable[..., User]
) -> None:
    manager, second = world.person(Role.MANAGER), make_user("second", role=Role.MANAGER)
    window = (world.now, world.now + timedelta(hours=1))
    request, other = world.approved(), world.prepared(value=9)
    freeze = services.make_freeze("Black Friday", "global", window, person=manager, now=world.now)
    assert "“Black Friday” stands until" in refused(world, other, world.person(Role.ON_CALL))
    with pytest.raises(services.MoveRefused, match="somebody else has to open it"):
        services.end_freeze(freeze.pk, person=manager, because="not needed", now=world.now)
    assert world.execute(request).state == "refused"
    assert request.outcome.startswith("calendar: “Black Friday” stands")
    services.except_from_freeze(freeze.pk, other.pk, person=second, because="agreed by phone", now=world.now)
    assert "You let this request through a freeze" in refused(world, other, second)
    world.decide(other, world.person(Role.ON_CALL))
    assert world.execute(other).state == "succeeded", other.outcome
    assert _newest("freeze.excepted").actor == second.actor


def test_a9_who_decided_does_not_let_it_through(world: World, make_user: Callable[..., User]) -> None:
    window = (world.now, world.now + timedelta(hours=1))
    request = world.prepared()
    world.decide(request, world.person(Role.MANAGER))
    freeze = services.make_freeze(
        "Black Friday", "global", window, person=make_user("third", role=Role.MANAGER), now=world.now
    )
    with pytest.raises(services.MoveRefused, match="somebody else"):
        services.except_from_freeze(
            freeze.pk, request.pk, person=world.person(Role.MANAGER), because="I say so", now=world.now
        )


# --- A10: levels ---


def test_a10_each_gate_says_how_hard_it_is(world: World) -> None:
    said = {each.gate: each.level for each in services.gates_now(world.approved(), world.now)}
    assert said == {
        "digest": "hard", "write switch": "hard", "calendar": "soft", "target": "hard",
        "precondition": "hard", "blast radius": "hard", "breaker": "hard", "rubric": "advisory",
    }  # fmt: skip


# --- A11: break-glass ---


def _holders(world: World, make_user: Callable[..., User]) -> tuple[User, User]:
    holders = (make_user("holder-1", role=Role.ON_CALL), make_user("holder-2", role=Role.MANAGER))
    for each in holders:
        each.groups.add(Group.objects.get(name=GLASS_HOLDERS))
    return holders


def test_a11_a_named_holder_decides_alone_for_an_hour_and_cannot_review_it(
    world: World, make_user: Callable[..., User]
) -> None:
    holder, other = _holders(world, make_user)
    glass = services.break_glass(
        person=holder, reason="Everybody else is on a plane.", stepup=world.step(), now=world.now
    )
    assert _newest("glass.broken").actor == holder.actor
    request = world.prepared("test.set_number_high")
    assert world.decide(request, holder).state == "approved"
    world.later(hours=1)
    world.probe()
    assert world.decide(world.prepared("test.set_number_high", value=9), holder).state == "proposed"
    words = "I looked at all of it."
    with pytest.raises(services.MoveRefused, match="somebody else has to review"):
        services.review_glass(glass.pk, person=holder, review=words, now=world.now)
    with pytest.raises(services.MoveRefused, match="waits for its review"):
        services.break_glass(
            person=holder, reason="Everybody else is on a plane.", stepup=world.step(), now=world.now
        )
    assert services.review_glass(glass.pk, person=other, review=words, now=world.now).reviewed_by == other


def test_a11_nobody_else_breaks_it_and_there_have_to_be_two_holders(
    world: World, make_user: Callable[..., User]
) -> None:
    reason = "Everybody else is on a plane."
    with pytest.raises(services.MoveRefused, match="named holders"):
        services.break_glass(
            person=world.person(Role.MANAGER), reason=reason, stepup=world.step(), now=world.now
        )
    first, second = _holders(world, make_user)
    second.groups.clear()
    with pytest.raises(services.MoveRefused, match="1 named holders"):
        services.break_glass(person=first, reason=reason, stepup=world.step(), now=world.now)


def _newest(kind: str) -> Any:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT max(id) FROM audit_entry WHERE kind = %s", [kind])
        ((number,),) = cursor.fetchall()
    return reading.entry(number)
