"""What the account tests share: browsers with a fresh proof, codes of an authenticator app, audit entries."""

import json
import time
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from allauth.mfa.utils import encrypt
from django.db import connection
from django.test import Client

from accounts.models import User
from tests.web.pages import signed_in

PASSWORD = "a long test password"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def fresh(user: User, *, seconds_ago: float = 0, **record: Any) -> Client:
    """Return a browser in which this person is signed in and has just shown who they are."""
    client = signed_in(user)
    shown(client, user, seconds_ago=seconds_ago, **record)
    return client


def shown(client: Client, user: User, *, seconds_ago: float = 0, **record: Any) -> None:
    """Write into the browser's session that this was shown; a password where nothing else is said."""
    session = client.session
    session["account_authentication_methods"] = [
        {"method": "password", **record, "at": time.time() - seconds_ago}
    ]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()


def entries(prefix: str) -> list[dict[str, Any]]:
    """Return kind, actor and payload of the entries whose kind begins so, in order."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT e.kind, e.actor, p.body FROM audit_entry e JOIN audit_payload p ON p.entry = e.id"
            " WHERE e.kind LIKE %s ORDER BY e.id",
            [f"{prefix}%"],
        )
        return [{"kind": kind, "actor": actor, **json.loads(body)} for kind, actor, body in cursor.fetchall()]


def with_app(user: User) -> User:
    """Give the person an authenticator app with the secret of these tests."""
    Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={"secret": encrypt(SECRET)})
    return user


def code(steps: int = 0) -> str:
    """Return the code that the app shows now, or some steps of 30 seconds away."""
    return str(totp.format_hotp_value(totp.hotp_value(SECRET, int(time.time()) // 30 + steps)))
