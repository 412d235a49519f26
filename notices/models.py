"""Routes (who hears of what, and how), notices (what they heard of), and messages with their outcomes."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import Team
from notices.events import Event, Kind, MessageState


class Route(models.Model):
    """One way to one team, person or program, and what goes that way.

    A route without a team hears of every team. A webhook's secret is not kept: it is made of SECRET_KEY and
    the nonce.
    """

    title = models.CharField(max_length=80)
    kind = models.CharField(max_length=8, choices=[(kind.value, kind.value) for kind in Kind])
    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, blank=True, related_name="routes")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="routes"
    )
    address = models.TextField(blank=True, default="", help_text="mail addresses, or a webhook's URL")
    events = models.JSONField(default=list)
    least_rank = models.SmallIntegerField(default=7, help_text="the least severe that is told; 7: all")
    wait_minutes = models.PositiveIntegerField(default=0, help_text="told only if it still waits then")
    repeat_minutes = models.PositiveIntegerField(default=0, help_text="told again while it waits; 0: never")
    nonce = models.CharField(max_length=64, blank=True, default="")
    previous_nonce = models.CharField(max_length=64, blank=True, default="")
    previous_until = models.DateTimeField(null=True, blank=True)
    made_by = models.CharField(max_length=200)
    made_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_because = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["person"], condition=Q(ended_at=None), name="one_route_for_a_person"
            ),
            models.CheckConstraint(
                condition=Q(kind="person", person__isnull=False) | (~Q(kind="person") & Q(person=None)),
                name="a_person_on_a_persons_route",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Notice(models.Model):
    """One thing that people are told of. Of one thing there is one at a time until it is over."""

    event = models.CharField(max_length=30, choices=[(event.value, event.value) for event in Event])
    about = models.CharField(max_length=20, help_text="incident, request, or route for a test")
    about_id = models.BigIntegerField()
    team_id = models.BigIntegerField(null=True, blank=True)
    severity = models.CharField(max_length=20, blank=True, default="")
    title = models.CharField(max_length=300)
    words = models.TextField(blank=True, default="")
    path = models.CharField(max_length=200, help_text="the page it leads to, without the host")
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["about", "about_id", "event"], condition=Q(ended_at=None), name="told_of_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} of {self.about} {self.about_id}"


class Message(models.Model):
    """One notice on its way to one address, and how that ended."""

    notice = models.ForeignKey(Notice, on_delete=models.PROTECT, related_name="messages")
    route = models.ForeignKey(Route, on_delete=models.PROTECT, related_name="messages")
    address = models.CharField(max_length=500)
    round = models.PositiveSmallIntegerField(default=0, help_text="how often this address was told before")
    key = models.CharField(max_length=40, unique=True, help_text="the same whenever it is tried again")
    state = models.CharField(
        max_length=8, choices=[(s.value, s.value) for s in MessageState], default=MessageState.WAITING
    )
    due_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    said = models.CharField(max_length=300, blank=True, default="", help_text="how the last try ended")
    tried_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["notice", "route", "address", "round"], name="one_message_in_a_round"
            )
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(state="waiting"), name="messages_to_send"),
            models.Index(fields=["address", "-tried_at"], name="messages_of_an_address"),
        ]

    def __str__(self) -> str:
        return f"message {self.pk}: {self.state}"
