"""The form in which a person enters a customer's claim. It goes the way of every delivery."""

import json
from typing import cast

from django.contrib import messages
from django.forms import ModelChoiceField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.access import person, requires
from accounts.permissions import Permission
from incidents import intake
from incidents.forms import ClaimForm
from incidents.models import Source
from incidents.queries import visible_sources


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.SUBMIT_CLAIMS)
def new(request: HttpRequest) -> HttpResponse:
    """Show the form; on POST hand the claim in and go to its delivery."""
    user = person(request)
    form = ClaimForm(request.POST or None)
    sources = visible_sources(user).filter(adapter="claim", is_active=True)
    choice = cast("ModelChoiceField[Source]", form.fields["source"])
    choice.queryset = sources
    if request.method == "POST" and form.is_valid():
        fields = dict(form.cleaned_data)
        source = fields.pop("source")
        body = json.dumps({name: value for name, value in fields.items() if value}, ensure_ascii=False)
        delivery = intake.receive(
            source,
            body.encode(),
            {"content-type": "application/json"},
            f"person:{user.username}"[:64],
            timezone.now(),
        )
        messages.success(request, "The claim is in. Its investigation starts in a moment.")
        return redirect("delivery", delivery.pk)
    context = {"form": form, "sources": list(sources), "nav": "claim"}
    return render(request, "incidents/claim.html", context, status=422 if form.is_bound else 200)
