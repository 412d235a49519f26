"""People and teams, for administrators."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.db.models import Count, Prefetch, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import people, secondfactors, sessions
from accounts.access import after_stepup, person, requires
from accounts.forms import PersonForm, TeamForm
from accounts.models import Team, User
from accounts.permissions import Permission
from accounts.roles import Role
from accounts.views import PEOPLE
from assay_core.numbers import MAX_ID
from audit import writing


@require_safe
@never_cache
@requires(Permission.MANAGE_PEOPLE)
def show_all(request: HttpRequest) -> HttpResponse:
    """Everybody, those who are switched off last."""
    everybody = (
        User.objects.prefetch_related("groups", Prefetch("teams", queryset=Team.objects.order_by("name")))
        .annotate(
            second_factors=Count(
                "authenticator", filter=~Q(authenticator__type="recovery_codes"), distinct=True
            )
        )
        .order_by("-is_active", "username")
    )
    return render(request, "accounts/people.html", {**PEOPLE, "here": "people", "everybody": everybody})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.MANAGE_PEOPLE)
@after_stepup
def show(request: HttpRequest, number: int) -> HttpResponse:
    """One person: role, teams, switch, and what to do when they cannot get in."""
    shown = _person(number)
    now = people.place_of(shown)
    start = {"role": now.role or "", "teams": now.teams, "is_active": now.is_active}
    form = PersonForm(request.POST if request.method == "POST" else None, initial=start)
    refusal = ""
    if request.method == "POST" and form.is_valid():
        chosen = form.cleaned_data
        to = people.Place(
            Role(chosen["role"]) if chosen["role"] else None,
            frozenset(team.pk for team in chosen["teams"]),
            chosen["is_active"],
        )
        try:
            changes = people.move(shown.pk, to=to, by=person(request), made_on=chosen["made_on"])
        except people.ChangeRefused as reason:
            refusal = str(reason)
        else:
            told = "; ".join(changes) if changes else "nothing changed"
            messages.success(request, f"{shown.username}: {told}.")
            return redirect("person", shown.pk)
    return _page(request, shown, form=form, refusal=refusal)


@require_POST
@requires(Permission.MANAGE_PEOPLE)
def end_sessions(request: HttpRequest, number: int) -> HttpResponse:
    """Sign a person out everywhere."""
    shown = _person(number)
    ended = sessions.end_all(shown, by=person(request))
    messages.success(request, f"{shown.username}: {ended} session{'' if ended == 1 else 's'} ended.")
    return redirect("person", shown.pk)


@require_POST
@requires(Permission.MANAGE_PEOPLE)
@after_stepup
def take_second_factors(request: HttpRequest, number: int) -> HttpResponse:
    """Remove the second factors of a person who lost them."""
    shown = _person(number)
    removed = secondfactors.take_away(shown)
    messages.success(request, f"{shown.username}: {removed} second factors and recovery codes removed.")
    return redirect("person", shown.pk)


@require_POST
@requires(Permission.MANAGE_PEOPLE)
@after_stepup
def password_link(request: HttpRequest, number: int) -> HttpResponse:
    """Make a link with which the person sets a new password, shown this once."""
    shown = _person(number)
    if not shown.is_active:
        raise Http404("The account is switched off.")
    with transaction.atomic():
        writing.write("password.link_made", {"username": shown.username}, actor=person(request).actor)
    path = reverse("new-password", args=[shown.pk, default_token_generator.make_token(shown)])
    return _page(request, shown, link=f"{settings.BASE_URL}{path}")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.MANAGE_PEOPLE)
def teams(request: HttpRequest) -> HttpResponse:
    """All teams, and a form for one more."""
    form = TeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            team = people.make_team(form.cleaned_data["name"], by=person(request))
        except people.ChangeRefused as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, f"The team {team.name} is made.")
            return redirect("teams")
    listed = Team.objects.annotate(
        people_count=Count("people", filter=Q(people__is_active=True), distinct=True),
        source_count=Count("sources", distinct=True),
    )
    context = {**PEOPLE, "here": "teams", "teams": listed, "form": form}
    return render(request, "accounts/teams.html", context, status=422 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.MANAGE_PEOPLE)
def team(request: HttpRequest, slug: str) -> HttpResponse:
    """One team: its name, its people, its sources."""
    shown = Team.objects.filter(slug=slug).first()
    if shown is None:
        raise Http404(f"There is no team {slug}.")
    form = TeamForm(request.POST or None, initial={"name": shown.name})
    if request.method == "POST" and form.is_valid():
        try:
            people.rename_team(
                shown, form.cleaned_data["name"], by=person(request), made_on=form.cleaned_data["made_on"]
            )
        except people.ChangeRefused as refusal:
            form.add_error("name", str(refusal))
            shown.refresh_from_db()
        else:
            messages.success(request, "The name is saved.")
            return redirect("team", slug)
    context = {
        **PEOPLE,
        "here": "teams",
        "team": shown,
        "form": form,
        "members": shown.people.prefetch_related("groups").order_by("-is_active", "username"),
        "sources": shown.sources.order_by("title"),
    }
    return render(request, "accounts/team.html", context, status=422 if form.errors else 200)


def _person(number: int) -> User:
    found = User.objects.filter(pk=number).first() if number <= MAX_ID else None
    if found is None:
        raise Http404(f"There is no person {number}.")
    return found


def _page(
    request: HttpRequest, shown: User, *, form: PersonForm | None = None, refusal: str = "", link: str = ""
) -> HttpResponse:
    now = people.place_of(shown)
    start = {"role": now.role or "", "teams": now.teams, "is_active": now.is_active}
    form = form or PersonForm(initial=start)
    context = {
        **PEOPLE,
        "here": "people",
        "person": shown,
        "form": form,
        "made_on": now.mark(),
        "refusal": refusal,
        "link": link,
        "factors": secondfactors.of_person(shown),
        "sessions": sessions.of_person(shown),
        "tokens": shown.tokens.filter(revoked_at=None).order_by("name"),
    }
    return render(request, "accounts/person.html", context, status=422 if refusal or form.errors else 200)
