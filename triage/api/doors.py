"""The door of every address below /api/v1/: a bearer token with the scope, a limit, and problems as JSON."""

import logging
from collections.abc import Mapping
from typing import Any, ClassVar

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.models import User
from accounts.tokens import Caller, Scope
from incidents.adapters.strict_json import NotReadable, read_object
from triage.api import bearers
from triage.api.problems import Problem

_log = logging.getLogger(__name__)


@method_decorator(never_cache, name="dispatch")
class Door(APIView):
    """A view for tokens. `scopes` says which methods it takes, and which scope each needs.

    Django REST framework dispatches and describes; who calls and what is refused is decided here, so that
    no cookie, no form and no browsable page opens anything.
    """

    scopes: ClassVar[Mapping[str, Scope]] = {}
    authentication_classes = ()
    permission_classes = ()
    renderer_classes = (JSONRenderer,)
    parser_classes = (JSONParser,)  # for the description; what is sent is read by body_of
    metadata_class = None
    caller: Caller | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Let nobody in but a token with the scope that this method needs. Raises Problem."""
        method = str(request.method)
        if method == "OPTIONS":
            return  # what an address takes is no secret: the description says it
        needed = self.scopes.get("GET" if method == "HEAD" else method)
        if needed is None:
            allowed = self.taken()
            raise Problem(405, "method", f"This address takes {allowed}.", headers={"Allow": allowed})
        self.caller = bearers.caller_of(request._request)
        bearers.look_at_scope(self.caller, needed)
        bearers.look_at_limit(self.caller)

    def taken(self) -> str:
        """Return the methods that this address takes, as the header Allow lists them."""
        return ", ".join(sorted({*self.scopes, "OPTIONS", *(("HEAD",) if "GET" in self.scopes else ())}))

    def options(self, *_: Any, **__: Any) -> HttpResponse:  # type: ignore[override] # none of DRF's
        """Say which methods are taken, to anybody."""
        return HttpResponse(status=204, headers={"Allow": self.taken()})

    def handle_exception(self, exc: Exception) -> HttpResponse:  # type: ignore[override] # never a page of DRF
        """Answer whatever was raised as a problem."""
        path = self.request.path
        if isinstance(exc, Problem):
            bearers.note(exc, self.caller)
            return exc.answer(path)
        if isinstance(exc, DatabaseError):
            _log.error("a request to the API could not be answered", exc_info=exc)
            detail = "The database does not answer. Send it again."
            return Problem(503, "database", detail, headers={"Retry-After": "5"}).answer(path)
        _log.error("a request to the API failed", exc_info=exc)
        return Problem(500, "fault", "This failed on our side. The log of the web process says why.").answer(
            path
        )

    @property
    def default_response_headers(self) -> dict[str, str]:
        """Add none of the framework's: what is allowed is said where it was not."""
        return {}

    @property
    def known(self) -> Caller:
        """The caller; there is one behind the door."""
        assert self.caller is not None
        return self.caller

    def person(self) -> User:
        """Return the token's owner, who acts under the token's name. Raises Problem for an agent's token.

        A token that was made for one investigation knows of nothing else.
        """
        if self.known.investigation is not None:
            detail = "This token was made for one investigation. Ask for it at investigations/own."
            raise Problem(403, "not-its-own", detail)
        owner = User.objects.get(pk=self.known.owner)
        owner.acting_as = self.known.actor
        return owner


def body_of(request: HttpRequest) -> dict[str, Any]:
    """Return the JSON object that was sent. Raises Problem for what is too long or could be read two ways."""
    if request.content_type != "application/json":
        raise Problem(415, "not-json", "Send JSON, with Content-Type: application/json.")
    most = settings.MCP_MAX_BYTES
    try:
        body = request.read(most + 1)
    except UnreadablePostError:
        raise Problem(400, "broken-off", "The body broke off. Send it again.") from None
    if len(body) > most:
        raise Problem(413, "size", f"At most {most} bytes are taken (MCP_MAX_BYTES).")
    try:
        return read_object(body)
    except NotReadable as unreadable:
        raise Problem(400, "unreadable", str(unreadable)) from None
