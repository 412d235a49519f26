"""Races around one write, and any changed byte: it is executed once or not at all, never twice."""

import os
import random
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connections

from accounts.models import User
from accounts.roles import Role
from approvals import executing, services, sweeping
from approvals.models import ActionRequest, Execution
from approvals.outcomes import MoveRefused
from tests.db import writing
from tests.db.writing import World
from tests.fakes import writes

FULL = bool(os.environ.get("FULL"))
RACES = 1_000 if FULL else 21
LIMITS = "{writes_an_hour: 100000, actions_an_hour: 0, failures_an_hour: 0, open_per_team: 100000}"
# What changes by design after the approval.
LOOSE = {"sent_at", "wanted_at", "wanted_by"}


@pytest.fixture
def world(
    committed_db: None,
    make_user: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    tmp_path: Path,
) -> World:
    made = writing.opened(make_user, monkeypatch, settings, tmp_path, LIMITS)
    made.person(Role.ON_CALL)
    made.person(Role.MANAGER)
    return made


def at_once(*acts: Callable[[], object]) -> None:
    """Run these at the same moment, each on a connection of its own; refusals are part of it."""
    barrier = threading.Barrier(len(acts))
    faults: list[BaseException] = []

    def run(act: Callable[[], object]) -> None:
        try:
            barrier.wait(10)
            with suppress(MoveRefused):
                act()
        except BaseException as error:  # noqa: BLE001 the main thread fails with it
            faults.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not faults, faults


def execute(world: World, request: ActionRequest) -> Callable[[], object]:
    return lambda: executing.execute(request.pk, clock=lambda: world.now)


def test_of_many_races_each_makes_one_write_or_none(world: World) -> None:
    kinds = [
        _two_workers, _double_click, _against_expiry, _against_switch, _two_on_one_target,
        _approve_against_expiry, _approve_against_switch,
    ]  # fmt: skip
    seen: dict[str, int] = {}
    for number in range(RACES):
        kind = kinds[number % len(kinds)]
        before = len(writes.calls())
        most = kind(world, number + 1)
        made = len(writes.calls()) - before
        assert made <= most, kind.__name__
        seen[f"{kind.__name__} {made}"] = seen.get(f"{kind.__name__} {made}", 0) + 1
    assert seen.get("_two_workers 1") == len(range(0, RACES, len(kinds)))
    keys = [call["key"] for call in writes.calls()]
    assert len(keys) == len(set(keys)) == Execution.objects.exclude(called_at=None).count()


def _fresh(world: World, number: int) -> ActionRequest:
    return world.approved(name=f"n{number}", value=number)


def _two_workers(world: World, number: int) -> int:
    request = _fresh(world, number)
    at_once(*[execute(world, request)] * 3)
    return 1


def _double_click(world: World, number: int) -> int:
    """Two clicks of one person and one of another, then every message that was sent for them."""
    request = world.prepared(name=f"n{number}", value=number)
    clicks = [
        lambda who=who: world.decide(request, who)
        for who in (world.person(Role.ON_CALL), world.person(Role.ON_CALL), world.person(Role.MANAGER))
    ]
    at_once(*clicks)
    at_once(*[execute(world, request)] * 2)
    return 1


def _against_expiry(world: World, number: int) -> int:
    request = _fresh(world, number)
    late = world.now + (request.execute_by - world.now if request.execute_by else world.now - world.now)
    at_once(execute(world, request), lambda: sweeping.expire(late))
    return 1


def _against_switch(world: World, number: int) -> int:
    request = _fresh(world, number)
    manager = world.person(Role.MANAGER)

    def off() -> object:
        return services.flip_switch("global", False, person=manager, because="stop it", now=world.now)

    at_once(execute(world, request), off)
    left = len(writes.calls())
    executing.execute(request.pk, clock=lambda: world.now)
    assert len(writes.calls()) == left
    world.switch()
    return 1


def _approve_against_expiry(world: World, number: int) -> int:
    """The last moment in which it can be decided, and the sweep that ends it one moment later."""
    request = world.prepared(name=f"n{number}", value=number)
    person, late = world.person(Role.ON_CALL), request.decide_by
    at_once(lambda: world.decide(request, person), lambda: sweeping.expire(late))
    at_once(*[execute(world, request)] * 2)
    assert ActionRequest.objects.get(pk=request.pk).state in ("expired", "succeeded")
    return 1


def _approve_against_switch(world: World, number: int) -> int:
    request = world.prepared(name=f"n{number}", value=number)
    person, manager = world.person(Role.ON_CALL), world.person(Role.MANAGER)

    def off() -> object:
        return services.flip_switch("global", False, person=manager, because="stop it", now=world.now)

    at_once(lambda: world.decide(request, person), off)
    at_once(*[execute(world, request)] * 2)
    assert ActionRequest.objects.get(pk=request.pk).state in ("proposed", "refused")
    world.switch()
    return 0


