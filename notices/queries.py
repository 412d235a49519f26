"""Which messages and routes a person sees."""

from datetime import datetime, timedelta

from django.db.models import Count, Max, Q, QuerySet

from accounts.models import User
from accounts.permissions import Permission
from notices import standings
from notices.events import Event, MessageState
from notices.models import Message, Route


def messages(user: User, *, state: str = "", event: str = "") -> QuerySet[Message]:
    """Return the messages about what the person may see, with their notice and route."""
    rows = Message.objects.select_related("notice", "route", "route__team")
    kept = standings.kept_from(user, "incident")
    rows = rows.exclude(notice__about="incident", notice__about_id__in=kept)
    if not user.has_perm(Permission.SEE_EVERY_TEAM):
        rows = rows.filter(Q(notice__team_id=None) | Q(notice__team_id__in=user.teams.values("pk")))
    if state in list(MessageState):
        rows = rows.filter(state=state)
    if event in list(Event):
        rows = rows.filter(notice__event=event)
    return rows


def routes() -> list[Route]:
    """Return the routes of teams and programs that stand, each with its last failure and how many it told."""
    rows = Route.objects.filter(ended_at=None, person=None).select_related("team")
    return list(
        rows.annotate(
            sent_count=Count("messages", filter=Q(messages__state=MessageState.SENT)),
            failed_count=Count("messages", filter=Q(messages__state=MessageState.FAILED)),
            last_tried_at=Max("messages__tried_at"),
        ).order_by("title", "pk")
    )


def failed_lately(user: User, now: datetime) -> int:
    """Return how many messages of the last day reached nobody."""
    return messages(user, state=MessageState.FAILED).filter(created_at__gt=now - timedelta(days=1)).count()


def own_route(person: User) -> Route | None:
    """Return what the person chose to hear of, if anything."""
    return Route.objects.filter(person=person, ended_at=None).first()
