"""The small real model behind a server of its own."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests.conftest import free_port, wait_until
from tests.llm import places


@contextmanager
def served(alias: str = "smollm2") -> Iterator[str]:
    """Yield the address of a running server; a named skip where it is not installed.

    Fails where the server has ended by itself meanwhile.
    """
    if not places.is_installed():
        pytest.skip("needs the model and the server that `make test-llm` installs")
    port = free_port()
    arguments = {
        "model": places.weights(),
        "n_ctx": 8192,
        "n_threads": 1,
        "n_threads_batch": 1,  # unset, as many as there are cores: they wait for each other on a busy machine
        "interrupt_requests": "false",  # else each of two workers breaks off what the other is told
        "port": port,
        "model_alias": alias,
    }
    options = [word for name, value in arguments.items() for word in (f"--{name}", str(value))]
    quiet = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    process = subprocess.Popen(
        [str(places.PYTHON), "-m", "llama_cpp.server", *options],
        env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        found = f"http://127.0.0.1:{port}/v1"
        wait_until(lambda: process.poll() is not None or _is_up(found), seconds=60)
        assert process.poll() is None, "the model's server ended at once"
        yield found
        ended = process.poll()
        assert ended is None, f"the model's server ended by itself (exit code {ended})"
    finally:
        process.kill()
        process.wait(10)


def _is_up(address: str) -> bool:
    try:
        return httpx.get(f"{address}/models", timeout=2).status_code == 200
    except httpx.TransportError:
        return False
