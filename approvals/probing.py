"""Probes the write credentials in the execute worker, both ways: what is needed is there, nothing more is.

Each has a time limit, and what cannot be looked at is not fit: nobody approves on a guess.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connections, transaction

from approvals import hands
from approvals.actions import registry
from approvals.actions.base import Action, CouldNotCheck
from approvals.models import CredentialProbe
from audit import writing
from toolbox import redaction

ACTOR = "worker:execute"
SECONDS = 15.0  # for all credentials together: meanwhile this worker does nothing else
_RECENT = timedelta(seconds=60)
_LONGEST = 500
FIT = "it can do what its actions need, and nothing else that was looked for"


@dataclass(frozen=True, slots=True)
class Found:
    """What the probe of one credential came to."""

    is_ok: bool
    sentence: str


def probe_all(clock: Callable[[], datetime], *, seconds: float = SECONDS) -> None:
    """Probe every credential that a declared action names. Called outside any transaction."""
    _probe(_by_credential(), clock, seconds)


def probe_due(clock: Callable[[], datetime], *, seconds: float = SECONDS) -> None:
    """Probe those that are not known to be fit, or were not looked at within the last minute."""
    recent = CredentialProbe.objects.filter(is_ok=True, probed_at__gt=clock() - _RECENT)
    known = set(recent.values_list("credential", flat=True))
    _probe({name: each for name, each in _by_credential().items() if name not in known}, clock, seconds)


def _by_credential() -> Mapping[str, Sequence[Action]]:
    found: dict[str, list[Action]] = {}
    for action in registry.current().actions.values():
        found.setdefault(action.credential, []).append(action)
    return found


def _probe(
    credentials: Mapping[str, Sequence[Action]], clock: Callable[[], datetime], seconds: float
) -> None:
    """Probe these side by side; one that hangs holds up none of the others."""
    began, deadline = clock(), time.monotonic() + seconds
    answers: dict[str, Found] = {}
    # A probe that hangs since the last time is not begun once more: threads would pile up.
    hanging = {thread.name for thread in threading.enumerate()}
    for thread in [
        _begun(name, actions, answers)
        for name, actions in credentials.items()
        if _thread(name) not in hanging
    ]:
        thread.join(max(0.0, deadline - time.monotonic()))
    silent = Found(False, f"its probe brought no answer within {seconds:g} seconds")
    for name in credentials:
        _keep(name, answers.get(name, silent), began)


def _thread(name: str) -> str:
    return f"assay-probe-{name}"


def _begun(name: str, actions: Sequence[Action], answers: dict[str, Found]) -> threading.Thread:
    def run() -> None:
        try:
            answers[name] = _looked(name, actions)
        finally:
            connections.close_all()

    thread = threading.Thread(target=run, name=_thread(name), daemon=True)
    thread.start()
    return thread


def _looked(name: str, actions: Sequence[Action]) -> Found:
    """Ask each action that uses the credential; the first that objects decides."""
    try:
        opened = hands.opened(name)
        shared = hands.shared_with(name)
    except CouldNotCheck as error:
        return Found(False, str(error))
    if shared:
        return Found(
            False, f"the same secret stands in {shared}: a credential that writes is used for nothing else"
        )
    for action in actions:
        try:
            wrong: object = action.probe(opened)
        except CouldNotCheck as error:
            wrong = f"it could not be looked at: {error}"
        except Exception as error:  # noqa: BLE001 a probe that breaks off has shown nothing
            wrong = f"it could not be looked at: the probe fell over ({type(error).__name__})"
        if not isinstance(wrong, str):
            wrong = "its probe gave no answer that can be read"
        if wrong:
            return Found(False, f"{redaction.text(redaction.cut(wrong, _LONGEST))} ({action.name})")
    return Found(True, FIT)


def _keep(name: str, found: Found, began: datetime) -> None:
    """Store an answer, with an entry where it is another than before. A later probe's answer stays."""
    with transaction.atomic():
        before = CredentialProbe.objects.select_for_update().filter(credential=name).first()
        if before is not None and before.probed_at > began:
            return
        values = {"is_ok": found.is_ok, "sentence": found.sentence, "probed_at": began}
        CredentialProbe.objects.update_or_create(credential=name, defaults=values)
        if before is None or (before.is_ok, before.sentence) != (found.is_ok, found.sentence):
            payload = {"credential": name, "is_ok": found.is_ok, "sentence": found.sentence}
            writing.write("write.credential_probed", payload, actor=ACTOR)
