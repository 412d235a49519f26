"""A call that waits until a person allows it: opened by the gateway, answered on a page, or expired.

The call waits by looking at its row again and again, with no transaction open and no connection held, so
that the answer reaches it in whatever process it waits. Whoever answers or expires the row first has won.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import User
from accounts.permissions import Permission
from audit import writing
from toolbox.models import Answer, Ask
from toolbox.toolrules import actor_of

# A call that waits holds a thread of its process: more of them would keep others from being served.
MOST_OPEN = 2
_EVERY_SECONDS = 0.25


class AskRefused(ValueError):
    """An ask cannot be answered; the message says why."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person is asked to allow. `shown` are the arguments as a page may show them."""

    rule: int
    tool: str
    caller: str
    shown: Mapping[str, Any]
    arguments_digest: str
    incident: int | None
    investigation: int | None


def permission(asked: Asked) -> str:
    """Wait until a person answers; return why the call may not go on, or nothing when it was allowed."""
    if open_asks().filter(caller=asked.caller).count() >= MOST_OPEN:
        return f"{MOST_OPEN} calls of {asked.caller} wait for a person already; repeat this one later"
    ask = _opened(asked)
    until = time.monotonic() + settings.TOOL_ASK_SECONDS
    while not ask.answer:
        left = until - time.monotonic()
        if left <= 0 and _settle(ask, Answer.EXPIRED, by="gateway", words=""):
            return (
                f"nobody allowed it within {settings.TOOL_ASK_SECONDS} s (ask {ask.pk}, demanded by tool "
                f"rule {ask.rule}); repeat the call when somebody is there to allow it"
            )
        _let_go_of_the_connection()
        time.sleep(max(0.0, min(_EVERY_SECONDS, left)))
        ask.refresh_from_db()
    if ask.answer == Answer.ALLOWED:
        return ""
    words = f": {ask.words}" if ask.words else ""
    return f"{ask.answered_by} refused it (ask {ask.pk}){words}"


def open_asks() -> QuerySet[Ask]:
    """Return the asks that wait for a person now."""
    return Ask.objects.filter(answer="", expires_at__gt=Now())


def answer(number: int, *, by: User, allow: bool, words: str = "") -> Ask:
    """Allow or refuse one call in the name of a person. Raises AskRefused, also to who asked it."""
    if not (by.is_active and by.has_perm(Permission.TRIAGE_INCIDENTS)):
        raise AskRefused("Your role does not allow calls.")
    ask = Ask.objects.filter(pk=number).first()
    if ask is None:
        raise AskRefused(f"There is no ask {number}.")
    if ask.caller == actor_of(by):
        raise AskRefused("You asked this yourself: somebody else has to allow it.")
    chosen = Answer.ALLOWED if allow else Answer.REFUSED
    if not _settle(ask, chosen, by=actor_of(by), words=words.strip()[:300]):
        ask.refresh_from_db()
        raise AskRefused(f"It is too late: the call is {ask.answer or Answer.EXPIRED} already.")
    ask.refresh_from_db()
    return ask


def _opened(asked: Asked) -> Ask:
    now = timezone.now()
    with transaction.atomic():
        ask = Ask.objects.create(
            rule=asked.rule,
            tool=asked.tool,
            caller=asked.caller,
            shown=dict(asked.shown),
            arguments_digest=asked.arguments_digest,
            incident=asked.incident,
            investigation=asked.investigation,
            opened_at=now,
            expires_at=now + timedelta(seconds=settings.TOOL_ASK_SECONDS),
        )
        _note("ask.opened", ask, asked.caller)
    return ask


def _settle(ask: Ask, chosen: Answer, *, by: str, words: str) -> bool:
    """Answer or expire the row, if nobody has; say whether it was us. People can't answer expired ones."""
    rows = Ask.objects.filter(pk=ask.pk, answer="")
    if chosen is not Answer.EXPIRED:
        rows = rows.filter(expires_at__gt=Now())
    with transaction.atomic():
        won = rows.update(answer=chosen, answered_by=by, answered_at=timezone.now(), words=words)
        if won:
            _note(
                "ask.answered" if chosen is not Answer.EXPIRED else "ask.expired",
                ask,
                by,
                answer=chosen.value,
            )
    return bool(won)


def _let_go_of_the_connection() -> None:
    """A call may wait for a minute: its place in the pool is for others meanwhile."""
    if not connection.in_atomic_block:
        connection.close()


def _note(kind: str, ask: Ask, actor: str, **more: str) -> None:
    writing.write(
        kind,
        {
            "ask": ask.pk,
            "toolrule": ask.rule,
            "tool": ask.tool,
            "caller": ask.caller,
            "arguments_digest": ask.arguments_digest,
            **more,
        },
        actor=actor,
        incident=ask.incident,
        investigation=ask.investigation,
    )
