"""Asking a family's tool of a fake, with some arguments changed."""

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.families import Family
from tests.fakes.server import FakeServer, serving
from tests.fakes.toolboxes import ask, load
from toolbox.connectors.base import Outcome


class Asking:
    """Serves the fake for one call; `server` is the last one, with what it was asked."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.monkeypatch = folder, monkeypatch
        self.server: FakeServer | None = None

    def __call__(self, family: Family, answer: Any, connectors: str = "", /, **changed: Any) -> Outcome:
        with serving(answer) as self.server:
            self.monkeypatch.setenv("TEST_URL", self.server.url)
            self.monkeypatch.setenv("TEST_TOKEN", "kube-token")
            toolbox = load(self.folder, connectors or family.connectors, family.tools())
            outcome = ask(toolbox, "look", **{**family.arguments, **changed})
            toolbox.close()
        return outcome
