"""A thread beside the requests that tells the broker about new deliveries, many in one message.

A sender waits for its answer, and a message a delivery took a third of the time to it. What the
thread has not sent when the process ends, the sweeper sends.
"""

import queue
import threading
import time

from incidents import sending

TASK = "incidents.tasks.fold_several"
_MOST = 200
# Under load each message then carries what came in meanwhile; alone, nobody waits noticeably longer.
_PAUSE_SECONDS = 0.01

_waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
_starting = threading.Lock()
_thread: threading.Thread | None = None


def wake(delivery_id: int) -> None:
    """Have a worker fold this delivery soon. Returns at once; call it after the commit."""
    global _thread
    _waiting.put(delivery_id)
    if _thread is not None and _thread.is_alive():  # a fork leaves the thread behind, dead
        return
    with _starting:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_send_for_ever, name="waking", daemon=True)
            _thread.start()


def taken() -> list[int]:
    """Wait for the next id and return it with those that wait behind it, at most 200."""
    numbers = [_waiting.get()]
    while len(numbers) < _MOST:
        try:
            numbers.append(_waiting.get_nowait())
        except queue.Empty:
            break
    return numbers


def _send_for_ever() -> None:
    while True:
        sending.send(TASK, taken())
        time.sleep(_PAUSE_SECONDS)
