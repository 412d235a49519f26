"""Proofs on a schedule, in each process that holds credentials: a call rarely has to wait for one."""

import logging
import os
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from django.conf import settings
from django.db import connections

from toolbox import proofs, registry
from toolbox.connectors.credential import Provable
from toolbox.yamlfile import DefinitionError

_SHARE = 0.6
_log = logging.getLogger(__name__)
_Scope = MutableMapping[str, Any]
_App = Callable[[_Scope, Any, Any], Awaitable[None]]


class _Watch:
    """The one thread of this process that proves."""

    def __init__(self) -> None:
        self._pid = 0
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Start it where it does not run yet; a child process starts its own."""
        with self._lock:
            if self._pid == os.getpid():
                return
            self._pid = os.getpid()
            threading.Thread(target=_prove_for_ever, name="assay-proofs", daemon=True).start()


_watch = _Watch()


def begin(**_: Any) -> None:
    """Prove now, and again before each proof has grown too old, for as long as the process lives."""
    _watch.begin()


def begun_by(application: _App) -> _App:
    """Return the application, which begins to prove when its server starts it."""

    async def begun(scope: _Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            begin()
        await application(scope, receive, send)

    return begun


def prove_all() -> None:
    """Prove each credential that this process was given; a failure is logged, and ends no other proof."""
    for connector in registry.current().connectors.values():
        if not isinstance(connector, Provable) or not connector.is_configured():
            continue
        try:
            stood = proofs.renewed(connector)
        except Exception:  # noqa: BLE001 the schedule goes on; a call proves for itself
            _log.exception("the proof of %s broke off", connector.name)
        else:
            if stood.reason:
                _log.warning("%s", stood.reason)


def _prove_for_ever() -> None:
    pause = threading.Event()
    while True:
        try:
            prove_all()
        except DefinitionError as error:
            _log.warning("nothing is proven: %s", error)
        finally:
            connections.close_all()
        pause.wait(settings.CONNECTOR_PROOF_SECONDS * _SHARE)
