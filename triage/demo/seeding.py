"""The demo's people, teams and sources; made once, left alone when they are there."""

import hashlib
import hmac
import io
import os
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import Group
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from accounts.models import Team, User
from accounts.roles import Role
from incidents.models import Source
from toolbox import acknowledgements, registry

_VARIABLE = "DEMO_SOURCE_SECRET"


def seed_people(people: list[Mapping[str, Any]]) -> None:
    """Make each person with their role and team."""
    for one in people:
        with transaction.atomic():
            if User.objects.filter(username=one["username"]).exists():
                continue
            first, _, last = str(one["full_name"]).partition(" ")
            person = User.objects.create_user(
                one["username"], password=one["password"], first_name=first, last_name=last
            )
            person.groups.add(Group.objects.get(name=one["role"]))
            if one.get("team"):
                person.teams.add(_team(one["team"]))


def seed_sources(sources: list[Mapping[str, Any]], key: str) -> None:
    """Add each source that is missing, with the secret that follows from the demo's key."""
    for one in sources:
        if Source.objects.filter(slug=one["slug"]).exists():
            continue
        options: dict[str, Any] = {"adapter": one["adapter"], "title": one["title"]}
        if one.get("team"):
            options["team"] = _team(one["team"]).slug
        for name in ("every", "grace"):
            if one.get(name) is not None:
                options[name] = one[name]
        os.environ[_VARIABLE] = secret_of(one["slug"], key)
        try:
            call_command("addsource", one["slug"], secret_env=_VARIABLE, stdout=io.StringIO(), **options)
        finally:
            del os.environ[_VARIABLE]


def acknowledge_tools() -> None:
    """Accept the example's tools as this version has them: the example is ours, and nobody else's data."""
    administrator = User.objects.filter(is_active=True, groups__name=Role.ADMINISTRATOR).first()
    if administrator is None:
        return
    for one in acknowledgements.changed(registry.current().definitions.values()):
        acknowledgements.acknowledge(one.definition, by=administrator, now=timezone.now())


def secret_of(slug: str, key: str) -> str:
    """Return the secret of a demo source: the same at each start, known to nobody without the key."""
    return hmac.new(key.encode(), slug.encode(), hashlib.sha256).hexdigest()


def _team(name: str) -> Team:
    return Team.objects.get_or_create(slug=slugify(name), defaults={"name": name})[0]
