"""One investigation over the API: its state, and the submission of the agent that it was handed to.

Without a number it is the investigation that the token was made for.
"""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import UnreadablePostError
from django.urls import reverse

from accounts.tokens import Caller, Scope
from incidents import handing_over
from incidents.adapters.strict_json import NotReadable, read_object
from investigations import contract, rulebook, submissions
from investigations.beside import beside
from investigations.models import Investigation
from investigations.outcomes import SubmissionLate, SubmissionPending, SubmissionRefused
from triage import at_hand
from triage.api.bearers import answers
from triage.api.problems import Problem


def _state(request: HttpRequest, caller: Caller, number: int | None = None) -> HttpResponse:
    """Return the incident, the rules with their questions, the entries so far, the verdict and its draft."""
    row = _visible(caller, number)
    return JsonResponse(
        {**at_hand.state(row), "draft": _drafted(row), "submission": submissions.taken(row.pk)}
    )


def _taken(request: HttpRequest, caller: Caller, number: int | None = None) -> HttpResponse:
    """Return what was submitted and judged."""
    row = _visible(caller, number)
    found = submissions.taken(row.pk)
    if found is None:
        detail = f"Nothing was submitted to investigation {row.pk}, which is {row.state}."
        raise Problem(404, "not-submitted", detail)
    return JsonResponse({**found, "state": row.state, "verdict": at_hand.state(row)["verdict"]})


def _submit(request: HttpRequest, caller: Caller, number: int | None = None) -> HttpResponse:
    """Judge a submission; the same one sent again gets the same answer."""
    if caller.investigation is None:
        detail = "This token was not made for an investigation: ask for one with addtoken --incident."
        raise Problem(403, "no-investigation", detail)
    row = _visible(caller, number)
    value = _body(request)
    try:
        judgement = handing_over.submit(row.pk, value, by=caller.actor)
    except SubmissionPending as pending:
        told = {"investigation": row.pk, "incident": row.incident_id, "detail": str(pending)}
        there = reverse("api_submission", args=[row.pk])
        return JsonResponse(told, status=202, headers={"Location": there, "Retry-After": "5"})
    except SubmissionLate as late:
        raise Problem(409, "late", str(late)) from None
    except SubmissionRefused as refusal:
        more: dict[str, Any] = {"complaints": refusal.complaints, "schema": "/api/v1/schemas/submission"}
        raise Problem(422, "contract", str(refusal), **more) from None
    return JsonResponse(at_hand.judged(judgement))


def _schema(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Return the schema of a submission with the hypotheses that can be earned at present."""
    return JsonResponse(contract.schema(rulebook.current_rulebook()), content_type="application/schema+json")


def _drafted(row: Investigation) -> dict[str, Any] | None:
    """Return the last draft with all that stands beside it, wherever it goes; None while there is none."""
    last = row.drafts.select_related("investigation").last()
    return {"text": last.text, **beside(last).plain()} if last else None


def _visible(caller: Caller, number: int | None) -> Investigation:
    try:
        return at_hand.visible(caller, number)
    except at_hand.NotItsOwn as refusal:
        raise Problem(403, "not-its-own", str(refusal)) from None
    except at_hand.NotSeen as refusal:
        raise Problem(404, "not-found", str(refusal)) from None


def _body(request: HttpRequest) -> dict[str, Any]:
    if request.content_type != "application/json":
        raise Problem(415, "not-json", "Send the submission as JSON, with Content-Type: application/json.")
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


state = answers(GET=(Scope.READ, _state))
submission = answers(GET=(Scope.READ, _taken), POST=(Scope.SUBMIT, _submit))
schema = answers(GET=(Scope.READ, _schema))
