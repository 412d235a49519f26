"""Browsers in which a person has signed in before: a stranger's failed tries do not hold them up there."""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from accounts.models import User

COOKIE = "known_browser"
_SALT = "accounts.browsers"
_LASTS_SECONDS = 180 * 24 * 3600


def remember(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Give the browser a signed mark that this person signed in here. A new password voids it."""
    mark = known(request, user.username) or secrets.token_urlsafe(12)
    response.set_cookie(
        COOKIE,
        signing.dumps({"mark": mark, "for": _bound_to(user)}, salt=_SALT),
        max_age=_LASTS_SECONDS,
        secure=bool(settings.SESSION_COOKIE_SECURE),
        httponly=True,
        samesite="Lax",
    )


def known(request: HttpRequest, name: str) -> str:
    """Return the browser's mark where this name has signed in with it before, else an empty text."""
    raw = request.COOKIES.get(COOKIE)
    if not raw:
        return ""
    try:
        held = signing.loads(raw, salt=_SALT, max_age=_LASTS_SECONDS)
    except signing.BadSignature:
        return ""
    user = User.objects.filter(username=name).first()
    return str(held["mark"]) if user is not None and held["for"] == _bound_to(user) else ""


def _bound_to(user: User) -> str:
    return salted_hmac(_SALT, f"{user.pk}:{user.password}", algorithm="sha256").hexdigest()
