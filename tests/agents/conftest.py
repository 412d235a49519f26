"""The example shop, as in the flow tests: `make test-agents`."""

from tests.flow.conftest import play, quick, start_all, world

__all__ = ["play", "quick", "start_all", "world"]
