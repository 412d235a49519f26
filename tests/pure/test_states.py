"""Which moves an incident may make, and the times of an episode."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import permutations

from incidents.episodes import Moment, Past, Track
from incidents.states import MOVES, Effect, Event, Move, State

T = datetime(2026, 3, 1, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return T + timedelta(minutes=minutes)


def firing(starts: float | None, received: float) -> Moment:
    return Moment(Event.FIRING, None if starts is None else at(starts), None, at(received))


def resolved(starts: float | None, ends: float | None, received: float) -> Moment:
    return Moment(
        Event.RESOLVED,
        None if starts is None else at(starts),
        None if ends is None else at(ends),
        at(received),
    )


def test_every_move_is_in_the_table_and_nothing_leaves_closed_but_a_reopening_and_an_undo() -> None:
    assert set(MOVES) == set(Move)
    assert {move for move, (starts, _) in MOVES.items() if State.CLOSED in starts} == {Move.REOPEN, Move.UNDO}


def test_only_a_person_closes() -> None:
    assert [move for move, (_, end) in MOVES.items() if end is State.CLOSED] == [Move.CLOSE]


def test_a_firing_not_newer_than_a_recorded_resolve_is_stale() -> None:
    track, _ = Track(at(0)).after(resolved(0, 5, 5))
    assert track.after(firing(0, 6)) == (track, Effect.STALE)
    assert track.after(firing(-1, 6)) == (track, Effect.STALE)


def test_a_firing_that_started_before_the_end_but_after_the_start_counts_as_firing() -> None:
    """It may be a second sender's: what is unclear is shown to a person, not hidden."""
    track, _ = Track(at(0)).after(resolved(0, 5, 5))
    assert track.after(firing(3, 6))[1] is Effect.REFIRED


def test_a_resolve_that_names_an_earlier_start_ends_what_began_before_its_end() -> None:
    track, effect = Track(at(0.1)).after(resolved(0, 5, 5))
    assert effect is Effect.RECOVERED
    assert track.recovered_at == at(5)


def test_an_end_in_the_future_is_taken_as_the_receipt() -> None:
    track, _ = Track(at(0)).after(resolved(0, 600, 5))
    assert track.recovered_at == at(5)


def in_order(signals: Iterable[Moment]) -> Track:
    """What becomes of an incident that opened at the start, once these have arrived one after another."""
    track = Track(at(0))
    for signal in signals:
        track, _ = track.after(signal)
    return track


def test_two_whole_episodes_end_recovered_in_any_order_of_arrival() -> None:
    for order in permutations([firing(0, 20), resolved(0, 5, 20), firing(10, 20), resolved(10, 15, 20)]):
        track = in_order(order)
        assert track.recovered_at is not None, order
        assert track.resolved_episode_at == at(10), order


def test_an_episode_that_has_not_ended_stays_open_in_any_order_of_arrival() -> None:
    for order in permutations([firing(0, 20), resolved(0, 5, 20), firing(10, 20)]):
        assert in_order(order).recovered_at is None, order


def test_a_comment_changes_nothing() -> None:
    track = Track(at(0))
    assert track.after(Moment(Event.COMMENT, None, None, at(1))) == (track, Effect.REPEATED)


def test_a_past_without_anything_lets_a_firing_open_and_a_resolve_not() -> None:
    assert Past().opens(firing(None, 0))
    assert not Past().opens(resolved(0, 1, 1))


def test_a_firing_after_the_close_opens_even_when_it_names_the_same_start() -> None:
    past = Past(closed_episode_at=at(0), closed_at=at(5))
    assert past.opens(firing(0, 6))
    assert not past.opens(firing(0, 4))
    assert past.opens(firing(2, 4))
