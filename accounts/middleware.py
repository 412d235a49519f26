"""What stands around each request of a signed-in person: its session is seen, a form is done once."""

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django_htmx.http import HttpResponseClientRefresh

from accounts import sentforms
from accounts.access import page_of, person

_SEEN = "seen_at"
_EVERY_SECONDS = 300
_ONCE = "That form was sent twice. It was carried out once, and you see what came of it."
_UNSEEN = "That form was sent twice and carried out once. What the first answer showed is not shown again."
_STILL = "That form was sent a moment ago and is being carried out. Load the page again in a moment."


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


class SentOnce:
    """Middleware that carries each form of each page out once; the second of two is led where the first was.

    A form that was refused, or that has to wait for a step-up, may be sent again.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, then note what became of the form that was taken on the way to its view."""
        response = self._get_response(request)
        digest = getattr(request, "sent_form", "")
        if digest and _is_carried_out(response):
            sentforms.note_done(digest, response.headers.get("Location", ""))
        elif digest:
            sentforms.note_refused(digest)
        return response

    def process_view(self, request: HttpRequest, view: Any, *_: Any) -> HttpResponse | None:
        """Take the form, or answer for it where somebody has. Its token and its sender are checked by now."""
        if request.method != "POST" or not request.user.is_authenticated or hasattr(view, "repeats"):
            return None
        digest = sentforms.digest_of(request, person(request))
        try:
            while digest and not sentforms.take(digest, now=timezone.now()):
                done = sentforms.outcome(digest, person(request))
                if done is not None:
                    return _led(request, done.led_to)
        except sentforms.StillCarriedOut:
            return _led(request, page_of(request), _STILL)
        request.sent_form = digest  # type: ignore[attr-defined]  # for the answer
        return None


def _is_carried_out(response: HttpResponse) -> bool:
    place = response.headers.get("Location", "")
    waits = place.startswith(f"{reverse('step-up')}?")
    return response.status_code < HTTPStatus.BAD_REQUEST and not waits


def _led(request: HttpRequest, place: str, words: str = "") -> HttpResponse:
    messages.info(request, words or (_ONCE if place else _UNSEEN))
    if getattr(request, "htmx", False):
        return HttpResponseClientRefresh()
    return HttpResponseRedirect(place or page_of(request))
