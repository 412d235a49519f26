"""The guard that stands before a view: it lets in whom a permission lets in."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from accounts.models import User
from accounts.permissions import REFUSALS, Permission

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


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


def person(request: HttpRequest) -> User:
    """Return who is signed in. For views behind the sign-in only."""
    return cast("User", request.user)
