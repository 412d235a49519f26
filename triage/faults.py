"""What a person sees when a request fails on our side: a page that says whether it is worth trying again."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views.defaults import server_error as unexplained


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 503 where the database is away or too slow, else 500. Asks the database nothing."""
    if not isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return unexplained(request)
    page = loader.get_template("503.html").render()
    return HttpResponse(page, status=503, headers={"Retry-After": "5"})
