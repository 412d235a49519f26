"""A model endpoint that says what a test wrote down: OpenAI-compatible, on a real socket, streaming or not.

with scripted.endpoint([calls(("find_job", '{"job_id": "7"}')), says("{...}")]) as server:
    ...  # LLM_BASE_URL=server.url; server.requests holds every request
"""

from tests.scripted.replies import (
    Scripted,
    calls,
    cut_off,
    dribbles,
    drops_after,
    finishing,
    garbles,
    halts,
    message,
    raw,
    refuses,
    says,
    slow,
    status,
    whole,
)
from tests.scripted.server import Endpoint, Request, Script, endpoint
from tests.scripted.settings import endpoint_settings

__all__ = [
    "Endpoint",
    "Request",
    "Script",
    "Scripted",
    "calls",
    "cut_off",
    "dribbles",
    "drops_after",
    "endpoint",
    "endpoint_settings",
    "finishing",
    "garbles",
    "halts",
    "message",
    "raw",
    "refuses",
    "says",
    "slow",
    "status",
    "whole",
]
