"""People, their teams, and the sign-ins that failed of late."""

from django.contrib.auth.models import AbstractUser
from django.db import models


class Team(models.Model):
    """One group of people who own sources and see their incidents."""

    name = models.CharField(max_length=80, unique=True)
    slug = models.SlugField(max_length=80, unique=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class User(AbstractUser):
    """One person. Roles are groups (accounts.roles); teams say whose incidents they see."""

    teams = models.ManyToManyField(Team, related_name="people", blank=True)

    class Meta(AbstractUser.Meta):
        permissions = (
            ("see_incidents", "Can see the incidents of their teams"),
            ("see_every_team", "Can see the incidents of every team"),
            ("triage_incidents", "Can acknowledge, assign, close and reopen incidents"),
            ("submit_claims", "Can enter a claim"),
        )

    def __str__(self) -> str:
        return self.get_full_name() or self.username


class SignInAttempt(models.Model):
    """One sign-in that was tried and has not succeeded, kept to slow the next ones down."""

    name_digest = models.CharField(max_length=64, help_text="SHA-256 of the name in lower case")
    address = models.CharField(max_length=64)
    tried_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["name_digest", "tried_at"], name="attempts_by_name"),
            models.Index(fields=["address", "tried_at"], name="attempts_by_address"),
        ]

    def __str__(self) -> str:
        return f"attempt from {self.address}"
