"""The door for senders: POST /hooks/<slug>/."""

from django.http import HttpRequest, HttpResponse


def receive(request: HttpRequest, slug: str) -> HttpResponse:
    """Store a delivery and answer 202 with its id."""
    raise NotImplementedError
