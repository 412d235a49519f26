"""A closed incident as a file, for those who test rules by it."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import person, requires
from accounts.permissions import Permission
from accounts.services import actor_name
from incidents.exporting import Export, ExportRefused, record, replay_of
from incidents.views.incident import page, unveiled


@require_safe
@never_cache
@requires(Permission.TRIAGE_INCIDENTS)
def download(request: HttpRequest, number: int) -> HttpResponse:
    """Answer with the replay as a file; where it can't be made, with the incident's page that says why."""
    incident, user = unveiled(request, number), person(request)
    try:
        replay = replay_of(incident, Export(by=str(user), now=timezone.now()))
    except ExportRefused as error:
        return page(request, incident, refusal=f"It was not exported. {error}", status=409)
    with transaction.atomic():
        record(incident, replay, actor=actor_name(user))
    answer = HttpResponse(replay.text(), content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="incident-{incident.pk}.json"'
    return answer
