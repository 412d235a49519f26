"""Signatures of webhooks as Standard Webhooks has them: HMAC-SHA256 over id, time and body. Pure."""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime

PREFIX = "whsec_"


def shown_secret(key: bytes) -> str:
    """Return a key as receivers are given it."""
    return PREFIX + base64.b64encode(key).decode("ascii")


def signature(key: bytes, message_id: str, sent_at: datetime, body: bytes) -> str:
    """Return `v1,` and the signature in base64."""
    signed = b"%s.%d.%s" % (message_id.encode("ascii"), int(sent_at.timestamp()), body)
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode("ascii")


def headers(keys: Sequence[bytes], message_id: str, sent_at: datetime, body: bytes) -> Mapping[str, str]:
    """Return the three headers; with several keys a signature by each, so that a secret can be changed."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(sent_at.timestamp())),
        "webhook-signature": " ".join(signature(key, message_id, sent_at, body) for key in keys),
    }
