"""One investigation over the API: its state, and the submission of the agent that it was handed to.

Without a number it is the investigation that the token was made for.
"""

from typing import Any

from django.http import HttpResponse, JsonResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from accounts.tokens import Caller, Scope
from incidents import handing_over
from investigations import contract, rulebook, submissions
from investigations.beside import beside
from investigations.models import Investigation
from investigations.outcomes import SubmissionLate, SubmissionPending, SubmissionRefused
from triage import at_hand
from triage.api import shapes
from triage.api.doors import Door, body_of
from triage.api.problems import Problem


class State(Door):
    """One investigation."""

    scopes = {"GET": Scope.READ}

    @extend_schema(tags=["agents"], responses=shapes.Free)
    def get(self, request: Request, number: int | None = None) -> HttpResponse:
        """Return the incident, the rules with their questions, the entries, the verdict and its draft."""
        row = _visible(self.known, number)
        plain = {**at_hand.state(row), "draft": _drafted(row), "submission": submissions.taken(row.pk)}
        return JsonResponse(plain)


class Submission(Door):
    """What the agent hands in."""

    scopes = {"GET": Scope.READ, "POST": Scope.SUBMIT}

    @extend_schema(tags=["agents"], responses=shapes.Free)
    def get(self, request: Request, number: int | None = None) -> HttpResponse:
        """Return what was submitted and judged."""
        row = _visible(self.known, number)
        found = submissions.taken(row.pk)
        if found is None:
            detail = f"Nothing was submitted to investigation {row.pk}, which is {row.state}."
            raise Problem(404, "not-submitted", detail)
        return JsonResponse({**found, "state": row.state, "verdict": at_hand.state(row)["verdict"]})

    @extend_schema(
        tags=["agents"],
        request=shapes.Submission,
        responses={200: shapes.Judged, 202: shapes.Free},
        examples=[shapes.SUBMISSION, shapes.JUDGED],
    )
    def post(self, request: Request, number: int | None = None) -> HttpResponse:
        """Judge a submission; the same one sent again gets the same answer."""
        if self.known.investigation is None:
            detail = "This token was not made for an investigation: ask for one with addtoken --incident."
            raise Problem(403, "no-investigation", detail)
        row = _visible(self.known, number)
        value = body_of(request._request)
        try:
            judgement = handing_over.submit(row.pk, value, by=self.known.actor)
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


class Schema(Door):
    """The form of a submission."""

    scopes = {"GET": Scope.READ}

    @extend_schema(tags=["agents"], responses={(200, "application/schema+json"): shapes.Free})
    def get(self, request: Request) -> HttpResponse:
        """Return the schema of a submission with the hypotheses that can be earned at present."""
        schema = contract.schema(rulebook.current_rulebook())
        return JsonResponse(schema, content_type="application/schema+json")


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
