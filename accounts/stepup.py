"""Step-up: by which method a person showed of late that it is they who sit there, and when.

The record is what sign-in and re-authentication leave in the session; nothing that a browser sends is read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, cast

from allauth.account.authentication import get_authentication_records
from django.http import HttpRequest

FRESH_FOR = timedelta(seconds=300)
# A clock that was set back between two requests is no reason to call a proof stale.
_CLOCK_SLACK = timedelta(seconds=2)


class Method(StrEnum):
    """How a person showed who they are. The word is what an approval's record holds."""

    PASSKEY = "passkey"
    TOTP = "totp"
    RECOVERY_CODE = "recovery_code"
    SINGLE_SIGN_ON = "single_sign_on"
    PASSWORD = "password"  # noqa: S105 the name of a method


# What a stranger with a stolen password, or with a session at the identity provider, does not have.
STRONG = frozenset({Method.PASSKEY, Method.TOTP})
SECOND = STRONG | {Method.RECOVERY_CODE}
_MFA = {"webauthn": Method.PASSKEY, "totp": Method.TOTP, "recovery_codes": Method.RECOVERY_CODE}
_OTHER = {"password": Method.PASSWORD, "socialaccount": Method.SINGLE_SIGN_ON}


@dataclass(frozen=True, slots=True)
class StepUp:
    """One proof: the method and its time. A password alone is not enough where the risk is high."""

    method: Method
    at: datetime

    @property
    def is_strong(self) -> bool:
        """Whether it is enough for a decision of high risk: a passkey or a code of an authenticator app."""
        return self.method in STRONG


def recent(request: HttpRequest, now: datetime) -> StepUp | None:
    """Return the strongest proof of the signed-in person within the last 300 s, the newest of equals.

    None where there is none: nobody is signed in, the proofs are older, or they are another person's.
    """
    records = cast("list[Any]", get_authentication_records(request, request.user))
    return strongest(records, now)


def strongest(records: list[Any], now: datetime) -> StepUp | None:
    """Return the strongest fresh proof among a session's records; what cannot be read proves nothing."""
    proofs = (proof for record in records if (proof := _proof(record)) is not None)
    fresh = [proof for proof in proofs if -_CLOCK_SLACK <= now - proof.at <= FRESH_FOR]
    return max(fresh, key=lambda proof: (proof.is_strong, proof.method in SECOND, proof.at), default=None)


def _proof(record: Any) -> StepUp | None:
    if not isinstance(record, Mapping):
        return None
    method = (_MFA if record.get("method") == "mfa" else _OTHER).get(
        str(record.get("type") if record.get("method") == "mfa" else record.get("method"))
    )
    at = record.get("at")
    if method is None or isinstance(at, bool) or not isinstance(at, int | float):
        return None
    try:
        return StepUp(method, datetime.fromtimestamp(at, UTC))
    except (OverflowError, OSError, ValueError):
        return None
