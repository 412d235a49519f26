"""What came in: every delivery with how much of it could be read, and its raw body."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from assay_core.numbers import MAX_ID
from incidents import keyset, queries
from incidents.adapters import formfields
from incidents.models import Delivery, Source
from incidents.states import Condition, DeliveryState
from toolbox import redaction

PAGE = 50
BODY_SHOWN = 64 * 1024
CUT_SEEN = 4 * 1024
# A text of JSON beside its name; one that breaks off at the end is one as well.
_NAMED = re.compile(
    r'"(?P<name>(?:[^"\\]|\\.){1,120})"(?P<between>\s*:\s*)"(?P<value>(?:[^"\\]|\\.)*)(?:"|\Z)', re.DOTALL
)
_ORDER: keyset.Order = (("received_at", True), ("pk", True))


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show_all(request: HttpRequest) -> HttpResponse:
    """The deliveries, newest first, by condition, state and source."""
    user = person(request)
    chosen = {
        "condition": _one_of(request.GET.get("condition", ""), list(Condition)),
        "state": _one_of(request.GET.get("state", ""), list(DeliveryState)),
        "source__slug": request.GET.get("source", "").replace("\0", "")[:60],
    }
    sources = list(queries.visible_sources(user))
    rows = _of(queries.visible_deliveries(user), chosen, sources)
    found = keyset.page(
        rows.select_related("source").defer("body"),
        _ORDER,
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
        size=PAGE,
    )
    context: dict[str, Any] = {
        "page": found,
        "chosen": chosen,
        "conditions": list(Condition),
        "states": list(DeliveryState),
        "sources": sources,
        "oversized": [source for source in sources if source.oversized_count],
        "is_filtered": any(chosen.values()),
        "nav": "deliveries",
    }
    template = "_deliveries" if getattr(request, "htmx", False) else "deliveries"
    return render(request, f"incidents/{template}.html", context)


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def show(request: HttpRequest, number: int) -> HttpResponse:
    """One delivery with its headers, its notes, its raw body and the signals that it held."""
    delivery = _found(request, number)
    body = bytes(delivery.body)
    context = {
        "delivery": delivery,
        "size": len(body),
        "body": _readable(body),
        "left_off": max(0, len(body) - BODY_SHOWN),
        "signals": delivery.signals.select_related("incident").order_by("position")[:200],
        "is_live": delivery.state == DeliveryState.RECEIVED,
        "nav": "deliveries",
    }
    template = "_delivery" if getattr(request, "htmx", False) else "delivery"
    return render(request, f"incidents/{template}.html", context)


def _readable(body: bytes) -> str:
    """Return the beginning of a raw body as people may read it: secrets masked, under its escapes too."""
    # What is cut lies beyond what is shown, so that a secret across that place is still seen as one.
    words = body[: BODY_SHOWN + CUT_SEEN].decode(json.detect_encoding(body), "backslashreplace")
    shown = redaction.text(redaction.cut(words, BODY_SHOWN), is_form=formfields.is_form(body))
    return _NAMED.sub(_without_secret, shown)


def _without_secret(pair: re.Match[str]) -> str:
    """Return a name and its value as a body of JSON has them, masked where the name is one of a secret."""
    masked = redaction.under_name(pair["name"], pair["value"])
    return pair[0] if masked == pair["value"] else f'"{pair["name"]}"{pair["between"]}"{masked}"'


def _found(request: HttpRequest, number: int) -> Delivery:
    rows = queries.visible_deliveries(person(request)).select_related("source")
    delivery = rows.filter(pk=number).first() if number <= MAX_ID else None
    if delivery is None:
        raise Http404(f"There is no delivery {number}, or it belongs to another team.")
    return delivery


def _of(rows: QuerySet[Delivery], chosen: Mapping[str, str], sources: Sequence[Source]) -> QuerySet[Delivery]:
    """Narrow the rows; the source goes by its number, as an index has it."""
    rows = rows.filter(**{name: chosen[name] for name in ("condition", "state") if chosen[name]})
    slug = chosen["source__slug"]
    return rows.filter(source=next((s.pk for s in sources if s.slug == slug), 0)) if slug else rows


def _one_of(word: str, accepted: list[Any]) -> str:
    return word if word in accepted else ""
