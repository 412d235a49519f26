"""What goes on in a run or an answer, told to whoever watches: a Redis stream for each.

A stream rather than a channel to subscribe to: whoever comes late, or comes back after a lost link, reads on
from where they were, with no gap between what was and what comes. It holds nothing that is not kept
elsewhere; without Redis a run goes on unseen. All that is told is masked before it leaves the worker.
"""

import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import redis
import redis.asyncio
from django.conf import settings

from investigations.happenings import Happening
from toolbox import redaction
from toolbox.redaction import Cut
from toolbox.redisline import Line, client

TEXT = "text"  # the answer so far, whole: a later one replaces an earlier one
ENDED = Happening.ENDED.value
_REPLY_BEGINS = Happening.THINKING.value
_PREFIX = "assay:live:"
_KEPT_SECONDS = 3600
_MOST = 500
_CUT = Cut(text=20_000, items=50)
_REST_SECONDS = 5.0
_TEXT_EVERY = 0.3
_BLOCK_MS = 10_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `id` says where in its stream it stands."""

    id: str
    kind: str
    payload: Mapping[str, Any]


def of_run(investigation_id: int) -> str:
    """Return the name of a run's stream."""
    return f"run:{investigation_id}"


def of_question(question_id: int) -> str:
    """Return the name of a question's stream."""
    return f"question:{question_id}"


@dataclass(slots=True)
class Watching:
    """Tells one stream what happens. Never raises for Redis, and does not wait for it again and again."""

    stream: str
    _text: str = ""
    _told_at: float = 0.0
    _last_text: str = ""
    _rests_until: float = field(default=0.0)

    def note(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Tell that something happened; what is not plain JSON is told as text."""
        if kind == _REPLY_BEGINS:
            self._text, self._told_at = "", 0.0
        # Who watches waits for the end, and nothing comes after it that would show that it was lost.
        self._tell(kind, payload, waits=kind == ENDED)

    def hear(self, piece: str) -> None:
        """Take a piece of the answer as it comes, and tell from time to time what there is so far."""
        self._text += piece
        if time.monotonic() >= self._told_at + _TEXT_EVERY:
            self._told_at = time.monotonic()
            # The last word may still grow into something that has to be masked.
            self._tell_text(self._text[: _last_gap(self._text)])

    def _tell_text(self, so_far: str) -> None:
        if not so_far.strip():
            return
        before, self._last_text = self._last_text, self._tell(TEXT, {"text": so_far}, waits=True)
        if before:
            self._try(lambda: _line.tell(settings.REDIS_URL, ["XDEL", _key(self.stream), before]))

    def _tell(self, kind: str, payload: Mapping[str, Any], *, waits: bool = False) -> str:
        plain = json.loads(json.dumps(dict(payload), default=str))
        body = json.dumps(redaction.copy_for_readers(plain, cut=_CUT).value)
        key, url = _key(self.stream), settings.REDIS_URL
        added = ["XADD", key, "MAXLEN", "~", _MOST, "*", "kind", kind, "body", body]
        lasts = ["EXPIRE", key, _KEPT_SECONDS]
        if not waits:
            self._try(lambda: _line.tell(url, added, lasts))
            return ""
        number = self._try(lambda: _line.ask(url, added))
        self._try(lambda: _line.tell(url, lasts))
        return _as_text(number or "")

    def _try(self, act: Callable[[], Any]) -> Any:
        if time.monotonic() < self._rests_until:
            return None
        try:
            return act()
        except redis.RedisError as error:
            self._rests_until = time.monotonic() + _REST_SECONDS
            _log.warning("nobody can watch %s: Redis does not answer (%s)", self.stream, type(error).__name__)
            return None


def so_far(stream: str) -> tuple[Event, ...]:
    """Return what was told up to now; nothing where Redis does not answer or has forgotten it."""
    with suppress(redis.RedisError):
        _line.settle()  # what this thread told a moment ago is there
    try:
        rows = client(settings.REDIS_URL).xrange(_key(stream), count=_MOST * 2)
    except redis.RedisError:
        return ()
    return _read(rows)


async def follow(stream: str, after: str, *, seconds: float) -> AsyncIterator[Event | None]:
    """Yield each event after the one with that id, as it comes, for at most so long; None as a sign of life.

    Ends after ENDED. Raises redis.RedisError when Redis is lost: the watcher looks again by itself.
    """
    until = time.monotonic() + seconds
    link = redis.asyncio.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=30)
    try:
        while (left := until - time.monotonic()) > 0:
            wait = max(1, min(_BLOCK_MS, int(left * 1000)))
            found: Any = await link.xread({_key(stream): after}, count=100, block=wait)
            events = _read(found[0][1]) if found else ()
            if not events:
                yield None
            for event in events:
                after = event.id
                yield event
                if event.kind == ENDED:
                    return
    finally:
        await link.aclose()


def _read(rows: Any) -> tuple[Event, ...]:
    found = []
    for number, fields in rows:
        kind, body = _as_text(fields.get(b"kind", b"")), fields.get(b"body", b"{}")
        found.append(Event(_as_text(number), kind, json.loads(body)))
    return tuple(found)


def _as_text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _last_gap(text: str) -> int:
    return max(text.rfind(" "), text.rfind("\n")) + 1


def _key(stream: str) -> str:
    return f"{_PREFIX}{stream}"


_line = Line()
