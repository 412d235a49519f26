"""What every answer says of itself: the content security policy, and that no cache keeps it.

The policy: everything from this host, no inline script or style, no framing.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'"
)


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that sends the policy with every response, and `no-store` where a view names no cache.

    A refusal or a page that is not there is of one person too: the same address answers each otherwise.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers["Content-Security-Policy"] = POLICY
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return middleware
