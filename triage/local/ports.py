"""The port of the web process: the one asked for, or the first free one."""

import socket
from collections.abc import Mapping

from triage.local.refusals import CannotStart

USUAL = 8000


def choose(environment: Mapping[str, str]) -> int:
    """Return PORT when it is free; without PORT the first free one from 8000. Raises CannotStart."""
    word = environment.get("PORT", "").strip()
    if word:
        return _asked_for(word)
    for port in range(USUAL, USUAL + 50):
        if is_free(port):
            return port
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    """Whether nobody answers at localhost, in either family, and we may listen there."""
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family) as probe:
            probe.settimeout(0.5)
            try:
                if probe.connect_ex((host, port)) == 0:
                    return False
            except OSError:
                continue
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _asked_for(word: str) -> int:
    if not word.isdigit() or not 1 <= int(word) <= 65535:
        raise CannotStart(f"PORT={word!r} is no port: use a number from 1 to 65535, or unset it.")
    port = int(word)
    if not is_free(port):
        raise CannotStart(
            f"Port {port} is taken by another program: stop that one, or choose another port with PORT=, "
            "or unset PORT to let a free one be found."
        )
    return port
