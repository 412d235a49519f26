"""Which second factors a person has set up, and taking them away when they are lost."""

from dataclasses import dataclass

from allauth.mfa.models import Authenticator
from django.db import transaction

from accounts.models import User


@dataclass(frozen=True, slots=True)
class SecondFactors:
    """What a person can show beside a password."""

    app: Authenticator | None
    passkeys: tuple[Authenticator, ...]
    codes_left: int | None

    @property
    def is_set_up(self) -> bool:
        """Whether there is an app or a passkey; recovery codes only stand in for them."""
        return self.app is not None or bool(self.passkeys)


def of_person(person: User) -> SecondFactors:
    """Return the person's second factors, in one query."""
    rows = list(Authenticator.objects.filter(user_id=person.pk).order_by("created_at", "pk"))
    codes = next((row for row in rows if row.type == Authenticator.Type.RECOVERY_CODES), None)
    return SecondFactors(
        app=next((row for row in rows if row.type == Authenticator.Type.TOTP), None),
        passkeys=tuple(row for row in rows if row.type == Authenticator.Type.WEBAUTHN),
        codes_left=None if codes is None else len(codes.wrap().get_unused_codes()),
    )


def take_away(person: User) -> int:
    """Remove all second factors of a person who lost theirs, each with its entry; return how many."""
    with transaction.atomic():
        return int(Authenticator.objects.filter(user_id=person.pk).delete()[0])
