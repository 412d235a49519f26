"""The change calendar: windows in which nothing is executed, and requests that a person lets through."""

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.permissions import Permission
from approvals import switch
from approvals.models import ActionRequest, Decision, Freeze, FreezeException
from approvals.moving import Note, found, recorded, write
from approvals.outcomes import MoveRefused
from audit import writing


def standing(scopes: Sequence[str], request: ActionRequest | None, now: datetime) -> list[Freeze]:
    """Return the freezes of these scopes that stand now and do not let this request through."""
    rows = Freeze.objects.filter(scope__in=scopes, starts_at__lte=now, ends_at__gt=now, ended_at=None)
    if request is not None:
        rows = rows.exclude(exceptions__request=request)
    return list(rows)


def make(title: str, scope: str, window: tuple[datetime, datetime], *, person: User, now: datetime) -> Freeze:
    """Put a freeze into the calendar. Raises MoveRefused, recorded."""
    with recorded(person.actor, "make a freeze"):
        _refuse(person, title, "Give it a title")
        starts_at, ends_at = window
        if ends_at <= max(starts_at, now):
            raise MoveRefused("A freeze ends after it begins, and not in the past.")
        # One that nothing falls into would freeze nothing, and stand in the calendar as if it did.
        switch.refuse_unknown(scope)
        alike = Freeze.objects.filter(title=title.strip(), scope=scope, starts_at=starts_at, ends_at=ends_at)
        if alike.filter(ended_at=None).exists():
            raise MoveRefused("That freeze stands in the calendar already.")
        freeze = Freeze.objects.create(
            title=title.strip(), scope=scope, starts_at=starts_at, ends_at=ends_at,
            made_by=person.actor, made_at=now,
        )  # fmt: skip
        _note("freeze.made", freeze, person, {"title": freeze.title, "scope": scope})
        return freeze


def end(freeze_id: int, *, person: User, because: str, now: datetime) -> Freeze:
    """End a freeze; whoever made it cannot. Raises MoveRefused, recorded."""
    with recorded(person.actor, f"end freeze {freeze_id}"):
        freeze = _standing(freeze_id, person, because, now)
        Freeze.objects.filter(pk=freeze.pk, ended_at=None).update(ended_at=now, ended_by=person.actor)
        freeze.refresh_from_db()
        _note("freeze.ended", freeze, person, {"because": because.strip()})
        return freeze


def let_through(freeze_id: int, request_id: int, *, person: User, because: str, now: datetime) -> None:
    """Let one request through, by name: not one's own nor one that one decided. MoveRefused, recorded."""
    with recorded(person.actor, f"except request {request_id} from freeze {freeze_id}", request=request_id):
        freeze = _standing(freeze_id, person, because, now)
        request = found(request_id)
        if person.pk in (request.proposer, request.editor, request.token_owner):
            raise MoveRefused("It is your own request: somebody else has to let it through.")
        if Decision.objects.filter(request=request, person=person).exists():
            raise MoveRefused("You decided this request: somebody else has to let it through the freeze.")
        try:
            with transaction.atomic():
                FreezeException.objects.create(
                    freeze=freeze, request=request, by=person.actor, because=because.strip(), at=now
                )
        except IntegrityError:
            raise MoveRefused("It is let through already.") from None
        write(
            request, Note("freeze.excepted", person.actor, {"freeze": freeze.pk, "because": because.strip()})
        )


def _standing(freeze_id: int, person: User, because: str, now: datetime) -> Freeze:
    _refuse(person, because, "Say why")
    freeze = Freeze.objects.select_for_update().filter(pk=freeze_id, ended_at=None, ends_at__gt=now).first()
    if freeze is None:
        raise MoveRefused(f"There is no freeze {freeze_id} that still stands.")
    if freeze.made_by == person.actor:
        raise MoveRefused("You made this freeze: somebody else has to open it.")
    return freeze


def _refuse(person: User, words: str, ask: str) -> None:
    if not person.is_active or not person.has_perm(Permission.MANAGE_WRITES):
        raise MoveRefused("The change calendar is kept by managers and administrators.")
    if not 5 <= len(words.strip()) <= 120:
        raise MoveRefused(f"{ask}, in 5 to 120 characters.")


def _note(kind: str, freeze: Freeze, person: User, payload: dict[str, str]) -> None:
    writing.write(kind, {"freeze": freeze.pk, **payload}, actor=person.actor)
