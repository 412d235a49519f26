"""How the tests speak to the API as somebody's own agent, and what a refusal has to look like."""

import json
from typing import Any

from django.test import Client

from tests.web.mcp_world import World
from tests.web.test_mcp_agents import handed


class Api:
    """A client with a bearer token."""

    def __init__(self, secret: str) -> None:
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def get(self, rest: str) -> Any:
        return Client().get(f"/api/v1/{rest}", headers=self.headers)

    def submit(self, number: int, value: Any, kind: str = "application/json") -> Any:
        """Post a submission; bytes and texts go as they are."""
        body = value if isinstance(value, bytes | str) else json.dumps(value)
        return Client(enforce_csrf_checks=True).post(
            f"/api/v1/investigations/{number}/submission", body, content_type=kind, headers=self.headers
        )


def held(mcp: World, name: str) -> tuple[Api, int]:
    """Hand an incident to an agent; return its client and the investigation."""
    agent, _, number = handed(mcp, name)
    return Api(agent.secret), number


def refused(answer: Any, status: int, reason: str, words: str) -> dict[str, Any]:
    """Hold an answer to be a problem with this reason, whose sentence has these words."""
    assert answer.status_code == status, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert (told["status"], told["reason"]) == (status, reason)
    assert words in told["detail"]
    assert told["instance"].startswith("/api/v1/")
    return told
