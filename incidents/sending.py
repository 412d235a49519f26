"""Wake a worker through the broker. What is to be done stands in Postgres: a message may be lost."""

import logging
import time
from functools import lru_cache, partial

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError
from kombu.pools import ProducerPool, Producers

log = logging.getLogger(__name__)

# A sender waits for our answer, so the broker gets a second, and after a failure none for a while.
_OPTIONS = {"socket_connect_timeout": 1, "socket_timeout": 1, "max_retries": 0, "retry_on_timeout": False}
_ONCE_MORE = {"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0}
_PAUSE_SECONDS = 5.0
_resume_at = 0.0


def investigate_after_commit(investigation_id: int) -> None:
    """Have an investigation run once the transaction is committed."""
    transaction.on_commit(partial(send, "incidents.tasks.investigate", investigation_id))


def send(task: str, what: int | list[int]) -> bool:
    """Send one task with one id or several; return whether the broker took it. If not, the sweeper does."""
    global _resume_at
    if time.monotonic() < _resume_at:
        return False
    try:
        with _producers(current_app.conf.broker_url).acquire(block=True, timeout=2) as producer:
            current_app.send_task(
                task, (what,), producer=producer, retry=True, retry_policy=_ONCE_MORE, ignore_result=True
            )
    except (OperationalError, OSError) as error:
        _resume_at = time.monotonic() + _PAUSE_SECONDS
        log.warning("The broker did not take %s %s: %s. The sweeper sends it again.", task, what, error)
        return False
    return True


@lru_cache(maxsize=2)
def _producers(broker_url: str) -> ProducerPool:
    connection = current_app.connection_for_write(url=broker_url, transport_options=_OPTIONS)
    pool: ProducerPool = Producers(limit=8)[connection]
    return pool
