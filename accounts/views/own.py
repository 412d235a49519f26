"""One's own account: the profile and the sessions that are open."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import sessions
from accounts.access import person
from accounts.forms import ProfileForm
from accounts.models import User
from accounts.views import OWN

_YEAR_SECONDS = 365 * 24 * 3600


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """Name, time zone and look; role and teams are shown, and are an administrator's to change."""
    user = User.objects.prefetch_related("groups", "teams").get(pk=person(request).pk)
    fields = ("first_name", "last_name", "time_zone", "theme")
    form = ProfileForm(request.POST or None, initial={name: getattr(user, name) for name in fields})
    if request.method == "POST" and form.is_valid():
        for name in fields:
            setattr(user, name, form.cleaned_data[name])
        user.save(update_fields=fields)
        messages.success(request, "Your profile is saved.")
        response = redirect("profile")
        if user.theme:
            response.set_cookie("theme", user.theme, max_age=_YEAR_SECONDS, samesite="Lax")
        return response
    context = {**OWN, "here": "profile", "form": form, "person": user}
    return render(request, "accounts/profile.html", context, status=422 if form.errors else 200)


@require_safe
@never_cache
def show_sessions(request: HttpRequest) -> HttpResponse:
    """Where the person is signed in."""
    listed = sessions.lines(person(request))
    context = {**OWN, "here": "sessions", "sessions": listed, "current": request.session.session_key}
    return render(request, "accounts/sessions.html", context)


@require_POST
def end_session(request: HttpRequest, number: int) -> HttpResponse:
    """End one of one's own sessions; 404 for anybody else's."""
    user = person(request)
    if not sessions.end(user, number, by=user):
        raise Http404("There is no such session of yours. It may have ended already.")
    messages.success(request, "That session has ended.")
    return redirect("sessions")


@require_POST
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    """End all of one's own sessions but this one."""
    user = person(request)
    number = sessions.end_all(user, by=user, but=request.session.session_key)
    messages.success(request, f"{number} other session{'' if number == 1 else 's'} ended.")
    return redirect("sessions")
