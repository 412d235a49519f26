"""The ASGI application that the web process serves: pages, API and webhooks by Django, /mcp beside it."""

import os
from typing import cast

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "triage.settings")
_django = get_asgi_application()

from django.conf import settings  # noqa: E402 settings are there once Django is

from toolbox import proofwatch  # noqa: E402
from toolbox.mcp import front  # noqa: E402
from triage.bodylimit import App, limit_bodies  # noqa: E402
from triage.mcp_address import configured_address  # noqa: E402
from triage.mcp_tools import House  # noqa: E402
from triage.together import together  # noqa: E402

application = proofwatch.begun_by(
    together(
        limit_bodies(
            limit_bodies(cast("App", _django), prefix="/hooks/", limit=settings.DELIVERY_MAX_BYTES),
            prefix="/api/",
            limit=settings.MCP_MAX_BYTES,
        ),
        front.make(configured_address(), House(), sends_json=settings.MCP_SENDS_JSON),
    )
)
