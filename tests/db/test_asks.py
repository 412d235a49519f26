"""A call that waits for a person: allowed, refused, too late, or denied while it waited. Real commits."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from assay_core.results import Status
from audit.models import Entry
from tests.conftest import wait_until
from tests.db.investigated import Scripted, together, world
from toolbox import acknowledgements, asks, gateway, proofs, toolrules
from toolbox.asks import AskRefused
from toolbox.called import Called
from toolbox.models import Ask
from toolbox.scope import CallScope
from toolbox.toolrules import Wanted

pytestmark = pytest.mark.usefixtures("committed_db")
MakeUser = Callable[..., User]
TOKEN = CallScope(caller="token:agent")
ARGUMENTS = {"query": "x", "since": "y"}


@pytest.fixture(autouse=True)
def _patience(settings: Any) -> None:
    settings.TOOL_ASK_SECONDS = 10


@pytest.fixture
def connector(committed_db: None, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    proofs.forget()
    acknowledgements.forget()
    return world(monkeypatch)


@pytest.fixture
def boss(committed_db: None, make_user: MakeUser) -> User:
    user = make_user("boss", role=Role.ADMINISTRATOR)
    toolrules.make(Wanted("ask", "count_*", "costly", caller="token:*"), by=user, now=timezone.now())
    return user


def call(scope: CallScope = TOKEN) -> Called:
    return gateway.call("count_errors", ARGUMENTS, scope)


def once_open(then: Callable[[Ask], Any]) -> Callable[[], Any]:
    """Do something with the ask as soon as there is one."""

    def job() -> Any:
        wait_until(lambda: asks.open_asks().exists(), seconds=8, every=0.02)
        return then(asks.open_asks().get())

    return job


def kinds() -> list[str]:
    return list(Entry.objects.filter(kind__startswith="ask.").order_by("pk").values_list("kind", flat=True))


def test_a_call_goes_on_once_a_person_allows_it(connector: Scripted, boss: User, make_user: MakeUser) -> None:
    person = make_user("ada", role=Role.ON_CALL)
    called, _ = together(call, once_open(lambda ask: asks.answer(ask.pk, by=person, allow=True)))
    assert called.status is Status.OBSERVED
    assert connector.asked == [("count_errors", ARGUMENTS)]
    assert kinds() == ["ask.opened", "ask.answered"]
    row = Ask.objects.get()
    assert (row.answer, row.answered_by, row.shown) == ("allowed", "person:ada", ARGUMENTS)


def test_a_person_refuses_with_words_that_the_caller_reads(connector: Scripted, boss: User) -> None:
    called, _ = together(
        call, once_open(lambda ask: asks.answer(ask.pk, by=boss, allow=False, words="not at night"))
    )
    assert called.status is Status.REFUSED
    assert called.reason.startswith("person:boss refused it (ask ")
    assert called.reason.endswith("): not at night")
    assert connector.asked == []


def test_when_nobody_answers_the_call_is_refused(connector: Scripted, boss: User, settings: Any) -> None:
    settings.TOOL_ASK_SECONDS = 1
    began = time.monotonic()
    called = call()
    assert 1 <= time.monotonic() - began < 15
    assert "nobody allowed it within 1 s" in called.reason
    assert kinds() == ["ask.opened", "ask.expired"]
    with pytest.raises(AskRefused, match="too late: the call is expired already"):
        asks.answer(Ask.objects.get().pk, by=boss, allow=True)
    assert connector.asked == []


def test_a_deny_that_is_made_while_a_call_waits_beats_the_yes(connector: Scripted, boss: User) -> None:
    def deny_and_allow(ask: Ask) -> None:
        toolrules.make(Wanted("deny", "count_errors", "leak"), by=boss, now=timezone.now())
        asks.answer(ask.pk, by=boss, allow=True)

    called, _ = together(call, once_open(deny_and_allow))
    assert "denies it: leak" in called.reason
    assert connector.asked == []


def test_of_two_answers_at_once_one_counts(connector: Scripted, boss: User, make_user: MakeUser) -> None:
    person = make_user("ada", role=Role.SUPPORT)
    called, first, second = together(
        call,
        once_open(lambda ask: asks.answer(ask.pk, by=boss, allow=True)),
        once_open(lambda ask: asks.answer(ask.pk, by=person, allow=False)),
    )
    refusals = [one for one in (first, second) if isinstance(one, Exception)]
    assert len(refusals) == 1
    assert (called.status is Status.OBSERVED) is (Ask.objects.get().answer == "allowed")
    assert kinds() == ["ask.opened", "ask.answered"]


def test_no_transaction_and_no_connection_is_held_while_a_call_waits(
    connector: Scripted, boss: User, superuser_dsn: str
) -> None:
    import psycopg

    def look(ask: Ask) -> int:
        connection.close()
        time.sleep(0.6)
        with psycopg.connect(superuser_dsn) as link:
            row = link.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE usename = 'assay_app' AND xact_start IS NOT NULL"
            ).fetchone()
        asks.answer(ask.pk, by=boss, allow=True)
        assert row is not None
        return int(row[0])

    _, seen = together(call, once_open(look))
    assert seen == 0


def test_no_more_than_two_calls_of_one_caller_wait(connector: Scripted, boss: User, settings: Any) -> None:
    settings.TOOL_ASK_SECONDS = 2
    together(call, call)
    assert Ask.objects.count() == 2
    settings.TOOL_ASK_SECONDS = 3

    def third() -> Called:
        wait_until(lambda: asks.open_asks().count() == 2, seconds=2, every=0.02)
        return call()

    *_, called = together(call, call, third)
    assert "2 calls of token:agent wait for a person already" in called.reason


@pytest.mark.parametrize("role", ["", Role.AUDITOR])
def test_who_may_not_triage_may_not_allow(boss: User, make_user: MakeUser, role: str) -> None:
    with pytest.raises(AskRefused, match="does not allow calls"):
        asks.answer(1, by=make_user("ines", role=role), allow=True)


def test_nobody_allows_what_they_asked_themselves(connector: Scripted, boss: User) -> None:
    toolrules.make(Wanted("ask", "*", "costly", caller="person:*"), by=boss, now=timezone.now())
    scope = CallScope(caller="person:boss", investigation=1, is_derived=True)
    called, answered = together(
        lambda: call(scope),
        once_open(lambda ask: _try(lambda: asks.answer(ask.pk, by=boss, allow=True), ask, boss)),
    )
    assert answered == "You asked this yourself: somebody else has to allow it."
    assert called.status is Status.REFUSED


def _try(answer: Callable[[], Any], ask: Ask, boss: User) -> str:
    try:
        answer()
    except AskRefused as refusal:
        Ask.objects.filter(pk=ask.pk).update(answer="refused", answered_by="person:other")
        return str(refusal)
    return ""
