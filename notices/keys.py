"""The secrets of webhooks: made of NOTICE_KEY and a nonce, so that the database and its backups hold none."""

import hashlib
import hmac
import secrets
from datetime import datetime

from django.conf import settings

from notices.models import Route


class NoKey(Exception):
    """NOTICE_KEY is not set here, so nothing can be signed."""


def new_nonce() -> str:
    """Return what makes a route's secret another one."""
    return secrets.token_hex(16)


def key_of(nonce: str) -> bytes:
    """Return the signing key that belongs to a nonce; raise NoKey."""
    if not settings.NOTICE_KEY:
        raise NoKey("webhooks are signed, and NOTICE_KEY is not set: give web and upkeep the same one")
    text = f"assay webhook {nonce}".encode()
    return hmac.new(settings.NOTICE_KEY.encode(), text, hashlib.sha256).digest()


def keys_of(route: Route, now: datetime) -> list[bytes]:
    """Return the route's key, and the one before while receivers may still hold that. Raises NoKey."""
    keys = [key_of(route.nonce)]
    if route.previous_nonce and route.previous_until and now < route.previous_until:
        keys.append(key_of(route.previous_nonce))
    return keys
