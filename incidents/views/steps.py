"""From one incident of a list to the next: a link on its page, and what a closing goes on to."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.access import person, requires
from accounts.permissions import Permission
from incidents import steps
from incidents.models import Incident
from incidents.queue_wants import Wanted
from incidents.views.incident import found
from incidents.views.listed import address_in, listed


@require_safe
@never_cache
@requires(Permission.SEE_INCIDENTS)
def step(request: HttpRequest, number: int, *, is_back: bool) -> HttpResponse:
    """Lead to the incident beside this one in the list that it was opened from; at its end, to the list."""
    return redirect(_address(request, found(request, number), is_back=is_back))


def onward(request: HttpRequest, incident: Incident) -> HttpResponse:
    """Lead on to the next incident, from a form that htmx or the browser sent."""
    address = _address(request, incident, is_back=False)
    return HttpResponseClientRedirect(address) if getattr(request, "htmx", False) else redirect(address)


def _address(request: HttpRequest, incident: Incident, *, is_back: bool) -> str:
    want = listed(request) or Wanted()
    number = steps.beside(person(request), want, incident, is_back=is_back)
    if number is not None:
        return address_in(want, number)
    end = "This is where the list begins." if is_back else "That was the last one of this list."
    messages.info(request, end)
    return f"{reverse('queue')}?{want.named()}"
