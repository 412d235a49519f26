"""Moves over the API: close, reopen, acknowledge, assign, note. The same services as the pages'."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from accounts.models import User
from accounts.tokens import Scope
from incidents import notes, opening, queries, services, veiling
from incidents.models import Incident
from triage.api import plainly, shapes
from triage.api.doors import Door, body_of
from triage.api.problems import Problem
from triage.api.reading import found

_ONCE = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER, description="sent twice, the note is kept once"
)


class Close(Door):
    """The end of an incident."""

    scopes = {"POST": Scope.SUBMIT}

    @extend_schema(
        tags=["moves"], request=shapes.Close, responses=shapes.OneIncident, examples=[shapes.CLOSE]
    )
    def post(self, request: Request, number: int) -> HttpResponse:
        """Close an incident with its outcome and the answer as it was sent."""
        owner = self.person()
        row, given = found(owner, number), read(request, shapes.Close)
        other = given["duplicate_of"]
        if other is not None and queries.incident(owner, other) is None:
            raise Problem(422, "fields", f"duplicate_of: there is no incident {other} that you see.")
        opening.note(row.pk, timezone.now())  # whoever closes from elsewhere has read it there
        return _moved(owner, lambda: services.close(row.pk, by=owner, now=timezone.now(), **given))


class Reopen(Door):
    """A closed incident that is open again."""

    scopes = {"POST": Scope.SUBMIT}

    @extend_schema(tags=["moves"], request=shapes.Reopen, responses=shapes.OneIncident)
    def post(self, request: Request, number: int) -> HttpResponse:
        """Open a closed incident again; it is investigated anew."""
        owner = self.person()
        row, given = found(owner, number), read(request, shapes.Reopen)
        return _moved(owner, lambda: services.reopen(row.pk, by=owner, now=timezone.now(), **given))


class Acknowledge(Door):
    """Somebody is on it."""

    scopes = {"POST": Scope.SUBMIT}

    @extend_schema(tags=["moves"], request=shapes.Move, responses=shapes.OneIncident)
    def post(self, request: Request, number: int) -> HttpResponse:
        """Say that somebody is on it; nobody is told of it again."""
        owner = self.person()
        row, given = found(owner, number), read(request, shapes.Move)
        return _moved(owner, lambda: services.acknowledge(row.pk, by=owner, now=timezone.now(), **given))


class Assign(Door):
    """Whose it is."""

    scopes = {"POST": Scope.SUBMIT}

    @extend_schema(
        tags=["moves"], request=shapes.Assign, responses=shapes.OneIncident, examples=[shapes.ASSIGN]
    )
    def post(self, request: Request, number: int) -> HttpResponse:
        """Give an incident to a person who sees it, or to nobody."""
        owner = self.person()
        row, given = found(owner, number), read(request, shapes.Assign)
        to = _who_sees(row, given["to"])
        version = given["version"]
        return _moved(
            owner, lambda: services.assign(row.pk, by=owner, to=to, version=version, now=timezone.now())
        )


class Notes(Door):
    """A note on an incident."""

    scopes = {"POST": Scope.SUBMIT}

    @extend_schema(
        tags=["moves"], parameters=[_ONCE], request=shapes.Note, responses={201: shapes.Noted},
        examples=[shapes.NOTE],
    )  # fmt: skip
    def post(self, request: Request, number: int) -> HttpResponse:
        """Leave a note. With an `Idempotency-Key` the same one sent again is kept once."""
        owner = self.person()
        row, given = found(owner, number), read(request, shapes.Note)
        once = request.headers.get("Idempotency-Key", "")[:60]
        try:
            kept = notes.write(row, given["text"], by=owner, once=once, now=timezone.now())
        except notes.NoteRefused as refusal:
            raise Problem(422, "fields", f"text: {refusal}") from None
        told = {"note": kept.note.pk, "text": kept.note.text, "unreached": list(kept.unreached)}
        return JsonResponse(told, status=201)


def read(request: Request, shape: type[serializers.Serializer[object]]) -> dict[str, Any]:
    """Return the fields that were sent. Raises Problem, which lists all that is wrong with them."""
    value = body_of(request._request)
    serializer = shape(data=value)
    unknown = sorted(set(value) - set(serializer.fields))
    complaints = [f"{name[:60]}: there is no such field" for name in unknown]
    if not serializer.is_valid():
        complaints += [f"{name}: {said}" for name, saids in serializer.errors.items() for said in saids]
    if complaints:
        raise Problem(422, "fields", " ".join(complaints), complaints=complaints)
    given: dict[str, Any] = dict(serializer.validated_data)
    return given


def _who_sees(row: Incident, name: str | None) -> User | None:
    if name is None:
        return None
    to = User.objects.filter(username=name.replace("\0", "")).first()
    if to is None or queries.incident(to, row.pk) is None:
        raise Problem(422, "fields", f"to: {name[:60]!r} is nobody who sees incident {row.pk}.")
    return to


def _moved(owner: User, move: Callable[[], Incident]) -> HttpResponse:
    try:
        row = found(owner, move().pk)
    except services.MoveRefused as refusal:
        raise Problem(409, "refused", str(refusal)) from None
    return JsonResponse(plainly.one_incident(row, veiled=veiling.is_veiled(owner, row.pk)))
