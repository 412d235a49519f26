"""What people do with incidents: every move from every state, each with its entry."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from accounts.models import User
from audit import reading
from incidents import moves, services
from incidents.models import Incident, Resolution, Source
from incidents.moves import Asked, MoveRefused
from incidents.states import MOVES, Move, State
from investigations.models import Investigation
from investigations.outcomes import Failure, Judgement
from tests.db.sources import NOW, a_resolve, an_alert, body_of, deliver, make_source, minutes

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Source:
    return make_source()


@pytest.fixture
def by(make_user: Callable[..., User]) -> User:
    return make_user("ada")


def make_incident(source: Source, key: str = "k", **values: Any) -> Incident:
    values = {"kind": "alert", "title": "T", "state": State.REVIEW, **values}
    times = dict.fromkeys(("started_at", "first_received_at", "last_received_at", "episode_at"), NOW)
    if values["state"] == State.CLOSED:
        times["closed_at"] = NOW
    return Incident.objects.create(source=source, sender_key=key, **times, **values)


def close(incident: Incident, by: User, **words: Any) -> Incident:
    said = {"outcome": "real and fixed", "answer": "Done.", "reason": "", **words}
    return services.close(incident.pk, by=by, version=incident.version, now=NOW, **said)


def kinds(incident: Incident) -> list[str]:
    return [entry.kind for entry in reading.of_incident(incident.pk)]


def judgement(incident: Incident, *, passed: bool = True) -> Judgement:
    return Judgement(
        investigation=1, incident=incident.pk, verdict=1, draft=1, passed=passed, hypothesis="h",
        reason="because", deciding="", judged_at=NOW,
    )  # fmt: skip


def make_move(move: Move, incident: Incident, by: User) -> None:
    """Make a move the way its caller makes it; a machine's move that finds nothing to do is no refusal."""
    match move:
        case Move.CLOSE:
            close(incident, by)
        case Move.REOPEN:
            services.reopen(incident.pk, by=by, reason="again", version=incident.version, now=NOW)
        case Move.ACKNOWLEDGE:
            services.acknowledge(incident.pk, by=by, version=incident.version, now=NOW)
        case Move.ASSIGN:
            services.assign(incident.pk, by=by, to=by, version=incident.version, now=NOW)
        case _:
            with moves.transaction_of(Asked(move, incident.pk, "worker", NOW)):
                moves.make_or_refuse(Asked(move, incident.pk, "worker", NOW), {})


EDGES = [(state, move) for state, move in product(State, Move) if state in MOVES[move][0]]
REFUSED = sorted(set(product(State, Move)) - set(EDGES))


@pytest.mark.parametrize(("state", "move"), REFUSED)
def test_a_move_without_an_edge_is_refused_and_changes_nothing_but_the_record(
    source: Source, by: User, state: State, move: Move
) -> None:
    incident = make_incident(source, state=state)
    before = Incident.objects.values().get()
    with pytest.raises(MoveRefused, match="Load the page again"):
        make_move(move, incident, by)
    assert Incident.objects.values().get() == before
    assert kinds(incident) == ["move.refused"]
    assert not Resolution.objects.exists()


@pytest.mark.parametrize(("state", "move"), EDGES)
def test_a_move_along_an_edge_moves_once_with_one_entry(
    source: Source, by: User, state: State, move: Move
) -> None:
    incident = make_incident(source, state=state)
    make_move(move, incident, by)
    incident.refresh_from_db()
    assert incident.state == (MOVES[move][1] or state)
    assert incident.version == 1
    assert [kind for kind in kinds(incident) if kind.startswith(("incident.", "draft."))] == [
        moves._KINDS[move]
    ]


@pytest.mark.parametrize("move", [Move.CLOSE, Move.REOPEN, Move.ACKNOWLEDGE, Move.ASSIGN])
def test_a_move_on_an_older_version_is_refused(source: Source, by: User, move: Move) -> None:
    state = State.CLOSED if move is Move.REOPEN else State.REVIEW
    incident = make_incident(source, state=state, version=3)
    incident.version = 2
    with pytest.raises(MoveRefused, match="has changed since this page was loaded"):
        make_move(move, incident, by)
    assert Incident.objects.get().state == state


