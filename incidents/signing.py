"""Signed deliveries: the sender signs each body with a secret that is made here and sent to nobody.

The secret is made of HOOK_KEY and of what is kept of the source's own secret, so that neither the database
nor its backups hold what a body could be signed with.
"""

import hashlib
import hmac

from django.conf import settings

from incidents.models import Source

HEADER = "X-Hub-Signature-256"
_PREFIX = "sha256="


class NoKey(Exception):
    """HOOK_KEY is not set here, so no signature can be checked; the message says what to do."""


def secret_of(digest: str) -> str:
    """Return the secret that belongs to a source's kept digest; raise NoKey."""
    if not settings.HOOK_KEY:
        raise NoKey(
            "HOOK_KEY is not set: signed senders need it. Give the web process one (docs/settings.md)."
        )
    made = hmac.new(settings.HOOK_KEY.encode(), f"assay hook {digest}".encode(), hashlib.sha256)
    return made.hexdigest()


def signature(secret: str, body: bytes) -> str:
    """Return what stands in the header for a body."""
    return _PREFIX + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def is_signed(source: Source, body: bytes, given: str) -> bool:
    """Compare in constant time with the signature by the source's secret, and by the next while it changes.

    Raises NoKey.
    """
    expected = [signature(secret_of(each), body) for each in _kept(source)]
    sent = given.strip().encode("utf-8", "replace")
    return any([hmac.compare_digest(sent, each.encode()) for each in expected])  # noqa: C419 both, always


def _kept(source: Source) -> list[str]:
    return [each for each in (source.secret_digest, source.next_secret_digest) if each]
