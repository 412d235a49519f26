"""Handing an evaluation over once it is done: in a process of its own, which is ended when it takes too long.

Langfuse away, slow or broken changes nothing of an evaluation; what did not go can be sent again.
"""

import os
import subprocess
import sys

from django.conf import settings

from trials.handover.items import told
from trials.handover.sdk import HandoverFailed, hand_over, is_installed
from trials.models import Evaluation

SECONDS = 120.0
_SENT = "manage.py evaluate --send {number}"


def send(number: int) -> str:
    """Hand an evaluation over here and now; return what was sent, in words. Raises HandoverFailed."""
    evaluation = Evaluation.objects.filter(pk=number).first()
    if evaluation is None:
        raise HandoverFailed(f"There is no evaluation {number}.")
    what = told(evaluation)
    runs = hand_over(what)
    items = f"{len(what.items)} items of {what.dataset!r}"
    return f"Evaluation {number} was sent to Langfuse: {items}, {runs} runs."


def send_apart(number: int, *, seconds: float = SECONDS) -> str:
    """Hand an evaluation over from a process of its own where keys are set; return in words how that went.

    Empty without keys. Never raises for what Langfuse does.
    """
    if settings.LANGFUSE_KEYS is None:
        return ""
    again = f"Send it again: {_SENT.format(number=number)}"
    if not is_installed():
        return f"Langfuse's SDK is not installed (manage.py doctor says how). {again}"
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "evaluate", "--send", str(number)]
    try:
        # A pool of connections is for what serves, and would keep a command from ending.
        alone = {**os.environ, "DATABASE_POOL": "0"}
        ended = subprocess.run(
            command, env=alone, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return f"Langfuse did not take evaluation {number} within {seconds:g} s. {again}"
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or ["Langfuse took nothing."])[-1]
        return f"{last.removeprefix('CommandError: ')} {again}"
    return ended.stdout.strip()
