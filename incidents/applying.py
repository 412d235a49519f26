"""What one piece of a delivery changes: signals, incidents, and the investigations that follow."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from audit import writing
from incidents import doubts, identifiers, rubrics, sending, transferring
from incidents.adapters.reading import SignalValue
from incidents.episodes import Moment, Past, Track
from incidents.matching import Keyed, Matched, match, moment_of
from incidents.models import Delivery, Incident, Signal
from incidents.states import Effect, Event
from incidents.storing import store
from incidents.subjects import origins_of, sent_subject, subject_of
from investigations import services as investigations
from verdicts.case import Subject

_TOLD = {
    Effect.OPENED: "incident.opened",
    Effect.RECOVERED: "incident.recovered",
    Effect.REFIRED: "incident.refired",
}


@dataclass(slots=True)
class _Applied:
    delivery: Delivery
    matched: Matched
    signals: list[Signal] = field(default_factory=list)
    pasts: dict[str, Past] = field(default_factory=dict)
    recovered_closed: dict[int, Incident] = field(default_factory=dict)
    told: list[tuple[Effect, Incident]] = field(default_factory=list)
    doubted: dict[int, tuple[Incident, str]] = field(default_factory=dict)


def apply(delivery: Delivery, values: Sequence[SignalValue], *, not_shown: int, now: datetime) -> None:
    """Fold these signals inside the caller's transaction, which holds the delivery's lock."""
    signals = tuple(
        Keyed(
            value.sender_key or f"delivery:{delivery.pk}:{value.position}",
            value,
            Moment(value.event, value.starts_at, value.ends_at, delivery.received_at),
        )
        for value in values
    )
    transferring.follow(delivery, values)
    matched = match(delivery.source, signals)
    applied = _Applied(delivery, matched, pasts=dict(matched.pasts))
    for signal in signals:
        incident, effect = _step(applied, signal)
        applied.signals.append(_row(delivery, signal, incident, effect))
    incidents = [matched.incidents[key] for key in sorted(matched.incidents)]
    for incident in incidents:
        incident.not_shown_count = not_shown
    store(incidents)
    for closed in applied.recovered_closed.values():
        closed.save(update_fields=["recovered_at", "resolved_episode_at"])
    Signal.objects.bulk_create(applied.signals, batch_size=250)
    _follow(applied, now)


def _step(applied: _Applied, signal: Keyed) -> tuple[Incident | None, Effect]:
    incident = applied.matched.incidents.get(signal.key)
    if incident is None or _is_before_opening(applied, incident, signal):
        return _step_without(applied, signal)
    incident.last_received_at = max(incident.last_received_at, signal.moment.received_at)
    incident.first_received_at = min(incident.first_received_at, signal.moment.received_at)
    incident.signal_count += 1
    if incident.signal_count == 1:
        applied.told.append((Effect.OPENED, incident))
        if applied.pasts[signal.key].was_overtaken(signal.moment):
            _take_in(applied, incident, applied.matched.lone[signal.key])
        return incident, Effect.OPENED
    track, effect = Track(incident.episode_at, incident.resolved_episode_at, incident.recovered_at).after(
        signal.moment
    )
    if effect is Effect.REFIRED or track.episode_at > incident.episode_at:
        applied.doubted[incident.pk] = incident, doubts.AGAIN
    elif _is_about_another(incident, signal.value):
        applied.doubted[incident.pk] = incident, doubts.ANOTHER
    elif _says_more(incident, signal.value):
        applied.doubted[incident.pk] = incident, doubts.MORE if incident.kind == "claim" else doubts.EDITED
    incident.episode_at = track.episode_at
    incident.resolved_episode_at = track.resolved_episode_at
    incident.recovered_at = track.recovered_at
    incident.sender_clock_note = incident.sender_clock_note or signal.value.clock_note[:200]
    if effect is Effect.REFIRED:
        incident.flap_count += 1
    if effect in _TOLD:
        applied.told.append((effect, incident))
    return incident, effect


def _is_about_another(incident: Incident, value: SignalValue) -> bool:
    """Tell whether a sender uses one key for two things: what answers one is silent on the other."""
    if value.event is not Event.FIRING:
        return False
    if incident.kind == "claim" and value.identifiers != incident.identifiers:
        return True
    return dict(value.labels) != dict(incident.labels)


def _says_more(incident: Incident, value: SignalValue) -> bool:
    """Tell whether somebody adds something to a claim or an issue: its facts may be beside the point."""
    if incident.kind == "issue":
        return value.action == "edited" and doubts.was_edited(incident, value.title, value.text)
    is_claim = incident.kind == "claim" and value.event is Event.FIRING
    return is_claim and doubts.says_more(incident, value.title, value.text)


def _take_in(applied: _Applied, incident: Incident, lone: Signal) -> None:
    """Give an incident the resolve that was folded before the firing that opened it."""
    moment = moment_of(lone)
    track, lone.effect = Track(incident.episode_at).after(moment)
    incident.resolved_episode_at = track.resolved_episode_at
    incident.recovered_at = track.recovered_at
    incident.signal_count += 1
    incident.last_received_at = max(incident.last_received_at, moment.received_at)
    lone.incident = incident
    lone.save(update_fields=["incident", "effect"])
    applied.told.append((Effect.RECOVERED, incident))


def _is_before_opening(applied: _Applied, incident: Incident, signal: Keyed) -> bool:
    """An incident of this piece, and the signal stands before the one that opens it."""
    return incident.signal_count == 0 and not applied.pasts[signal.key].opens(signal.moment)


def _step_without(applied: _Applied, signal: Keyed) -> tuple[Incident | None, Effect]:
    """A signal whose key has no open incident and that opens none."""
    past = applied.pasts[signal.key]
    closed = applied.matched.closed.get(signal.key)
    if signal.moment.is_resolve:
        applied.pasts[signal.key] = past.after_resolve(signal.moment)
        if closed is None or signal.moment.recovered_at < closed.episode_at:
            return closed, Effect.RESOLVED_ONLY if closed is None else Effect.STALE
        closed.resolved_episode_at = max(
            closed.resolved_episode_at or signal.moment.episode_at, signal.moment.episode_at
        )
        effect = Effect.REPEATED if closed.recovered_at else Effect.RECOVERED
        closed.recovered_at = closed.recovered_at or signal.moment.recovered_at
        applied.recovered_closed[closed.pk] = closed
        if effect is Effect.RECOVERED:
            applied.told.append((effect, closed))
        return closed, effect
    if past.is_of_closed(signal.moment):
        return closed, Effect.REPEATED
    return closed, Effect.STALE


def _row(delivery: Delivery, signal: Keyed, incident: Incident | None, effect: Effect) -> Signal:
    value = signal.value
    return Signal(
        delivery=delivery,
        incident=incident,
        position=value.position,
        event=value.event,
        sender_key=signal.key,
        title=value.title,
        severity=value.severity,
        labels=dict(value.labels),
        annotations=dict(value.annotations),
        identifiers=dict(value.identifiers),
        text=value.text,
        link=value.link,
        starts_at=value.starts_at,
        ends_at=value.ends_at,
        received_at=delivery.received_at,
        effect=effect,
    )


def _follow(applied: _Applied, now: datetime) -> None:
    """What follows from the effects: audit entries, and an investigation for each opened incident."""
    slug = applied.delivery.source.slug
    told = [
        writing.Draft(
            _TOLD[effect],
            {
                "delivery": applied.delivery.pk,
                "source": slug,
                "sender_key": incident.sender_key,
                "title": incident.title,
                "previous": incident.previous_id,
            },
            incident.pk,
        )
        for effect, incident in applied.told
    ]
    writing.write_many(told, actor=f"source:{slug}")
    opened = [incident for effect, incident in applied.told if effect is Effect.OPENED]
    subjects = {incident.pk: _subject(applied, incident, now) for incident in opened}
    for investigation in investigations.open_new(subjects, now=now):
        rubrics.give(investigation, applied.delivery.source)
        sending.investigate_after_commit(investigation.pk)
    for incident, reason in applied.doubted.values():
        doubts.overtake(incident, reason, actor=f"source:{slug}", now=now)


def _subject(applied: _Applied, incident: Incident, now: datetime) -> tuple[Subject, dict[str, str]]:
    """Return an opened incident's subject, with what the source's patterns find in its text."""
    found_in = applied.delivery.source.patterns
    if not found_in:
        return sent_subject(incident), {}
    said = [signal.text for signal in applied.signals if signal.incident is incident]
    identifiers.find(incident, found_in, [incident.title, *incident.annotations.values(), *said], now=now)
    return subject_of(incident), origins_of(incident)
