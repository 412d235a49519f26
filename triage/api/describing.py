"""The API's own description, as OpenAPI has it, made from the views."""

from functools import cache
from typing import Any

from django.http import HttpResponse, JsonResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from accounts.tokens import Scope
from triage.api import examples
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
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            _exemplify(operation.get("requestBody", {}), (path, method, ""))
            for status, response in operation["responses"].items():
                _exemplify(response, (path, method, status))
            operation["responses"]["default"] = refused
    return made


def _exemplify(part: dict[str, Any], place: tuple[str, str, str]) -> None:
    """Put the example of its form, or of its place, beside each form that has none."""
    address = place[0].removeprefix("/api/v1")
    for content in part.get("content", {}).values():
        form = str(content["schema"].get("$ref", "")).rpartition("/")[2]
        example = examples.FORMS.get(form) or examples.FREE.get((address, *place[1:]))
        if example is not None and "examples" not in content:
            content["example"] = example
