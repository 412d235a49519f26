"""People and their teams."""

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

    def __str__(self) -> str:
        return self.get_full_name() or self.username