@pytest.mark.parametrize("move", [Move.CLOSE, Move.REOPEN, Move.ACKNOWLEDGE, Move.ASSIGN])
def test_a_move_on_no_incident_is_refused_in_words(source: Source, by: User, move: Move) -> None:
    with pytest.raises(MoveRefused, match="There is no incident 999"):
        make_move(move, Incident(pk=999, source=source), by)


def test_the_second_of_two_closings_is_refused(source: Source, by: User) -> None:
    incident = make_incident(source)
    close(incident, by)
    with pytest.raises(MoveRefused, match="is closed"):
        close(incident, by)
    assert Resolution.objects.count() == 1
    assert kinds(incident) == ["incident.closed", "move.refused"]


@pytest.mark.parametrize("outcome", ["", "fine", "Harmless", "claim upheld"])
def test_an_alert_closes_only_with_an_outcome_of_alerts(source: Source, by: User, outcome: str) -> None:
    with pytest.raises(MoveRefused, match="Choose one of"):
        close(make_incident(source), by, outcome=outcome)


@pytest.mark.parametrize(
    ("kind", "passed", "outcome"),
    [
        ("alert", True, "real and fixed"),
        ("alert", False, "harmless"),
        ("claim", True, "claim upheld"),
        ("claim", False, "claim refused"),
    ],
)
def test_an_outcome_against_the_verdict_needs_a_reason_and_is_marked(
    source: Source, by: User, kind: str, passed: bool, outcome: str
) -> None:
    incident = make_incident(source, kind=kind, verdict_passed=passed)
    with pytest.raises(MoveRefused, match="Give the reason"):
        close(incident, by, outcome=outcome, reason="  ")
    close(incident, by, outcome=outcome, reason="I saw it.")
    resolution = Resolution.objects.get()
    assert resolution.contradicts_verdict
    assert resolution.reason == "I saw it."


def test_an_outcome_with_the_verdict_needs_no_reason(source: Source, by: User) -> None:
    close(make_incident(source, verdict_passed=True), by, outcome="harmless")
    assert not Resolution.objects.get().contradicts_verdict


@pytest.mark.parametrize("text", ["a\0b", "a\ud83db"])
def test_text_that_cannot_be_stored_is_refused(source: Source, by: User, text: str) -> None:
    with pytest.raises(MoveRefused, match="cannot be stored"):
        close(make_incident(source), by, answer=text)


def test_an_answer_without_end_is_refused(source: Source, by: User) -> None:
    with pytest.raises(MoveRefused, match="Shorten it"):
        close(make_incident(source), by, answer="x" * 20_001)


def test_the_answer_is_kept_as_it_was_sent(source: Source, by: User) -> None:
    close(make_incident(source), by, answer="  As sent.\n")
    resolution = Resolution.objects.get()
    assert (resolution.answer, resolution.by) == ("  As sent.\n", by)


@pytest.mark.parametrize("target", [None, "itself", 999])
def test_a_duplicate_names_another_incident_that_exists(source: Source, by: User, target: Any) -> None:
    incident = make_incident(source)
    number = incident.pk if target == "itself" else target
    with pytest.raises(MoveRefused):
        close(incident, by, outcome="duplicate of", duplicate_of=number)
    assert Incident.objects.get().state == State.REVIEW


def test_only_a_duplicate_names_another_incident(source: Source, by: User) -> None:
    other = make_incident(source, "other")
    with pytest.raises(MoveRefused, match="Only a duplicate"):
        close(make_incident(source), by, duplicate_of=other.pk)


def test_duplicates_never_close_a_circle(source: Source, by: User) -> None:
    a, b, c = (make_incident(source, key) for key in "abc")
    close(a, by, outcome="duplicate of", duplicate_of=b.pk)
    with pytest.raises(MoveRefused, match=f"itself a duplicate of {b.pk}"):
        close(b, by, outcome="duplicate of", duplicate_of=a.pk)
    close(b, by, outcome="duplicate of", duplicate_of=c.pk)
    with pytest.raises(MoveRefused, match="itself a duplicate"):
        close(c, by, outcome="duplicate of", duplicate_of=a.pk)


def test_a_closed_incident_that_is_no_duplicate_may_be_named(source: Source, by: User) -> None:
    root = make_incident(source, "root", state=State.CLOSED)
    close(make_incident(source), by, outcome="duplicate of", duplicate_of=root.pk)
    assert Resolution.objects.get().duplicate_of == root


