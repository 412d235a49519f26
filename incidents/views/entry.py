"""One entry of the audit log: what was asked, with which arguments, what came back. Secrets are masked."""

import json
import secrets
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from assay_core.numbers import MAX_ID
from audit import reading, standing
from audit.reading import StoredEntry
from incidents import entries, queries, rechecking
from incidents.tables import Table, table_of

VIEWS = ("table", "tree", "raw")


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest, number: int) -> HttpResponse:
    """The page of one entry; 404 where its incident is another team's."""
    entry = reading.entry(number) if number <= MAX_ID else None
    if entry is None or not queries.can_see(person(request), entry.incident):
        raise Http404(f"There is no entry {number}, or it belongs to another team.")
    if entries.is_kept_back(person(request), entry):
        raise Http404(f"Entry {number} is kept back until you have answered your audit of its incident.")
    copied = entries.copy_of(entry)
    payload = copied.value
    result = payload.get("result")
    tables = table_of(result)
    chosen = request.GET.get("as", "")
    view = chosen if chosen in VIEWS else ("table" if tables else "tree")
    context: dict[str, Any] = {
        "entry": entry,
        "call": payload if entry.kind == "tool.called" else None,
        "payload": payload,
        "redacted": copied,
        "seconds": entries.seconds_taken(payload),
        "tables": tables,
        "view": view,
        "views": VIEWS,
        "raw": json.dumps(result, indent=2, ensure_ascii=False, sort_keys=True),
        "incident": queries.incident(person(request), entry.incident) if entry.incident else None,
        **_checks(request, entry),
        "sealing": standing.sealing_of(entry.id),
        "nav": "entries",
    }
    template = "incidents/_entry.html" if getattr(request, "htmx", False) else "incidents/entry.html"
    return render(request, template, context)


def _checks(request: HttpRequest, entry: StoredEntry) -> dict[str, Any]:
    """What people asked again of this entry, and what it says beside another where it is such an answer."""
    checks, own = rechecking.around(entry.id)
    return {
        "checks": checks,
        "comparison": rechecking.comparison(own, entry) if own else None,
        "can_check": person(request).has_perm(Permission.TRIAGE_INCIDENTS),
        "once": secrets.token_hex(16),
    }


__all__ = ["Table", "show"]
