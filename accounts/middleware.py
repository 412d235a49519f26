"""What a request of a signed-in person leaves: that their session was seen, once in five minutes at most."""

import time
from collections.abc import Callable
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

_SEEN = "seen_at"
_EVERY_SECONDS = 300


def begin(request: HttpRequest, **_: Any) -> None:
    """Receive that somebody signed in: the session was listed just now, and is saved in any case."""
    request.session[_SEEN] = time.time()


def note_session(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that moves the time at which a listed session was last seen."""

    def middleware(request: HttpRequest) -> HttpResponse:
        session = request.session
        now = time.time()
        if SESSION_KEY in session and now - session.get(_SEEN, 0) >= _EVERY_SECONDS:
            session[_SEEN] = now
            UserSession.objects.filter(session_key=session.session_key).update(last_seen_at=timezone.now())
        return get_response(request)

    return middleware
