"""Saved views of the queue and its columns: a person's own, a team's, everybody's."""

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import parse_qsl

from django.db import IntegrityError, transaction
from django.db.models import Q, Subquery

from accounts.models import Team, User
from accounts.permissions import Permission
from incidents.models import Incident, QueueLook, SavedView
from incidents.queue import Sight
from incidents.queue_wants import Wanted, wanted

COLUMNS = {
    "severity": "Severity",
    "source": "Source",
    "team": "Team",
    "kind": "Kind",
    "who": "Who",
    "signals": "Signals",
    "heard": "Last heard of",
    "age": "Age",
}
USUAL = ("severity", "source", "who", "age")
SHOWN_AT_MOST = 12
OWNED_AT_MOST = 30


class ViewRefused(Exception):
    """A view cannot be kept; the message is a sentence for the person."""


def views(user: User, seen: Sight) -> Sequence[SavedView]:
    """Return the views that a person sees: their own first, then those of their teams and of everybody."""
    found = SavedView.objects.filter(Q(owner=user) | Q(team_id__in=seen.teams) | Q(is_for_all=True))
    return sorted(found.select_related("owner"), key=lambda view: view.owner_id != user.pk)[:SHOWN_AT_MOST]


def want_of(view: SavedView) -> Wanted:
    """Return what a view asks for."""
    return wanted(dict(parse_qsl(view.query)))


def save(want: Wanted, *, name: str, audience: str, by: User, now: datetime) -> SavedView:
    """Keep filters under a name; an own view of that name is replaced. Raises ViewRefused."""
    name = " ".join(name.replace("\0", "").split())
    if not name or len(name) > 40:
        raise ViewRefused("Give the view a name of at most 40 characters.")
    if SavedView.objects.filter(owner=by).exclude(name=name).count() >= OWNED_AT_MOST:
        raise ViewRefused(f"{OWNED_AT_MOST} views are the most. Delete one that nobody needs.")
    team, is_for_all = _audience(audience, by)
    kept = {"query": want.address()[:600], "team": team, "is_for_all": is_for_all, "created_at": now}
    try:
        with transaction.atomic():
            return SavedView.objects.update_or_create(owner=by, name=name, defaults=kept)[0]
    except IntegrityError:
        raise ViewRefused("A view of that name was kept at the same moment. Look, then try again.") from None


def delete(number: int, *, by: User) -> bool:
    """Delete an own view, or any shared one for who looks after people; say whether there was one."""
    mine = Q(owner=by)
    if by.has_perm(Permission.MANAGE_PEOPLE):
        mine |= Q(is_for_all=True) | Q(team__isnull=False)
    return bool(SavedView.objects.filter(mine, pk=number).delete()[0])


def look(user: User) -> tuple[int, Sequence[str]]:
    """Return the highest incident's number, 0 for none, and the columns that a person sees, in their order.

    One question for both: each page of the queue asks it.
    """
    kept = Subquery(QueueLook.objects.filter(owner=user).values("columns")[:1])
    newest, chosen = Incident.objects.order_by("-pk").values_list("pk", kept).first() or (0, None)
    return newest, [name for name in COLUMNS if name in (USUAL if chosen is None else chosen)]


def choose(user: User, chosen: Sequence[str]) -> None:
    """Keep which columns a person sees."""
    kept = [name for name in COLUMNS if name in chosen]
    QueueLook.objects.update_or_create(owner=user, defaults={"columns": kept})


def _audience(audience: str, by: User) -> tuple[Team | None, bool]:
    if audience and not by.has_perm(Permission.TRIAGE_INCIDENTS):
        raise ViewRefused("Your role reads incidents: keep the view for yourself.")
    if audience == "all":
        if not by.has_perm(Permission.SEE_EVERY_TEAM):
            raise ViewRefused("Views for everybody are made by who sees every team. Share it with your team.")
        return None, True
    if audience:
        team = next((each for each in by.teams.all() if each.slug == audience), None)
        if team is None:
            raise ViewRefused("Share a view with a team that you are in.")
        return team, False
    return None, False
