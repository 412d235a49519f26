"""Sending what is due: each message is claimed by one worker, sent outside any transaction, and recorded.

A worker that dies in between leaves its claim to run out: the message goes out again under the same key.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet

from notices import mailing, posting, standings, telling
from notices.ending import Ended
from notices.events import WAITING, Event, Kind, MessageState
from notices.models import Message, Notice, Route

# After each failed try; the last one ends it.
PAUSES = tuple(timedelta(seconds=s) for s in (5, 60, 300, 1_800, 7_200, 18_000))
_CLAIM = timedelta(seconds=90)
_AT_ONCE = 5  # mails a minute to one address; what comes beyond is gathered into one
_MINUTE = timedelta(minutes=1)
_GATHERED = 100
_ROUNDS = 200


def due(now: datetime, most: int = 200) -> list[int]:
    """Return the messages that are due and that nobody has claimed, the oldest first."""
    return list(_free(now).order_by("due_at", "pk").values_list("pk", flat=True)[:most])


def send(message_id: int, *, now: datetime) -> Message | None:
    """Send one message if it is due and free; return it as it stands then, or None. Safe to repeat."""
    claimed = _claimed([message_id], now)
    if not claimed:
        return None
    message = claimed[0]
    if _is_over(message, now):
        return message
    if message.route.kind == Kind.WEBHOOK:
        _record([message], posting.post(message, now), now)
        return message
    if _is_flooded(message, now):
        return message
    others = [other for other in _gathered(message, now) if not _is_over(other, now)]
    _record([message, *others], mailing.mail([message, *others]), now)
    return message


def _free(now: datetime) -> QuerySet[Message]:
    free = Q(claimed_until=None) | Q(claimed_until__lte=now)
    return Message.objects.filter(free, state=MessageState.WAITING, due_at__lte=now)


def _claimed(ids: Sequence[int], now: datetime) -> list[Message]:
    """Claim what is still free among these; what another worker took meanwhile is left out."""
    with transaction.atomic():
        rows = _free(now).filter(pk__in=ids).select_for_update(skip_locked=True, of=("self",))
        found = list(rows.select_related("notice", "route").order_by("pk"))
        Message.objects.filter(pk__in=[message.pk for message in found]).update(claimed_until=now + _CLAIM)
    return found


def _is_over(message: Message, now: datetime) -> bool:
    """Whether there is nothing to send (any more, or yet); the message then says why."""
    notice, route = message.notice, message.route
    why, until = "", None
    if route.ended_at is not None:
        why = "the route was ended"
    elif notice.event in WAITING:
        standing = standings.standing(notice.about, notice.about_id, now)
        why, until = standing.over, standing.until
    if why:
        _set([message], state=MessageState.DROPPED, said=why[:300], claimed_until=None)
    elif until is not None and until > now:
        _set([message], due_at=until, said="put off while it is snoozed", claimed_until=None)
    return bool(why) or (until is not None and until > now)


def _is_flooded(message: Message, now: datetime) -> bool:
    """Put a mail off when its address had several within the minute; they go together then."""
    lately = Message.objects.filter(
        address=message.address, state=MessageState.SENT, tried_at__gt=now - _MINUTE
    ).order_by("tried_at")
    times = sorted({at for at in lately.values_list("tried_at", flat=True)[:1_000] if at is not None})
    if len(times) < _AT_ONCE:
        return False
    due_at = times[-_AT_ONCE] + _MINUTE
    _set([message], due_at=due_at, claimed_until=None, said="gathered with what follows")
    return True


def _gathered(message: Message, now: datetime) -> list[Message]:
    """Claim what else is due to the same address by the same route."""
    rows = _free(now).filter(route=message.route_id, address=message.address).exclude(pk=message.pk)
    return _claimed(list(rows.order_by("pk").values_list("pk", flat=True)[:_GATHERED]), now)


def _record(messages: Sequence[Message], ended: Ended, now: datetime) -> None:
    with transaction.atomic():
        for message in messages:
            _set([message], tries=F("tries") + 1, said=ended.said[:300], tried_at=now, claimed_until=None)
            if ended.is_taken:
                _set([message], state=MessageState.SENT)
                _follow(message, now)
            elif ended.is_final or message.tries > len(PAUSES):
                _set([message], state=MessageState.FAILED)
                _follow(message, now)
            else:
                _set([message], due_at=now + PAUSES[message.tries - 1])
        if ended.is_gone:
            Route.objects.filter(pk=messages[0].route_id, ended_at=None).update(
                ended_at=now, ended_because=ended.said[:300]
            )


def _follow(message: Message, now: datetime) -> None:
    """What still waits is told again after the route's pause, whether or not this try arrived."""
    repeats = message.route.repeat_minutes > 0 and message.round < _ROUNDS
    if repeats and Event(message.notice.event) in WAITING and _is_open(message.notice):
        telling.again(message, now)


def _is_open(notice: Notice) -> bool:
    return Notice.objects.filter(pk=notice.pk, ended_at=None).exists()


def _set(messages: Sequence[Message], **values: object) -> None:
    Message.objects.filter(pk__in=[message.pk for message in messages]).update(**values)
    for message in messages:
        message.refresh_from_db(fields=list(values))
