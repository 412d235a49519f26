"""An incident's record as a file, and what stands around it."""

import json
from collections.abc import Callable, Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from incidents import hypotheses, identifiers, queries, record, sheets, similar
from incidents.models import Incident
from incidents.views.incident import unveiled
from investigations import queries as investigations


def _as_json(incident: Incident, _: str) -> str:
    return json.dumps(record.record(incident), indent=2, ensure_ascii=False) + "\n"


def _as_markdown(incident: Incident, _: str) -> str:
    return record.markdown(record.record(incident))


def _as_csv(incident: Incident, only: str) -> str:
    lines = queries.timeline(incident.pk)
    wanted = [line for line in lines if only in ("", "all", line.by)]
    return sheets.csv_text(record.COLUMNS, record.rows(wanted))


_FORMS: Mapping[str, tuple[str, Callable[[Incident, str], str]]] = {
    "json": ("application/json", _as_json),
    "md": ("text/markdown; charset=utf-8", _as_markdown),
    "csv": ("text/csv; charset=utf-8", _as_csv),
}


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def download(request: HttpRequest, number: int, form: str) -> HttpResponse:
    """The whole record as JSON or Markdown, or its timeline as CSV (`?only=person` takes people's acts)."""
    incident = unveiled(request, number)
    if form not in _FORMS:
        raise Http404(f"A record is one of {', '.join(_FORMS)}.")
    kind, made = _FORMS[form]
    answer = HttpResponse(made(incident, request.GET.get("only", "")), content_type=kind)
    answer.headers["Content-Disposition"] = f'attachment; filename="incident-{incident.pk}.{form}"'
    return answer


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def around(request: HttpRequest, number: int) -> HttpResponse:
    """Similar past incidents, related open ones, and the hypotheses that were discarded."""
    incident = unveiled(request, number)
    counting = {line.name: line.value for line in identifiers.lines(incident) if line.counts}
    context = {
        "incident": incident,
        "around": similar.around(person(request), incident, counting),
        "discarded": hypotheses.discarded(investigations.latest_verdict(incident.pk)),
        "nav": "queue",
    }
    template = "_around" if getattr(request, "htmx", False) else "around"
    return render(request, f"incidents/{template}.html", context)
