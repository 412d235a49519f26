"""The web process of the conformance runs: the real door and desk, the suite's fixture tools beside."""

import os
from typing import Any, cast

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.conformance.settings")
_django = get_asgi_application()

import mcp_types as types
from django.conf import settings

from tests.conformance import fixtures
from toolbox.mcp import front, listing
from toolbox.mcp.requests import App
from toolbox.mcp.server import build
from toolbox.mcp.threads import Threads
from triage.mcp_address import configured_address
from triage.mcp_tools import House
from triage.together import together


def _front() -> front.Front:
    threads, house = Threads.configured(), House()
    desk = fixtures.FixtureDesk(house, threads, front.behind, over="http")
    server = build(desk)
    server.get_tool_input_schema = lambda name: fixtures.input_schema(name) or _usual(name)
    lists: dict[str, Any] = {
        "prompts/list": fixtures.no_prompts,
        "resources/list": fixtures.no_resources,
        "resources/templates/list": fixtures.no_templates,
    }
    for method, answer in lists.items():
        server.add_request_handler(method, types.PaginatedRequestParams, answer)

    def _usual(name: str) -> Any:
        return listing.declared_input(name, house.own_tools())

    return front.in_front_of(server, configured_address(), threads, house, sends_json=settings.MCP_SENDS_JSON)


application = together(cast("App", _django), _front())
