"""The guards that stand before a view: whom a permission lets in, and who must show anew who they are."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from accounts import secondfactors, stepup
from accounts.models import User
from accounts.permissions import REFUSALS, Permission

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
# A move's own address answers POST only; who was sent to sign in from it comes back to the incident.
_MOVE = re.compile(r"^(/incidents/\d+/)[a-z]+/$")


def requires(permission: Permission) -> Callable[[View[P]], View[P]]:
    """Decorate a view so that a person without the permission gets 403 with the reason in words."""

    def guard(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if not request.user.has_perm(permission):
                raise PermissionDenied(REFUSALS[permission])
            return view(request, *args, **kwargs)

        return guarded

    return guard


def after_stepup(view: View[P]) -> View[P]:
    """Decorate a view so that it opens only to who showed within 300 s who they are.

    Who has set up a second factor shows that one, or a recovery code; everybody else their password. A form
    that comes too late is not carried out: the person comes back to its page.
    """

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        proof = stepup.recent(request, timezone.now())
        if proof is None or (
            proof.method not in stepup.SECOND and secondfactors.of_person(person(request)).is_set_up
        ):
            if request.method not in ("GET", "HEAD"):
                messages.info(request, "Nothing is changed yet. Show who you are, then do it again.")
            return HttpResponseRedirect(stepup_address(page_of(request)))
        return view(request, *args, **kwargs)

    return guarded


def stepup_address(target: str, *, is_strong: bool = False) -> str:
    """Return the address at which a person shows again who they are and then comes back to `target`.

    With `is_strong` a password is not offered: what is decided there is of high risk.
    """
    query = {"next": target, **({"for": "strong"} if is_strong else {})}
    return f"{reverse('step-up')}?{urlencode(query)}"


def page_of(request: HttpRequest) -> str:
    """Return the page that a request comes from: some forms post to an address that has no page."""
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    before = urlsplit(request.headers.get("Referer", ""))
    return before.path if before.netloc == request.get_host() else request.path


def repeats(view: View[P]) -> View[P]:
    """Mark a view that only sets what its form says: the same form sent again sets it again."""
    view.repeats = True  # type: ignore[attr-defined]  # the middleware looks for it
    return view


def person(request: HttpRequest) -> User:
    """Return who is signed in. For views behind the sign-in only."""
    return cast("User", request.user)


def safe_target(request: HttpRequest, target: str) -> str:
    """Return where to go on to: the target where it is on this host, else the first page."""
    is_ours = url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    # A word alone would be read as a place beside whatever page sent it.
    if not is_ours or not target.startswith(("/", "http")):
        return settings.LOGIN_REDIRECT_URL
    return _MOVE.sub(r"\1", target)
