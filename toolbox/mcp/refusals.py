"""What never reaches a tool: every refusal is counted, and one of a token that we know is an entry."""

import logging
import threading
import time

from django.db import DatabaseError

from audit import writing
from toolbox import counting

_EVERY_SECONDS = 60.0
_log = logging.getLogger(__name__)


class Refusals:
    """Notes refusals. A token that is refused again and again gets one entry a minute, with their number."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._noted: dict[tuple[str, str], tuple[float, int]] = {}

    def note(self, status: int, reason: str, *, token: str = "", said: str = "", via: str = "") -> None:
        """Count one refusal; write its entry when it is of a known token. Must not run in the event loop.

        `reason` is one of few words, `said` the sentence that the caller was told.
        """
        counting.note_refusal(status, reason)
        if not token:
            return
        since = self._since_last(token, reason)
        if since is None:
            return
        try:
            writing.write(
                "token.refused",
                {
                    "token": token,
                    "status": status,
                    "reason": reason,
                    "said": said,
                    "via": via,
                    "since": since,
                },
                actor=f"token:{token}",
            )
        except DatabaseError:
            _log.exception("the refusal of the token %s could not be recorded", token)

    def _since_last(self, token: str, reason: str) -> int | None:
        """Return how many went by unrecorded since the last entry; None when it is too early for one."""
        now = time.monotonic()
        with self._lock:
            at, passed_over = self._noted.get((token, reason), (-_EVERY_SECONDS, 0))
            if now - at < _EVERY_SECONDS:
                self._noted[token, reason] = (at, passed_over + 1)
                return None
            self._noted[token, reason] = (now, 0)
            return passed_over
