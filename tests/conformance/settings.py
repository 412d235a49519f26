"""The settings of the conformance runs: as in development, and answers as event streams, for progress."""

from tests.settings import *  # noqa: F403 the same settings, but for what follows

MCP_SENDS_JSON = False
