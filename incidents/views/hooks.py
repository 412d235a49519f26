"""The door for senders: POST /hooks/<slug>/."""

import base64
import binascii
import logging
from http import HTTPStatus

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import UnreadablePostError
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from incidents import intake, signing
from incidents.adapters import POSTED, SIGNED
from incidents.models import Source

log = logging.getLogger(__name__)
RETRY_SECONDS = 10


@csrf_exempt
@login_not_required
def receive(request: HttpRequest, slug: str) -> HttpResponse:
    """Store a delivery and answer 202 with its id.

    404 for an unknown source, 401 without its secret or signature, 413 for a body that is too large, 405
    for another method. Whatever else goes wrong is our fault: 503, and the sender tries again.
    """
    if request.method != "POST":
        return _answer(HTTPStatus.METHOD_NOT_ALLOWED, "Send a POST.", Allow="POST")
    try:
        return _receive(request, slug)
    except UnreadablePostError:  # the sender hung up; nobody reads this answer
        return _answer(HTTPStatus.BAD_REQUEST, "The body broke off.")
    except Exception:
        log.exception("A delivery to %r could not be stored.", slug[:80])
        return _answer(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "Assay could not store this. Send it again.",
            **{"Retry-After": str(RETRY_SECONDS)},
        )


def _receive(request: HttpRequest, slug: str) -> HttpResponse:
    source = _source(slug)
    if source is None:
        return _answer(HTTPStatus.NOT_FOUND, "No source has this address. Look at the source's slug.")
    is_signing = source.adapter in SIGNED
    if not is_signing and not intake.is_secret_of(source, _secret(request.headers.get("Authorization", ""))):
        return _answer(
            HTTPStatus.UNAUTHORIZED,
            "The secret is missing or wrong. Send it as a bearer token or as the basic password.",
            **{"WWW-Authenticate": 'Bearer realm="hooks", Basic realm="hooks"'},
        )
    sender = str(request.META.get("REMOTE_ADDR") or "")
    limit = settings.DELIVERY_MAX_BYTES
    size = _declared(request)
    body = b""
    if size <= limit:
        body = request.read(limit + 1)
        size = len(body)
    if size > limit:
        if not is_signing:  # of a body that is not read, nobody can tell who signed it
            intake.count_oversized(source, size=size, sender=sender)
        return _answer(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A delivery may have {limit} bytes. Send less at once."
        )
    if is_signing and not signing.is_signed(source, body, request.headers.get(signing.HEADER, "")):
        return _answer(
            HTTPStatus.UNAUTHORIZED,
            f"{signing.HEADER} is missing or wrong. Put the source's secret into the webhook.",
        )
    delivery = intake.receive(source, body, request.headers, sender, timezone.now())
    return JsonResponse({"delivery": delivery.pk}, status=HTTPStatus.ACCEPTED)


def _source(slug: str) -> Source | None:
    if "\0" in slug:
        return None
    # Written out, since building this query takes longer than the database takes to answer it.
    found = list(Source.objects.raw("SELECT * FROM incidents_source WHERE slug = %s AND is_active", [slug]))
    return found[0] if found and found[0].adapter in POSTED else None


def _secret(authorization: str) -> str:
    scheme, _, value = authorization.strip().partition(" ")
    match scheme.lower():
        case "bearer":
            return value.strip()
        case "basic":
            try:
                return base64.b64decode(value.strip(), validate=True).decode().partition(":")[2]
            except (binascii.Error, ValueError):
                return ""
        case _:
            return ""


def _declared(request: HttpRequest) -> int:
    """What the sender says the size is; what it really is, is counted while reading."""
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def _answer(status: HTTPStatus, sentence: str, **headers: str) -> HttpResponse:
    return JsonResponse({"error": sentence}, status=status, headers=headers)