def _two_on_one_target(world: World, number: int) -> int:
    """Two requests of one target: the later one finds another version, or a locked target."""
    first = _fresh(world, number)
    second = world.approved("test.add_forever", name=f"n{number}", value=-number)
    at_once(execute(world, first), execute(world, second))
    return 1


def test_a_changed_byte_of_an_approved_request_is_never_executed_and_says_why(
    world: World, superuser_dsn: str
) -> None:
    request = world.approved()
    chance = random.Random(7)
    columns = [each for each in ActionRequest._meta.concrete_fields if each.attname not in LOOSE]
    with psycopg.connect(superuser_dsn, autocommit=True) as superuser:
        superuser.execute("SET session_replication_role = replica")  # no trigger, no foreign key
        for column in columns:
            kept = superuser.execute(
                f"SELECT {column.column}::text FROM approvals_actionrequest WHERE id = %s", [request.pk]
            ).fetchone()
            assert kept is not None
            for other in _others(column, kept[0], chance):
                _try(superuser, request, column, kept[0], other)
    assert not writes.calls()
    assert world.execute(request).state == "succeeded", request.outcome


def _others(column: Any, text: str | None, chance: random.Random) -> list[str]:
    """Values that differ from a column's in one byte: of a body every place when all are run, else some."""
    kind = column.get_internal_type()
    if kind == "DateTimeField":
        return ["2026-03-01 12:00:01+00", "2026-03-01 12:59:00+00"]
    if kind in ("BigIntegerField", "PositiveIntegerField", "BigAutoField", "ForeignKey", "OneToOneField"):
        return [str(int(text or 0) + 1)]
    if not text:
        return ["x"]
    places = range(len(text)) if FULL else sorted(chance.sample(range(len(text)), min(6, len(text))))
    return [text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :] for at in places]


def _try(superuser: Any, request: ActionRequest, column: Any, kept: str | None, other: str) -> None:
    def put(value: str | None, number: int) -> None:
        superuser.execute(
            f"UPDATE approvals_actionrequest SET {column.column} = %s WHERE id = %s", [value, number]
        )

    number = request.pk
    try:
        put(other, number)
    except psycopg.Error:
        return  # the column's type or a constraint refuses it
    if column.primary_key:
        number = int(other)
    with suppress(DatabaseError):
        executing.execute(number, clock=lambda: writing.NOW)
    now = ActionRequest.objects.get(pk=number)
    assert now.state != "succeeded", column.attname
    if column.attname not in ("outcome",):
        assert "superseded" in now.outcome or now.state not in ("approved", "refused"), (
            column.attname, other, now.state, now.outcome,
        )  # fmt: skip
    # As it was, for the next byte.
    put(kept, number)
    superuser.execute("DELETE FROM approvals_gateanswer")
    superuser.execute(
        "UPDATE approvals_actionrequest SET state = 'approved', version = %s, outcome = '', ended_at = NULL "
        "WHERE id = %s",
        [request.version, request.pk],
    )
    superuser.execute(
        "UPDATE approvals_actionrequest SET state = 'approved', version = %s, outcome = '', ended_at = NULL "
        "WHERE undoes_id = %s",
        [ActionRequest.objects.get(undoes=request.pk).version, request.pk],
    )


def test_a_changed_decision_is_never_executed(world: World, superuser_dsn: str) -> None:
    request = world.approved()
    with psycopg.connect(superuser_dsn, autocommit=True) as superuser:
        superuser.execute(
            "UPDATE approvals_decision SET reason = reason || '!' WHERE request_id = %s", [request.pk]
        )
    assert world.execute(request).state == "refused"
    assert request.outcome == "digest: superseded: decision 1's reason is not as it was when it was approved"


def test_without_the_entry_of_its_intent_there_is_no_write(world: World, superuser_dsn: str) -> None:
    request = world.approved()
    with psycopg.connect(superuser_dsn, autocommit=True) as superuser:
        superuser.execute("""
            CREATE FUNCTION refuse_intents() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF NEW.kind = 'write.intended' THEN RAISE EXCEPTION 'the log is full'; END IF;
                RETURN NEW;
            END $$
        """)
        superuser.execute(
            "CREATE TRIGGER refuse_intents BEFORE INSERT ON audit_entry "
            "FOR EACH ROW EXECUTE FUNCTION refuse_intents()"
        )
    with pytest.raises(DatabaseError):
        executing.execute(request.pk, clock=lambda: world.now)
    request.refresh_from_db()
    assert request.state == "approved"
    assert not Execution.objects.exists()
    assert not writes.calls()
