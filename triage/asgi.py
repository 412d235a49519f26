"""The ASGI application that the web process serves: pages, API and webhooks by Django, /mcp beside it."""

import logging
import os
from typing import cast

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "triage.settings")
_django = get_asgi_application()

from django.conf import settings

from toolbox import proofwatch
from toolbox.mcp import front
from triage.bodylimit import App, limit_bodies
from triage.checks import write_credentials_are_elsewhere
from triage.hangups import carried_out
from triage.mcp_address import configured_address
from triage.mcp_tools import House
from triage.together import together

for _found in write_credentials_are_elsewhere(None):
    logging.getLogger(__name__).warning("%s %s", _found.msg, _found.hint)

application = proofwatch.begun_by(
    together(
        limit_bodies(
            limit_bodies(
                carried_out(cast("App", _django)), prefix="/hooks/", limit=settings.DELIVERY_MAX_BYTES
            ),
            prefix="/api/",
            limit=settings.MCP_MAX_BYTES,
        ),
        front.make(configured_address(), House(), sends_json=settings.MCP_SENDS_JSON),
    )
)