def test_reopening_needs_a_reason(source: Source, by: User) -> None:
    incident = make_incident(source, state=State.CLOSED)
    with pytest.raises(MoveRefused, match="Say why"):
        services.reopen(incident.pk, by=by, reason=" ", version=0, now=NOW)


def test_reopening_queues_an_investigation_and_keeps_what_was_decided(source: Source, by: User) -> None:
    incident = close(make_incident(source), by)
    services.reopen(incident.pk, by=by, reason="It is back.", version=incident.version, now=NOW)
    incident.refresh_from_db()
    assert (incident.state, incident.closed_at) == (State.OPEN, None)
    assert Investigation.objects.get().incident_id == incident.pk
    assert Resolution.objects.count() == 1


def test_reopening_beside_a_newer_one_of_the_same_key_is_refused_naming_it(source: Source, by: User) -> None:
    old = make_incident(source, state=State.CLOSED)
    new = make_incident(source)
    with pytest.raises(MoveRefused, match=f"opened incident {new.pk} since"):
        services.reopen(old.pk, by=by, reason="again", version=0, now=NOW)
    assert not Investigation.objects.exists()


def test_the_first_acknowledgement_stands(source: Source, by: User) -> None:
    incident = services.acknowledge(make_incident(source).pk, by=by, version=0, now=NOW)
    with pytest.raises(MoveRefused, match="acknowledged already"):
        services.acknowledge(incident.pk, by=by, version=1, now=NOW + minutes(1))
    assert Incident.objects.get().acknowledged_at == NOW


def test_nobody_is_assigned_whose_account_is_off(
    source: Source, by: User, make_user: Callable[..., User]
) -> None:
    off = make_user("off")
    off.is_active = False
    off.save()
    with pytest.raises(MoveRefused, match="switched off"):
        services.assign(make_incident(source).pk, by=by, to=off, version=0, now=NOW)


def test_an_incident_is_given_back(source: Source, by: User) -> None:
    incident = make_incident(source, assignee=by)
    assert services.assign(incident.pk, by=by, to=None, version=0, now=NOW).assignee is None


def test_asking_without_an_investigation_is_refused(source: Source, by: User) -> None:
    with pytest.raises(MoveRefused, match="no investigation"):
        services.ask_missing(make_incident(source).pk, by=by, fact=None, now=NOW)


def test_a_verdict_brings_the_incident_to_review_with_its_words(source: Source) -> None:
    incident = make_incident(source, state=State.INVESTIGATING)
    services.judged(judgement(incident))
    incident.refresh_from_db()
    assert (incident.state, incident.verdict_passed) == (State.REVIEW, True)
    assert (incident.hypothesis, incident.verdict_reason) == ("h", "because")


def test_a_verdict_after_the_close_changes_nothing(source: Source) -> None:
    incident = make_incident(source, state=State.CLOSED)
    services.judged(judgement(incident))
    assert Incident.objects.get().verdict_passed is None
    assert kinds(incident) == []


def test_a_verdict_after_a_reopening_brings_to_review(source: Source) -> None:
    incident = make_incident(source, state=State.OPEN)
    services.judged(judgement(incident, passed=False))
    assert Incident.objects.get().state == State.REVIEW


def test_a_run_without_a_verdict_brings_a_person(source: Source) -> None:
    incident = make_incident(source, state=State.INVESTIGATING)
    services.failed(Failure(investigation=1, incident=incident.pk, reason="gave up", failed_at=NOW))
    incident.refresh_from_db()
    assert (incident.state, incident.verdict_passed) == (State.REVIEW, None)
    assert incident.verdict_reason == "gave up"


def test_a_repeat_while_in_review_queues_no_second_investigation(source: Source) -> None:
    deliver(source, body_of(an_alert()))
    Incident.objects.update(state=State.REVIEW)
    Investigation.objects.update(state="judged")
    deliver(source, body_of(an_alert()), NOW + minutes(1))
    deliver(source, body_of(a_resolve(ends=NOW + minutes(2))), NOW + minutes(2))
    deliver(source, body_of(an_alert(starts=NOW + minutes(3))), NOW + minutes(3))
    assert Investigation.objects.count() == 1
    assert Incident.objects.get().state == State.REVIEW


def test_an_investigation_that_does_not_exist_is_nobodys_work() -> None:
    assert services.investigate(999, now=NOW) is None
