"""The API's own description, as OpenAPI has it, made from the views."""

from functools import cache
from typing import Any

from django.http import HttpResponse, JsonResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from accounts.tokens import Scope
from triage.api.doors import Door
from triage.api.problems import CONTENT_TYPE

_TYPE = "application/vnd.oai.openapi+json"
_PROBLEM = {
    "type": "object",
    "description": "RFC 9457, with one word for programs in `reason`.",
    "required": ["type", "title", "status", "detail", "instance", "reason"],
    "properties": {
        **{name: {"type": "string"} for name in ("type", "title", "detail", "instance", "reason")},
        "status": {"type": "integer"},
        "complaints": {"type": "array", "items": {"type": "string"}},
    },
}
_EXAMPLE = {
    "type": "about:blank",
    "title": "Conflict",
    "status": 409,
    "detail": "Incident 42 has changed since this page was loaded. Look at what is new, then decide again.",
    "instance": "/api/v1/incidents/42/close",
    "reason": "refused",
}


class Description(Door):
    """The description of the API."""

    scopes = {"GET": Scope.READ}

    @extend_schema(tags=["description"], responses={(200, _TYPE): OpenApiTypes.OBJECT})
    def get(self, request: Request) -> HttpResponse:
        """Return this description."""
        return JsonResponse(description(), content_type=_TYPE)


@cache
def description() -> dict[str, Any]:
    """Return the whole description as JSON values; every operation may end in a problem."""
    generator = SchemaGenerator(urlconf="triage.api.described")  # type: ignore[no-untyped-call] # theirs is not
    made: dict[str, Any] = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call] # nor this
    made["components"]["schemas"]["Problem"] = _PROBLEM
    refused = {
        "description": "Refused, or not to be had: see the reference for each reason.",
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": _EXAMPLE}},
    }
    for operations in made["paths"].values():
        for operation in operations.values():
            operation["responses"]["default"] = refused
    return made
