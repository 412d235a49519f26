"""What a person does on the rows of the queue: with one, with those that they chose, and taking it back."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import parse_qsl, urlencode

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person, requires
from accounts.models import User
from accounts.permissions import Permission
from assay_core.numbers import whole
from incidents import queries, queue_acts, queue_undo, services
from incidents.queue_undo import Done, OneMove, Row
from incidents.queue_wants import wanted
from incidents.views.queue import HOURS, OUTCOMES

_triage = requires(Permission.TRIAGE_INCIDENTS)
_PEOPLE = 200
_TOLD = 5
_DONE = {
    "acknowledge": "Acknowledged",
    "take": "Taken by you:",
    "give": "Given:",
    "snooze": "Snoozed",
    "wake": "Woken:",
    "grade": "Severity set:",
    "close": "Closed",
}


class _Refused(Exception):
    """What was asked cannot be read; the message is a sentence for the person."""


@require_POST
@_triage
def act(request: HttpRequest) -> HttpResponse:
    """Do one thing with one row, or with every chosen one; back to the queue as it was."""
    now = timezone.now()
    try:
        name, rows = _asked(request)
        move = _move(request, name, now)
    except _Refused as refused:
        messages.error(request, str(refused))
        return _back(request)
    done = queue_undo.each(rows, move, act=name, by=person(request), now=now)
    _tell(request, f"{_DONE[name]} {done.moved}.", done)
    return _back(request, done.act.pk if done.act else 0)


@require_POST
@_triage
def undo(request: HttpRequest, number: int) -> HttpResponse:
    """Take back what was done some seconds ago."""
    try:
        done = queue_undo.undo(number, by=person(request), now=timezone.now())
    except services.MoveRefused as refusal:
        messages.error(request, str(refusal))
    else:
        _tell(request, f"Taken back: {done.moved}.", done)
    return _back(request)


@require_safe
@never_cache
@_triage
def people(request: HttpRequest) -> HttpResponse:
    """Whom an incident may be given to, as options."""
    return render(request, "incidents/_people.html", {"people": _assignable(person(request))})


def _asked(request: HttpRequest) -> tuple[str, Sequence[Row]]:
    """Which act on which rows: a button of one row says `act:row`, one of the bar speaks for all chosen."""
    name, _, one = request.POST.get("do", "").partition(":")
    if name not in _DONE:
        raise _Refused("Nothing was changed: say what is to be done.")
    asked = dict(filter(None, map(_row, [one] if one else request.POST.getlist("rows"))))
    if not asked:
        raise _Refused("Nothing was changed: choose one or more rows first.")
    seen = queries.visible_incidents(person(request)).filter(pk__in=asked).values_list("pk", flat=True)
    rows = [(number, asked[number]) for number in sorted(seen)]
    if not rows:
        raise _Refused("Nothing was changed: those incidents are gone, or belong to another team.")
    return name, rows


def _row(text: str) -> Row | None:
    number, _, version = text.partition(".")
    row = whole(number), whole(version, most=2**31 - 1)
    return (row[0], row[1]) if row[0] is not None and row[1] is not None else None


def _move(request: HttpRequest, name: str, now: datetime) -> OneMove:
    by, given = person(request), request.POST
    match name:
        case "acknowledge":
            return lambda pk, version: services.acknowledge(pk, by=by, version=version, now=now)
        case "take":
            return lambda pk, version: services.assign(pk, by=by, to=by, version=version, now=now)
        case "give":
            to = _receiver(by, given.get("to", ""))
            return lambda pk, version: services.assign(pk, by=by, to=to, version=version, now=now)
        case "snooze":
            until = now + timedelta(hours=_hours(given.get("hours", "")))
            return lambda pk, version: queue_acts.snooze(pk, by=by, until=until, version=version, now=now)
        case "wake":
            return lambda pk, version: queue_acts.wake(pk, by=by, version=version, now=now)
        case "grade":
            severity = given.get("severity", "")
            return lambda pk, version: queue_acts.grade(
                pk, by=by, severity=severity, version=version, now=now
            )
        case _:
            return _closing(by, given.get("outcome", ""), given.get("note", ""), now)


def _closing(by: User, outcome: str, note: str, now: datetime) -> OneMove:
    if outcome not in OUTCOMES:
        raise _Refused("Nothing was closed: choose an outcome.")
    return lambda pk, version: services.close(
        pk, by=by, outcome=outcome, answer="", reason=note, version=version, now=now
    )


def _receiver(by: User, username: str) -> User | None:
    username = username.strip()
    if not username:
        return None
    found = next(iter(_assignable(by, username) if "\0" not in username else ()), None)
    if found is None:
        raise _Refused("Nobody here has that name. Choose one from the list, or leave it empty for nobody.")
    return found


def _assignable(by: User, username: str = "") -> Sequence[User]:
    """Return active people who may move incidents.

    Who sees only their teams' incidents gives them to these teams' people, and to those who see all.
    """
    people = User.objects.filter(
        is_active=True, groups__permissions__codename=Permission.TRIAGE_INCIDENTS.codename
    )
    if username:
        people = people.filter(username=username)
    if not by.has_perm(Permission.SEE_EVERY_TEAM) and by.teams.exists():
        all_teams = User.objects.filter(
            groups__permissions__codename=Permission.SEE_EVERY_TEAM.codename
        ).values("pk")
        people = people.filter(Q(teams__in=by.teams.all()) | Q(pk__in=all_teams))
    return list(people.distinct().order_by("username")[:_PEOPLE])


def _hours(text: str) -> int:
    if text not in HOURS:
        raise _Refused("Nothing was snoozed: choose for how long.")
    return int(text)


def _tell(request: HttpRequest, words: str, done: Done) -> None:
    if done.moved:
        messages.success(request, words)
    for refusal in done.refusals[:_TOLD]:
        messages.error(request, refusal)
    if len(done.refusals) > _TOLD:
        messages.error(request, f"{len(done.refusals) - _TOLD} more were left as they are, for like reasons.")


def _back(request: HttpRequest, did: int = 0) -> HttpResponse:
    """Back to the list, tab and page that the form stood on; what can be undone is offered there."""
    given = dict(parse_qsl(request.POST.get("here", "")[:2_000]))
    place = {name: given[name] for name in ("after", "before") if given.get(name)}
    if did:
        place["did"] = str(did)
    query = "&".join(filter(None, (wanted(given).address(), urlencode(place))))
    return HttpResponseRedirect(f"{reverse('queue')}?{query}")
