"""How often a caller may ask and a tool may be asked: counted in Redis, for all processes together.

A limit is exact: at most so many calls in any span of its length. One script looks at all limits of a call
and counts it against all of them or none, so that parallel calls cannot slip through between the two.

When Redis does not answer, each process counts for itself: a limit guards against load, not against a wrong
answer, so losing the broker must neither stop every tool nor lift every limit. The entry says who counted.
"""

import hashlib
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import redis
from django.conf import settings

from toolbox.redisline import Line

_REST_SECONDS = 5.0
_MOST_KEYS = 10_000
_log = logging.getLogger(__name__)

# KEYS: one sorted set a limit. ARGV: the call's mark, whether to count whatever the limit, then most and
# microseconds of each. Returns 0, or the place of the limit that is reached and how long until it is not.
_SCRIPT = """
local now = redis.call('TIME')
local at = now[1] * 1000000 + now[2]
local counts = {}
for place, key in ipairs(KEYS) do
  local most, span = tonumber(ARGV[1 + place * 2]), tonumber(ARGV[2 + place * 2])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', at - span)
  counts[place] = redis.call('ZCARD', key)
  if ARGV[2] == '0' and counts[place] >= most then
    local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
    return {place, first[2] and (first[2] + span - at) or span}
  end
end
for place, key in ipairs(KEYS) do
  local most, span = tonumber(ARGV[1 + place * 2]), tonumber(ARGV[2 + place * 2])
  if counts[place] < most then
    redis.call('ZADD', key, string.format('%.0f', at), ARGV[1])
    redis.call('PEXPIRE', key, math.ceil(span / 1000))
  end
end
return {0, 0}
"""


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many calls in any span of so many seconds. `words` name it to whoever reached it."""

    key: str
    most: int
    seconds: float
    words: str


@dataclass(frozen=True, slots=True)
class Taken:
    """Whether a call is within its limits, and whether Redis counted it or this process alone."""

    refusal: str = ""
    is_shared: bool = True
    _back: Callable[[], None] | None = field(default=None, compare=False, repr=False)

    def give_back(self) -> None:
        """Take a call off its limits that is none after all, as if it had never been counted."""
        if self._back is not None:
            self._back()


def take(limits: Sequence[Limit]) -> Taken:
    """Count a call against every limit if it is within all of them; otherwise count nothing and say why."""
    return _counted(limits, regardless=False)


def note(limits: Sequence[Limit]) -> Taken:
    """Count a call that is not refused for it: one that was refused already, or that a rule demands."""
    return _counted(limits, regardless=True)


def _counted(limits: Sequence[Limit], *, regardless: bool) -> Taken:
    if not limits:
        return Taken()
    if time.monotonic() >= _rest.until:
        try:
            mark = secrets.token_hex(8)
            place, wait = _in_redis(limits, mark, regardless=regardless)
            if place:
                return Taken(_reached(limits[place - 1], wait / 1e6))
            return Taken(_back=partial(_off_redis, limits, mark))
        except redis.RedisError as error:
            _rest.until = time.monotonic() + _REST_SECONDS
            _log.warning(
                "limits are counted by each process alone: Redis does not answer (%s)", type(error).__name__
            )
    now, reached = _own.take(limits, regardless=regardless)
    if reached:
        return Taken(_reached(*reached), is_shared=False)
    return Taken(is_shared=False, _back=partial(_own.give_back, limits, now))


def _in_redis(limits: Sequence[Limit], mark: str, *, regardless: bool) -> tuple[int, float]:
    spans: list[Any] = [part for limit in limits for part in (limit.most, round(limit.seconds * 1e6))]
    keys = _keys(limits)
    # A call that is counted twice under one mark counts once, so that it may be sent again.
    words = [len(keys), *keys, mark, int(regardless), *spans]
    try:
        place, wait = _line.ask(settings.REDIS_URL, ["EVALSHA", _DIGEST, *words])
    except redis.exceptions.NoScriptError:
        place, wait = _line.ask(settings.REDIS_URL, ["EVAL", _SCRIPT, *words])
    return int(place), float(wait)


def _off_redis(limits: Sequence[Limit], mark: str) -> None:
    try:
        for key in _keys(limits):
            _line.ask(settings.REDIS_URL, ["ZREM", key, mark])
    except redis.RedisError as error:
        _log.warning(
            "a call that is none stays counted for its span: Redis does not answer (%s)", type(error).__name__
        )


def _keys(limits: Sequence[Limit]) -> list[str]:
    return [f"assay:limit:{limit.key}" for limit in limits]


def _reached(limit: Limit, wait: float) -> str:
    again = f"{wait:.0f} s" if wait < 120 else f"{wait / 60:.0f} minutes"
    return f"{limit.words} ({limit.most} in {_span(limit.seconds)}); the next one is possible in {again}"


def _span(seconds: float) -> str:
    return "a minute" if seconds == 60 else f"{seconds / 3600:g} h" if seconds >= 3600 else f"{seconds:g} s"


@dataclass(slots=True)
class _Rest:
    """Until when Redis is left alone, having failed to answer: calls must not wait for it again and again."""

    until: float = 0.0


@dataclass(slots=True)
class _Own:
    """The same limits inside one process. Keeps the moments of the calls that still count."""

    moments: dict[str, deque[float]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, limits: Sequence[Limit], *, regardless: bool) -> tuple[float, tuple[Limit, float] | None]:
        """Count the call at the returned moment, or return the limit that is reached, and for how long."""
        with self.lock:
            now = time.monotonic()
            kept = [self._kept(limit, now) for limit in limits]
            for limit, moments in zip(limits, kept, strict=True):
                if not regardless and len(moments) >= limit.most:
                    return now, (limit, moments[0] + limit.seconds - now if moments else limit.seconds)
            for limit, moments in zip(limits, kept, strict=True):
                if len(moments) < limit.most:
                    moments.append(now)
            return now, None

    def give_back(self, limits: Sequence[Limit], moment: float) -> None:
        """Count a call no more that was counted at that moment."""
        with self.lock:
            for limit in limits:
                with suppress(ValueError):  # its span may be over
                    self.moments.get(limit.key, deque()).remove(moment)

    def _kept(self, limit: Limit, now: float) -> deque[float]:
        if limit.key not in self.moments and len(self.moments) >= _MOST_KEYS:
            self.moments.clear()
        moments = self.moments.setdefault(limit.key, deque())
        while moments and moments[0] <= now - limit.seconds:
            moments.popleft()
        return moments


_rest = _Rest()
_own = _Own()
_line = Line()
_DIGEST = hashlib.sha1(_SCRIPT.encode(), usedforsecurity=False).hexdigest()
