"""The write switch: off on a fresh install; one person switches it off, two switch it on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F

from accounts.models import Team, User
from accounts.permissions import Permission
from approvals.actions import registry
from approvals.models import ActionRequest, WriteSwitch
from approvals.moving import recorded
from approvals.outcomes import MoveRefused
from assay_core.numbers import whole
from audit import writing

GLOBAL = "global"
_SECOND_WITHIN = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Standing:
    """How the switches of some scopes stand together. `version` changes with each change of any of them."""

    off: tuple[str, ...]
    version: int

    @property
    def is_on(self) -> bool:
        """Whether writes may be executed there."""
        return not self.off


def scopes_of(request: ActionRequest) -> tuple[str, ...]:
    """Return the scopes that a request falls into; each of them has to be on."""
    team = () if request.team_id is None else (f"team:{request.team_id}",)
    return (GLOBAL, *team, f"action:{request.action}")


def refuse_unknown(scope: str) -> None:
    """Raise MoveRefused for a scope that no request can fall into."""
    kind, _, name = scope.partition(":")
    known = (
        scope == GLOBAL
        or (kind == "team" and _is_team(name))
        or (kind == "action" and name in registry.current().actions)
    )
    if not known:
        raise MoveRefused(f"There is no scope {scope[:80]!r}: use global, team:ID or action:NAME.")


def _is_team(name: str) -> bool:
    """Whether a scope names a team as the scopes of requests do: team:7 is one, team:007 none."""
    number = whole(name) or 0
    return name == str(number) and Team.objects.filter(pk=number).exists()


def standing(scopes: Sequence[str], *, lock: bool = False) -> Standing:
    """Return how the scopes stand; with `lock` they stay so until the caller's transaction ends.

    A missing row is off, and WRITES_ENABLED=0 in the environment is off for all.
    """
    if not settings.WRITES_ENABLED:
        return Standing(("the environment (WRITES_ENABLED=0)",), 0)
    rows = WriteSwitch.objects.filter(scope__in=scopes).order_by("scope")
    if lock:
        rows = rows.select_for_update()
    held = {row.scope: row for row in rows}
    off = tuple(scope for scope in scopes if scope not in held or not held[scope].writes_enabled)
    return Standing(off, sum(row.version for row in held.values()))


def flip(scope: str, on: bool, *, person: User, because: str, now: datetime) -> WriteSwitch:
    """Switch off at once, or ask for on; on it goes with the second person who asks within 15 minutes.

    Raises MoveRefused, recorded.
    """
    with recorded(person.actor, f"switch {scope[:80]} {'on' if on else 'off'}"):
        _refuse(scope, person, because)
        return (
            _switched_on(scope, person, because.strip(), now)
            if on
            else _off(scope, person, because.strip(), now)
        )


def _refuse(scope: str, person: User, because: str) -> None:
    if not person.is_active or not person.has_perm(Permission.MANAGE_WRITES):
        raise MoveRefused("The write switch is flipped by managers and administrators.")
    if not 5 <= len(because.strip()) <= 300:
        raise MoveRefused("Say why, in 5 to 300 characters.")
    refuse_unknown(scope)


def _row(scope: str, person: User, now: datetime) -> WriteSwitch:
    WriteSwitch.objects.bulk_create(
        [WriteSwitch(scope=scope, changed_at=now, changed_by=person.actor)], ignore_conflicts=True
    )
    return WriteSwitch.objects.select_for_update(of=("self",)).get(scope=scope)


def _switched_on(scope: str, person: User, because: str, now: datetime) -> WriteSwitch:
    if not settings.WRITES_ENABLED:
        raise MoveRefused("WRITES_ENABLED=0 in the environment forces writes off. Unset it first.")
    row = _row(scope, person, now)
    if row.writes_enabled:
        raise MoveRefused(f"Writes are on already for {scope}.")
    is_second = (
        row.wanted_by_id is not None
        and row.wanted_by_id != person.pk
        and row.wanted_at is not None
        and now - row.wanted_at <= _SECOND_WITHIN
    )
    if not is_second:
        if row.wanted_by_id == person.pk and row.wanted_at and now - row.wanted_at <= _SECOND_WITHIN:
            raise MoveRefused("You have asked for it already: a second person has to ask for it, too.")
        row.wanted_by, row.wanted_at, row.because = person, now, because
        row.save(update_fields=["wanted_by", "wanted_at", "because"])
        _note("switch.wanted", row, person, because)
        return row
    first = row.wanted_by.actor if row.wanted_by else ""
    _change(row, True, person, because, now)
    _note("switch.enabled", row, person, because, first=first)
    return row


def _off(scope: str, person: User, because: str, now: datetime) -> WriteSwitch:
    row = _row(scope, person, now)
    _change(row, False, person, because, now)
    _note("switch.disabled", row, person, because)
    return row


def _change(row: WriteSwitch, on: bool, person: User, because: str, now: datetime) -> None:
    WriteSwitch.objects.filter(pk=row.pk).update(
        writes_enabled=on,
        version=F("version") + 1,
        changed_at=now,
        changed_by=person.actor,
        because=because,
        wanted_by=None,
        wanted_at=None,
    )
    row.refresh_from_db()


def _note(kind: str, row: WriteSwitch, person: User, because: str, **more: str) -> None:
    with transaction.atomic():
        payload = {"scope": row.scope, "version": row.version, "because": because, **more}
        writing.write(kind, payload, actor=person.actor)
