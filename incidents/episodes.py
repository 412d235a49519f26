"""When an alert fires, recovers and fires again: told by the sender's times, not by the order of arrival."""

from dataclasses import dataclass, replace
from datetime import datetime

from incidents.states import Effect, Event


@dataclass(frozen=True, slots=True)
class Moment:
    """The times of one signal."""

    event: Event
    starts_at: datetime | None
    ends_at: datetime | None
    received_at: datetime

    @property
    def is_resolve(self) -> bool:
        """Tell whether the sender says that it is over."""
        return self.event is Event.RESOLVED

    @property
    def episode_at(self) -> datetime:
        """Return the start that orders this signal.

        A start that lies after the receipt counts as the receipt: a clock that was ahead must not
        make every later firing look old.
        """
        named = self.starts_at or (self.ends_at if self.is_resolve else None)
        return min(named or self.received_at, self.received_at)

    @property
    def recovered_at(self) -> datetime:
        """Return the end that the sender names, else (or where it lies ahead) the receipt."""
        return min(self.ends_at or self.received_at, self.received_at)


@dataclass(frozen=True, slots=True)
class Track:
    """Where one incident's alert stands."""

    episode_at: datetime
    resolved_episode_at: datetime | None = None
    recovered_at: datetime | None = None

    def after(self, moment: Moment) -> tuple["Track", Effect]:
        """Return the track after one more signal, and what that signal did."""
        if moment.is_resolve:
            return self._after_resolve(moment)
        if moment.event is Event.COMMENT:
            return self, Effect.REPEATED
        if is_late(moment, self.resolved_episode_at):
            return self, Effect.STALE
        episode_at = max(self.episode_at, moment.episode_at)
        if self.recovered_at is not None:
            return replace(self, episode_at=episode_at, recovered_at=None), Effect.REFIRED
        return replace(self, episode_at=episode_at), Effect.REPEATED

    def _after_resolve(self, moment: Moment) -> tuple["Track", Effect]:
        resolved = max(self.resolved_episode_at or moment.episode_at, moment.episode_at)
        track = replace(self, resolved_episode_at=resolved)
        # One of two senders may name an earlier start for the same firing: the end decides then.
        if max(moment.episode_at, moment.recovered_at) < self.episode_at:
            return track, Effect.STALE
        if self.recovered_at is not None:
            return track, Effect.REPEATED
        return replace(track, recovered_at=moment.recovered_at), Effect.RECOVERED


def is_late(moment: Moment, resolved_episode_at: datetime | None) -> bool:
    """Tell whether a firing belongs to an episode of which a resolve is already recorded."""
    return resolved_episode_at is not None and moment.episode_at <= resolved_episode_at


@dataclass(frozen=True, slots=True)
class Past:
    """What is known of a key that has no open incident."""

    resolved_episode_at: datetime | None = None
    closed_episode_at: datetime | None = None
    closed_at: datetime | None = None
    lone_resolve: Moment | None = None

    def opens(self, moment: Moment) -> bool:
        """Tell whether this signal opens an incident."""
        if moment.event is not Event.FIRING or self.is_of_closed(moment):
            return False
        return not is_late(moment, self.resolved_episode_at) or self.was_overtaken(moment)

    def was_overtaken(self, moment: Moment) -> bool:
        """Tell whether a firing came in before the resolve that was folded first, for no incident.

        It was not late: workers fold side by side. It opens its incident, which has then recovered.
        """
        lone = self.lone_resolve
        return lone is not None and is_late(moment, lone.episode_at) and moment.received_at < lone.received_at

    def is_of_closed(self, moment: Moment) -> bool:
        """Tell whether a firing came in before the close and reports nothing newer: the person has had it."""
        if self.closed_at is None or self.closed_episode_at is None:
            return False
        return moment.received_at <= self.closed_at and moment.episode_at <= self.closed_episode_at

    def after_resolve(self, moment: Moment) -> "Past":
        """Return the past with one more recorded resolve."""
        resolved = max(self.resolved_episode_at or moment.episode_at, moment.episode_at)
        return replace(self, resolved_episode_at=resolved)
