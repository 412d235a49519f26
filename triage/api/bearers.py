"""Who calls the API: a bearer token and nothing else, since a session cookie could be ridden by any page."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from accounts import tokens
from accounts.tokens import Caller, Scope, TokenRefused
from toolbox import limits
from toolbox.limits import Limit
from toolbox.mcp.refusals import Refusals
from triage.api.problems import Problem

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, Caller, P], HttpResponse]
HOWTO = "docs/howto/bring-your-own-agent.md"
VIA = "api v1"
_refusals = Refusals()
_log = logging.getLogger(__name__)


def answers(**methods: tuple[Scope, View[P]]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Return a view that answers each method to tokens with its scope; whatever else is a problem+json.

    Refused requests are counted, and those of a token that is known are entries, as at the MCP server's door.
    """
    allowed = ", ".join(sorted(methods))

    def view(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        caller: Caller | None = None
        try:
            if request.method not in methods:
                detail = f"This address takes {allowed}."
                raise Problem(405, "method", detail, headers={"Allow": allowed})
            caller = _caller(request)
            needed, inside = methods[request.method]
            _look_at_scope(caller, needed)
            _look_at_limit(caller)
            return inside(request, caller, *args, **kwargs)
        except Problem as problem:
            _note(problem, caller)
            return problem.answer(request.path)
        except DatabaseError:
            _log.exception("a request to the API could not be answered")
            detail = "The database does not answer. Send it again."
            return Problem(503, "database", detail, headers={"Retry-After": "5"}).answer(request.path)

    return csrf_exempt(login_not_required(never_cache(wraps(next(iter(methods.values()))[1])(view))))


def _caller(request: HttpRequest) -> Caller:
    scheme, _, secret = request.headers.get("Authorization", "").strip().partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise _unauthorised("no token was sent", "")
    try:
        return tokens.verify(secret.strip(), audience=settings.BASE_URL, now=datetime.now(UTC))
    except TokenRefused as refused:
        raise _unauthorised(refused.reason, "invalid_token") from refused


def _unauthorised(reason: str, error: str) -> Problem:
    detail = f"{reason[:1].upper()}{reason[1:]}. How to get a token: {HOWTO}"
    challenge = 'Bearer realm="assay"' + (f', error="{error}"' if error else "")
    return Problem(401, "token" if error else "no-token", detail, headers={"WWW-Authenticate": challenge})


def _look_at_scope(caller: Caller, needed: Scope) -> None:
    if needed not in caller.scopes:
        raise Problem(
            403,
            "scope",
            f"This needs a token with the scope {needed}, whose owner's role allows it.",
            headers={
                "WWW-Authenticate": f'Bearer realm="assay", error="insufficient_scope", scope="{needed}"'
            },
        )


def _look_at_limit(caller: Caller) -> None:
    """Each refused submission is an entry: a program that has run wild is stopped before it writes many."""
    words = "The requests of this token are used up"
    limit = Limit(f"api:{caller.name}", settings.CALLER_CALLS_A_MINUTE, 60.0, words)
    taken = limits.take([limit])
    if taken.refusal:
        raise Problem(429, "limit", f"{taken.refusal}.", headers={"Retry-After": "10"})


def _note(problem: Problem, caller: Caller | None) -> None:
    """Count a refusal; write its entry where the token is one of ours."""
    cause = problem.__cause__
    name = caller.name if caller else (cause.name if isinstance(cause, TokenRefused) else "")
    _refusals.note(problem.status, f"api-{problem.reason}", token=name, said=problem.detail, via=VIA)
