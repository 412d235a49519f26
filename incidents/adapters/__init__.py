"""Adapters: pure functions from a delivery's bytes to signals, by name."""

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType

from incidents.adapters import alertmanager, claim, heartbeat, schedule
from incidents.adapters.reading import Reading

Read = Callable[[bytes, datetime], Reading]

# What a sender may be connected through.
POSTED: Mapping[str, Read] = MappingProxyType(
    {"alertmanager": alertmanager.read, "claim": claim.read, "heartbeat": heartbeat.read}
)
READERS: Mapping[str, Read] = MappingProxyType({**POSTED, "schedule": schedule.read})
