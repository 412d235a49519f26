"""Which routes hear of a notice, and who is reached that way."""

from collections.abc import Sequence

from django.db.models import Q

from accounts.models import User
from accounts.permissions import Permission
from accounts.roles import Role
from notices.events import Event, Kind, rank_of
from notices.models import Notice, Route


def routes_for(event: Event, *, team_id: int | None, severity: str) -> list[Route]:
    """Return the routes on which this is told. What has no severity is told whatever is asked for."""
    rows = Route.objects.select_related("person").filter(ended_at=None)
    # A route of one team does not hear of another's; one of no team hears of all.
    rows = rows.filter(Q(team=None) | Q(team=team_id))
    rank = rank_of(severity) if severity else 0
    return [
        route
        for route in rows.filter(least_rank__gte=rank)
        if event in route.events and _may_hear(route, team_id)
    ]


def own_routes(event: Event, people: Sequence[User], *, team_id: int | None) -> list[Route]:
    """Return the routes of these people who chose to hear of this, as far as they may."""
    rows = Route.objects.select_related("person").filter(ended_at=None, person__in=people)
    return [route for route in rows if event in route.events and _may_hear(route, team_id)]


def addresses_of(route: Route, notice: Notice) -> tuple[Sequence[str], str]:
    """Return the addresses at the end of a route, or none and why there is none."""
    if route.kind == Kind.WEBHOOK:
        return [route.address], ""
    if route.kind == Kind.EMAIL:
        return route.address.split(), ""
    people = _people(route, notice)
    found = sorted({person.email for person in people if person.email})
    return found, "" if found else _nobody(route)


def _people(route: Route, notice: Notice) -> Sequence[User]:
    if route.kind == Kind.PERSON:
        return [route.person] if route.person else []
    rows = User.objects.filter(is_active=True)
    if route.kind == Kind.ON_CALL:
        rows = rows.filter(groups__name=Role.ON_CALL.value)
    team = notice.team_id or route.team_id
    if team:
        rows = rows.filter(teams=team)
    elif route.kind == Kind.TEAM:
        return []
    return list(rows.distinct())


def _may_hear(route: Route, team_id: int | None) -> bool:
    """A person hears of no more than they may see at this moment."""
    if route.kind != Kind.PERSON:
        return True
    person = route.person
    if person is None or not person.is_active or not person.has_perm(Permission.SEE_INCIDENTS):
        return False
    if team_id is None or person.has_perm(Permission.SEE_EVERY_TEAM):
        return True
    return person.teams.filter(pk=team_id).exists()


def _nobody(route: Route) -> str:
    if route.kind == Kind.ON_CALL:
        return "nobody on call there has a mail address: see People"
    if route.kind == Kind.TEAM:
        return "nobody in that team has a mail address: see People"
    return "the account has no mail address: an administrator can add one"
