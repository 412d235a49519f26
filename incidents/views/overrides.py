"""What people decided against the verdict: kept apart, since rules and models are measured by it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from incidents import keyset, veiling
from incidents.models import Override
from incidents.queries import visible_incidents

_PAGE = 50


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show_all(request: HttpRequest) -> HttpResponse:
    """The overrides, newest first; `?rule=` takes those of one rule."""
    user, rule = person(request), request.GET.get("rule", "").replace("\0", "")[:120]
    rows = Override.objects.filter(incident__in=visible_incidents(user).values("pk"))
    rows = rows.exclude(incident__in=veiling.kept_from(user))
    rows = rows.filter(hypothesis=rule) if rule else rows
    page = keyset.page(
        rows.select_related("incident", "resolution__by"),
        (("pk", True),),
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
        size=_PAGE,
    )
    return render(request, "incidents/overrides.html", {"page": page, "rule": rule, "nav": "rules"})
