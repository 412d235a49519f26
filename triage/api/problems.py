"""What the API refuses: a status, one word for programs, a sentence for people."""

from http import HTTPStatus
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

CONTENT_TYPE = "application/problem+json"


class Problem(Exception):
    """A request is refused. `reason` is one of few words, `detail` says what is wrong and what to do."""

    def __init__(
        self, status: int, reason: str, detail: str, *, headers: dict[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status, self.reason, self.detail = status, reason, detail
        self.headers, self.more = headers or {}, more

    def answer(self, path: str) -> HttpResponse:
        """Return the response for a request of this path."""
        told = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "instance": path,
            "reason": self.reason,
            **self.more,
        }
        return JsonResponse(told, status=self.status, content_type=CONTENT_TYPE, headers=self.headers)


@csrf_exempt
@login_not_required
def unknown(request: HttpRequest, rest: str = "") -> HttpResponse:
    """Answer 404 at an address that the API does not have, in the API's own form."""
    return Problem(404, "no-address", "The API has no such address.").answer(request.path)
