"""What an administrator does with people and teams, each with its audit entry."""

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.text import slugify

from accounts import sessions
from accounts.models import Team, User
from accounts.roles import Role
from audit import reading, writing


class ChangeRefused(ValueError):
    """A change of a person or a team cannot be made; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a person stands: one role or none, any number of teams, switched on or off."""

    role: Role | None
    teams: frozenset[int]
    is_active: bool

    def mark(self) -> str:
        """What a form carries along to say on which place it was made."""
        return f"{self.role or 'none'} {','.join(map(str, sorted(self.teams)))} {self.is_active}"


def place_of(person: User) -> Place:
    """Return where a person stands now. Of several roles it is the first by name."""
    role = person.groups.filter(name__in=list(Role)).order_by("name").values_list("name", flat=True).first()
    return Place(
        Role(role) if role else None,
        frozenset(person.teams.values_list("pk", flat=True)),
        person.is_active,
    )


def move(person_id: int, *, to: Place, by: User, made_on: str = "") -> list[str]:
    """Give a person a role, teams and a switch, and return what changed, in words.

    Raises ChangeRefused where no administrator would be left who can sign in, and where the form was made
    on another place than the present one: it would take back what somebody else has done.
    """
    with transaction.atomic():
        _lock_administrators()
        person = User.objects.select_for_update().get(pk=person_id)
        before = place_of(person)
        if made_on and made_on != before.mark():
            raise ChangeRefused(_overtaken(person, before))
        changes = _put(person, before, to, by)
        if (before.role is Role.ADMINISTRATOR or person.is_superuser) and not _administrators().exists():
            raise ChangeRefused(
                f"{person} is the last administrator who can sign in. Give somebody else that role first."
            )
    return changes


def _overtaken(person: User, now: Place) -> str:
    told = reading.latest_about("person.", "username", person.username)
    who = told.actor.removeprefix("person:") if told else "somebody"
    teams = ", ".join(person.teams.order_by("name").values_list("name", flat=True))
    return (
        f"{who} has changed {person} since you opened this page: the role is {now.role or 'none'} now, the "
        f"teams are {teams or 'none'}, and they {'may' if now.is_active else 'may not'} sign in. Nothing of "
        "yours was saved. It still stands below: look, then save it again."
    )


def _put(person: User, before: Place, to: Place, by: User) -> list[str]:
    changes = []
    if to.role != before.role or person.groups.filter(name__in=list(Role)).count() > 1:
        give_role(person, to.role, by=by.actor)
        changes.append(f"the role is {to.role or 'none'} now")
    if to.teams != before.teams:
        put_into_teams(person, to.teams, by=by.actor)
        changes.append("the teams are changed")
    if to.is_active != before.is_active:
        _switch(person, to.is_active, by)
        changes.append("the account is switched on" if to.is_active else "the account is switched off")
    return changes


def give_role(person: User, role: Role | None, *, by: str) -> None:
    """Make this the person's one role and write `person.role_changed`."""
    before = sorted(person.groups.filter(name__in=list(Role)).values_list("name", flat=True))
    person.groups.remove(*Group.objects.filter(name__in=list(Role)))
    if role is not None:
        person.groups.add(Group.objects.get(name=role.value))
    writing.write(
        "person.role_changed",
        {"username": person.username, "before": before, "after": [role.value] if role else []},
        actor=by,
    )


def put_into_teams(person: User, teams: Collection[int], *, by: str) -> None:
    """Make these the person's teams and write `person.teams_changed`."""
    before = sorted(person.teams.values_list("slug", flat=True))
    person.teams.set(Team.objects.filter(pk__in=teams))
    after = sorted(person.teams.values_list("slug", flat=True))
    writing.write(
        "person.teams_changed", {"username": person.username, "before": before, "after": after}, actor=by
    )


def _switch(person: User, is_active: bool, by: User) -> None:
    person.is_active = is_active
    person.save(update_fields=["is_active"])
    kind = "person.switched_on" if is_active else "person.switched_off"
    writing.write(kind, {"username": person.username}, actor=by.actor)
    if not is_active:
        sessions.end_all(person, by=by)


def make_team(name: str, *, by: User) -> Team:
    """Make a team and write `team.made`. Raises ChangeRefused for a name that is empty or taken."""
    slug = slugify(name)
    if not slug:
        raise ChangeRefused("A team's name needs a letter or a digit.")
    try:
        with transaction.atomic():
            team = Team.objects.create(name=name, slug=slug)
            writing.write("team.made", {"team": slug, "name": name}, actor=by.actor)
    except IntegrityError:
        raise ChangeRefused(f"There is a team {name!r}, or one whose name reads like it.") from None
    return team


def rename_team(team: Team, name: str, *, by: User, made_on: str = "") -> None:
    """Give a team another name, its slug stays, and write `team.renamed`. Raises ChangeRefused.

    `made_on` is the name that the form was made on: nobody takes back another's name unseen.
    """
    try:
        with transaction.atomic():
            before = Team.objects.select_for_update().get(pk=team.pk).name
            if before == name:
                return
            if made_on and made_on != before:
                told = reading.latest_about("team.renamed", "team", team.slug)
                who = told.actor.removeprefix("person:") if told else "somebody"
                raise ChangeRefused(
                    f"{who} has renamed it to {before!r} since you opened this page. Yours was not saved. "
                    "It still stands below: look, then save it again."
                )
            Team.objects.filter(pk=team.pk).update(name=name)
            writing.write(
                "team.renamed", {"team": team.slug, "before": before, "after": name}, actor=by.actor
            )
    except IntegrityError:
        raise ChangeRefused(f"There is a team {name!r} already.") from None


def _administrators() -> QuerySet[User]:
    return User.objects.filter(Q(groups__name=Role.ADMINISTRATOR) | Q(is_superuser=True), is_active=True)


def _lock_administrators() -> None:
    """Two administrators who demote each other at once must not both succeed."""
    list(Group.objects.select_for_update().filter(name=Role.ADMINISTRATOR))
