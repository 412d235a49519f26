"""A form that is sent twice is carried out once: after two clicks, the back button, a line that broke.

Each page's forms carry a token that was masked for that page alone. So the same person, address and fields,
token and all, are one form sent again, and never somebody who wants a thing twice.
"""

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import connection
from django.http import HttpRequest

from accounts.models import SentForm, User

TOKEN = "csrfmiddlewaretoken"  # noqa: S105 the name of Django's field
_KEPT = timedelta(days=1)
_ABANDONED = timedelta(minutes=2)  # whoever carried it out is gone: no request takes that long
_WAITS, _EVERY = 60, 0.1
# A second click and a third wait for the first one's answer. Whoever holds a key down takes no more threads.
MOST_WAITING = 2
_waiting: Counter[int] = Counter()
_lock = threading.Lock()
_TAKE = """
INSERT INTO accounts_sentform (digest, sent_at, is_done, led_to) VALUES (%s, %s, false, '')
ON CONFLICT (digest) DO UPDATE SET sent_at = excluded.sent_at
WHERE NOT accounts_sentform.is_done AND accounts_sentform.sent_at < %s
"""


class StillCarriedOut(Exception):
    """The first of two is not through yet, and nobody waits for it any longer."""


def digest_of(request: HttpRequest, user: User) -> str:
    """Return what a sent form is known by; empty for what comes from no page of ours."""
    if not request.POST.get(TOKEN):
        return ""
    said = f"{user.pk} {request.path} {request.POST.urlencode()}"
    return hashlib.sha256(said.encode(errors="surrogatepass")).hexdigest()


def take(digest: str, *, now: datetime) -> bool:
    """Say whether this request is the one that carries the form out. One statement, committed at once."""
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, [digest, now, now - _ABANDONED])
        return bool(cursor.rowcount)


def outcome(digest: str, user: User) -> SentForm | None:
    """Wait for the request that carries the form out; None where it was refused: it may be sent again.

    Raises StillCarriedOut after six seconds, or at once where this person has others waiting in this process.
    There is nothing to wait on in the database: a view has no transaction of its own, and a tool may be asked
    in the middle of it. So the connection is given back for each pause: the one waited for may need it.
    """
    row = _found(digest)
    if row is None or row.is_done:
        return row
    with _waits(user):
        for _ in range(_WAITS):
            if not connection.in_atomic_block:  # a test is in one
                connection.close()
            time.sleep(_EVERY)
            row = _found(digest)
            if row is None or row.is_done:
                return row
    raise StillCarriedOut


def _found(digest: str) -> SentForm | None:
    return SentForm.objects.filter(pk=digest).first()


@contextmanager
def _waits(user: User) -> Iterator[None]:
    with _lock:
        if _waiting[user.pk] >= MOST_WAITING:
            raise StillCarriedOut
        _waiting[user.pk] += 1
    try:
        yield
    finally:
        with _lock:
            _waiting[user.pk] -= 1
            if not _waiting[user.pk]:
                del _waiting[user.pk]


def note_done(digest: str, led_to: str) -> None:
    """Note that the form is carried out, and where its answer led."""
    SentForm.objects.filter(pk=digest).update(is_done=True, led_to=led_to[:600])


def note_refused(digest: str) -> None:
    """Let the form be sent again: nothing came of it."""
    SentForm.objects.filter(pk=digest).delete()


def forget(now: datetime) -> None:
    """Delete what was sent more than a day ago."""
    SentForm.objects.filter(sent_at__lt=now - _KEPT).delete()
