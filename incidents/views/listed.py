"""The list that somebody works through, as the addresses of its incidents carry it."""

from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from django.http import HttpRequest
from django.urls import reverse

from incidents.queue_wants import Wanted, wanted

IN = "in"
_LONGEST = 1_000


def listed(request: HttpRequest) -> Wanted | None:
    """Return the list that this page was opened from, None where it was opened by itself.

    It stands in the page's own address; a form that htmx sends tells that address in a header.
    """
    told = request.POST.get(IN) or request.GET.get(IN)
    if not told and getattr(request, "htmx", False):
        here = urlsplit(request.headers.get("HX-Current-URL", "")[:_LONGEST])
        told = next(iter(parse_qs(here.query).get(IN, ())), "")
    return wanted(dict(parse_qsl(told[:_LONGEST]))) if told else None


def address_in(want: Wanted | None, number: int) -> str:
    """Return an incident's address as one of a list."""
    told = f"?{urlencode({IN: want.named()})}" if want else ""
    return f"{reverse('incident', args=[number])}{told}"
