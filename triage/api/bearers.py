"""Who calls the API: a bearer token and nothing else, since a session cookie could be ridden by any page."""

from datetime import UTC, datetime

from django.conf import settings
from django.http import HttpRequest

from accounts import tokens
from accounts.tokens import Caller, Scope, TokenRefused
from toolbox import limits
from toolbox.limits import Limit
from toolbox.mcp.refusals import Refusals
from triage.api.problems import Problem

HOWTO = "docs/howto/bring-your-own-agent.md"
VIA = "api v1"
_refusals = Refusals()


def caller_of(request: HttpRequest) -> Caller:
    """Return who is behind the request's token. Raises Problem."""
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


def look_at_scope(caller: Caller, needed: Scope) -> None:
    """Raise Problem where the token, or its owner's role, lacks the scope."""
    if needed not in caller.scopes:
        raise Problem(
            403,
            "scope",
            f"This needs a token with the scope {needed}, whose owner's role allows it.",
            headers={
                "WWW-Authenticate": f'Bearer realm="assay", error="insufficient_scope", scope="{needed}"'
            },
        )


def look_at_limit(caller: Caller) -> None:
    """Each refused submission is an entry: a program that has run wild is stopped before it writes many."""
    words = "The requests of this token are used up"
    limit = Limit(f"api:{caller.name}", settings.CALLER_CALLS_A_MINUTE, 60.0, words)
    taken = limits.take([limit])
    if taken.refusal:
        raise Problem(429, "limit", f"{taken.refusal}.", headers={"Retry-After": "10"})


def note(problem: Problem, caller: Caller | None) -> None:
    """Count a refusal; write its entry where the token is one of ours."""
    cause = problem.__cause__
    name = caller.name if caller else (cause.name if isinstance(cause, TokenRefused) else "")
    _refusals.note(problem.status, f"api-{problem.reason}", token=name, said=problem.detail, via=VIA)
