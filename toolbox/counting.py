"""How many calls ended how, for /metrics: counted in Redis, so that all processes add to the same figures.

Each process gathers its counts and hands them over twice a second, so that no call waits for that.
Counts only annotate: when Redis does not answer, or a process is killed, they are lost, and the call goes on.
"""

import atexit
import logging
import os
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import redis
from django.conf import settings

from toolbox.redisline import client

CALLS = "assay:counts:calls"
BUCKETS = "assay:counts:buckets"
SECONDS = "assay:counts:seconds"
REFUSALS = "assay:counts:refusals"
EXCHANGES = "assay:counts:exchanges"
TOKENS = "assay:counts:tokens"
MICROS = "assay:counts:micros"
CLASSIFIED = "assay:counts:classified"
EDGES = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_BETWEEN = "\x1f"
_REST_SECONDS = 5.0
_EVERY_SECONDS = 0.5
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Rest:
    """When Redis did not answer it is left alone for a while: a call must not wait for it again and again."""

    until: float = 0.0


_rest = _Rest()


def note_call(tool: str, caller: str, status: str, seconds: float) -> None:
    """Count one call by its end, and its time."""
    edge = next((str(each) for each in EDGES if seconds <= each), "+Inf")
    _add(
        (CALLS, (tool, caller, status), 1),
        (BUCKETS, (tool, caller, edge), 1),
        (SECONDS, (tool, caller), seconds),
    )


def note_refusal(status: int, reason: str) -> None:
    """Count one request that was refused before it reached a tool."""
    _add((REFUSALS, (str(status), reason), 1))


def note_exchange(endpoint: str, purpose: str, outcome: str) -> None:
    """Count one exchange with a model by its end."""
    _add((EXCHANGES, (endpoint, purpose, outcome), 1))


def note_classified(status: str, *, has_drifted: bool) -> None:
    """Count one classification of an issue by its end, and whether it named a label that nobody agreed on."""
    _add((CLASSIFIED, (status, "yes" if has_drifted else "no"), 1))


def note_spent(endpoint: str, *, tokens_in: int, tokens_out: int, micros: int) -> None:
    """Count what an exchange took and cost."""
    _add((TOKENS, (endpoint, "in"), tokens_in), (TOKENS, (endpoint, "out"), tokens_out))
    _add((MICROS, (endpoint,), micros))


def read(key: str) -> Mapping[tuple[str, ...], float]:
    """Return the counts under one key; raises redis.RedisError."""
    flush()
    found: Mapping[bytes, bytes] = client(settings.REDIS_URL).hgetall(key)  # type: ignore[assignment]  # a stub says it may wait
    return {tuple(field.decode().split(_BETWEEN)): float(value) for field, value in found.items()}


def flush() -> None:
    """Hand over what this process has counted since the last time."""
    with _gathered.lock:
        counts, _gathered.counts = _gathered.counts, defaultdict(float)
    if not counts or time.monotonic() < _rest.until:
        return
    try:
        with client(settings.REDIS_URL).pipeline(transaction=False) as pipe:
            for (key, labels), amount in counts.items():
                pipe.hincrbyfloat(key, _BETWEEN.join(labels), amount)
            pipe.execute()
    except redis.RedisError as error:
        _rest.until = time.monotonic() + _REST_SECONDS
        _log.warning("calls are not counted: Redis does not answer (%s)", type(error).__name__)


class _Gathered:
    """The counts that this process has not handed over yet, and the thread that does."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.counts: defaultdict[tuple[str, tuple[str, ...]], float] = defaultdict(float)
        self._is_watched = False

    def add(self, *counts: tuple[str, tuple[str, ...], float]) -> None:
        """Add to the counts; the first time, start handing them over."""
        with self.lock:
            for key, labels, amount in counts:
                self.counts[key, labels] += amount
            if self._is_watched:
                return
            self._is_watched = True
        threading.Thread(target=_hand_over, name="counts", daemon=True).start()


def _hand_over() -> None:
    while True:
        time.sleep(_EVERY_SECONDS)
        flush()


_gathered = _Gathered()
atexit.register(flush)


def _begin_anew() -> None:
    """After a fork: no thread came along, and what was counted is the parent's to hand over."""
    global _gathered
    _gathered = _Gathered()


os.register_at_fork(after_in_child=_begin_anew)


def _add(*counts: tuple[str, tuple[str, ...], float]) -> None:
    _gathered.add(*counts)
