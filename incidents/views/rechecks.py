"""Asking a recorded question once more, from its entry's page."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.access import person, requires
from accounts.permissions import Permission
from assay_core.numbers import MAX_ID
from audit import reading
from incidents import queries, rechecking


@require_POST
@requires(Permission.TRIAGE_INCIDENTS)
def again(request: HttpRequest, number: int) -> HttpResponse:
    """Ask what an entry asked, and lead to the new answer beside the recorded one."""
    entry = reading.entry(number) if number <= MAX_ID else None
    if entry is None or not queries.can_see(person(request), entry.incident):
        raise Http404(f"There is no entry {number}, or it belongs to another team.")
    once = request.POST.get("once", "")
    try:
        check = rechecking.again(entry, by=person(request), once=once, now=timezone.now())
    except rechecking.CheckRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("entry", number)
    if check.entry is None:
        messages.info(request, "It is being asked. Load this page again in a moment.")
        return redirect("entry", number)
    messages.success(request, "Asked again, and recorded as your check. The verdict stays as it is.")
    return redirect("entry", check.entry)
