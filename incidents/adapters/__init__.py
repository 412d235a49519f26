"""Adapters: pure functions from a delivery's bytes and kept headers to signals, by name."""

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType

from incidents.adapters import alertmanager, claim, github, heartbeat, schedule
from incidents.adapters.reading import Reading

Read = Callable[[bytes, datetime, Mapping[str, str]], Reading]
_Bare = Callable[[bytes, datetime], Reading]


def _without_headers(read: _Bare) -> Read:
    """Return a reader for senders whose bodies say everything."""
    return lambda body, received_at, headers: read(body, received_at)


# What a sender may be connected through.
POSTED: Mapping[str, Read] = MappingProxyType(
    {
        "alertmanager": _without_headers(alertmanager.read),
        "claim": claim.read,
        "github": github.read,
        "heartbeat": _without_headers(heartbeat.read),
    }
)
READERS: Mapping[str, Read] = MappingProxyType({**POSTED, "schedule": _without_headers(schedule.read)})
# Senders that sign each body with their secret, and send the secret to nobody.
SIGNED = frozenset({"github"})
