"""Serve the tools to one agent over standard input and output."""

import asyncio
import logging
import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from accounts import tokens
from accounts.tokens import Caller


class Command(BaseCommand):
    """Speaks MCP on stdin and stdout, as the owner of the token in ASSAY_TOKEN. Ends with its input."""

    help = "Serve the tools over MCP on stdin and stdout. The token is taken from ASSAY_TOKEN."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve until the input ends; raise CommandError without a token that opens something."""
        # Taken out of the environment, so that nothing that is started from here inherits it.
        secret = os.environ.pop("ASSAY_TOKEN", "").strip()
        if not secret:
            raise CommandError("Set ASSAY_TOKEN to a token of manage.py addtoken.")
        logging.getLogger().setLevel(max(logging.WARNING, logging.getLogger().level))
        try:
            self._caller(secret)
        except tokens.TokenRefused as refused:
            raise CommandError(f"ASSAY_TOKEN opens nothing here: {refused.reason}.") from None
        except DatabaseError as error:
            raise CommandError(f"The database does not answer ({type(error).__name__}).") from None
        asyncio.run(self._serve(secret))
        sys.exit(0)

    async def _serve(self, secret: str) -> None:
        # The SDK takes up to a second to load: only where it is used.
        from mcp.server.stdio import stdio_server

        from toolbox.mcp.parts import Behind
        from toolbox.mcp.server import Desk, build
        from toolbox.mcp.threads import Threads
        from triage.mcp_tools import House

        threads = Threads.configured()

        # Looked up anew for each message: a token that is revoked meanwhile opens nothing more.
        async def behind(_: object) -> Behind:
            return Behind(await threads.run(lambda: self._caller(secret), seconds=10))

        server = build(Desk(House(), threads, behind, over="stdio"))
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
        threads.close()

    def _caller(self, secret: str) -> Caller:
        return tokens.verify(secret, audience=settings.BASE_URL, now=timezone.now())
