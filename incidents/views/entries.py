"""The audit log as a list: entries by tool, kind, status, actor, incident and time."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from assay_core.results import Status
from incidents import entries


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show_all(request: HttpRequest) -> HttpResponse:
    """The entries that match, newest first. The whole search stands in the address."""
    want = entries.wanted(request.GET)
    page = entries.found(
        person(request), want, after=request.GET.get("after", ""), before=request.GET.get("before", "")
    )
    context: dict[str, Any] = {
        "want": want,
        "page": page,
        "lines": entries.lines(page.rows),
        "tools": entries.tool_names(),
        "kinds": entries.kinds(),
        "statuses": list(Status),
        "sees_all": person(request).has_perm(Permission.SEE_EVERY_TEAM),
        "nav": "entries",
    }
    template = "_entries" if getattr(request, "htmx", False) else "entries"
    return render(request, f"toolbox/{template}.html", context)
