"""The doors before every change of approvals: people alone, with the permission, and who show who they are.

Whoever is turned away here is on record, as is everybody whom the move itself refuses.
"""

import re
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from accounts import stepup, tokens
from accounts.access import person, stepup_address
from accounts.permissions import REFUSALS, Permission
from audit import writing
from toolbox.mcp.refusals import Refusals

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
FOR_PEOPLE = (
    "This address is for a person who is signed in. "
    "No token can decide a write, or change what stands in its way."
)
_BELOW_A_PAGE = re.compile(r"^(/approvals/(?:\d+|[a-z]+)/).+$")
_refusals = Refusals()


def people_only(permission: Permission) -> Callable[[View[P]], View[P]]:
    """Decorate a view so that it opens to signed-in people with a permission alone.

    A token gets 401, whatever session comes with it; it and a person without the permission are recorded.
    """

    def guard(view: View[P]) -> View[P]:
        @wraps(view)
        def permitted(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if not request.user.has_perm(permission):
                note_refusal(request, REFUSALS[permission])
                raise PermissionDenied(REFUSALS[permission])
            return view(request, *args, **kwargs)

        inside = csrf_protect(permitted)

        def door(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if "Authorization" in request.headers:
                return _turned_away(request)
            if not request.user.is_authenticated:
                return redirect_to_login(page_of(request))
            return inside(request, *args, **kwargs)

        # Exempt out here alone: a token has no cookie to be ridden, and would not be on record otherwise.
        guarded: View[P] = csrf_exempt(login_not_required(never_cache(wraps(view)(door))))
        return guarded

    return guard


def proved(view: View[P]) -> View[P]:
    """Decorate a view so that it opens only to who showed within 300 s who they are; others are recorded."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if stepup.recent(request, timezone.now()) is None:
            return without_proof(request)
        return view(request, *args, **kwargs)

    return guarded


def without_proof(request: HttpRequest) -> HttpResponse:
    """Record that somebody tried without showing who they are, and send them to show it."""
    note_refusal(request, "their last proof of who they are is older than 300 seconds, or there is none")
    messages.info(request, "Nothing is changed yet. Show who you are, then do it again.")
    return HttpResponseRedirect(stepup_address(page_of(request)))


def note_refusal(request: HttpRequest, reason: str) -> None:
    """Record that a signed-in person was turned away from an address, and why."""
    payload = {"what": f"{request.method} {request.path[:200]}", "request": None, "reason": reason}
    writing.write("write.move_refused", payload, actor=person(request).actor)


def page_of(request: HttpRequest) -> str:
    """Return the page that a change is made on: its own address takes POST alone."""
    return _BELOW_A_PAGE.sub(r"\1", request.path)


@csrf_exempt
@login_not_required
def no_token(request: HttpRequest, rest: str = "") -> HttpResponse:
    """Answer where an agent would look for decisions in the API: none is there, and it is on record."""
    return _turned_away(request)


def _turned_away(request: HttpRequest) -> HttpResponse:
    _, _, secret = request.headers.get("Authorization", "").strip().partition(" ")
    name = tokens.name_of(secret.strip())
    via = f"{request.method} {request.path[:200]}"
    _refusals.note(401, "people-only", token=name, said=FOR_PEOPLE, via=via)
    problem = {
        "type": "about:blank",
        "title": "Unauthorized",
        "status": 401,
        "detail": FOR_PEOPLE,
        "instance": request.path,
        "reason": "people-only",
    }
    challenge = {"WWW-Authenticate": 'Bearer realm="assay", error="insufficient_scope"'}
    return JsonResponse(problem, status=401, content_type="application/problem+json", headers=challenge)
