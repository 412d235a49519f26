"""One write over HTTP: sent once, never redirected; its answer is yes, no or unknown."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import httpx

from approvals.actions.base import ActionFailed, OutcomeUnknown

_MOST_BYTES = 262_144
# The server says with these that it did not get round to it.
CLEAR_NO = frozenset(
    {400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 412, 413, 415, 422, 423, 428, 429, 451}
)


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent. `headers` hold the credential and appear in no message."""

    method: str
    url: str
    body: Any
    headers: Mapping[str, str] = field(repr=False, default_factory=dict)
    seconds: float = 20.0


def send(request: Request) -> Mapping[str, Any]:
    """Send it once and return status and JSON of a yes. Raises ActionFailed, OutcomeUnknown."""
    content = json.dumps(request.body, separators=(",", ":"), ensure_ascii=True).encode()
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": "assay",
        **request.headers,
    }
    try:
        with (
            httpx.Client(trust_env=False, follow_redirects=False, timeout=request.seconds) as client,
            client.stream(request.method, request.url, content=content, headers=headers) as reply,
        ):
            return _answered(reply, time.monotonic() + request.seconds)
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as error:
        raise ActionFailed(f"the target cannot be reached ({type(error).__name__})") from None
    except httpx.HTTPError as error:
        raise OutcomeUnknown(
            f"the connection broke after the write was sent ({type(error).__name__})"
        ) from None


def signature(secret: str, key: str, at: datetime, body: Any) -> dict[str, str]:
    """Return the headers of Standard Webhooks for a body; `whsec_` before a base64 secret is understood."""
    content = json.dumps(body, separators=(",", ":"), ensure_ascii=True)
    raw = base64.b64decode(secret.removeprefix("whsec_")) if secret.startswith("whsec_") else secret.encode()
    stamp = str(int(at.timestamp()))
    mac = hmac.new(raw, f"{key}.{stamp}.{content}".encode(), hashlib.sha256).digest()
    signed = base64.b64encode(mac).decode()
    return {"webhook-id": key, "webhook-timestamp": stamp, "webhook-signature": f"v1,{signed}"}


def _answered(reply: httpx.Response, end: float) -> Mapping[str, Any]:
    read = b""
    if reply.is_success:
        for part in reply.iter_bytes():
            read += part
            if len(read) > _MOST_BYTES or time.monotonic() > end:
                break  # the yes stands in the status; the rest is for the record alone
        return {"status": reply.status_code, "body": _json(read)}
    if reply.status_code in CLEAR_NO:
        raise ActionFailed(f"the target answered {reply.status_code}")
    raise OutcomeUnknown(f"the target answered {reply.status_code}, which leaves open what it did")


def _json(read: bytes) -> Any:
    try:
        found = json.loads(read) if read else None
    except ValueError:
        return read[:200].decode("utf-8", "replace")
    return found if len(read) <= _MOST_BYTES else None
