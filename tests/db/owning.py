"""The role that migrates as a database alias of its own, as DATABASE_OWNER_URL makes it."""

from collections.abc import Iterator
from contextlib import contextmanager

import dj_database_url
from django.db import connections


@contextmanager
def owner_alias(owner_dsn: str) -> Iterator[str]:
    """Make the alias `owner`, and take it away again."""
    parsed = dj_database_url.parse(owner_dsn)
    made = {**connections["default"].settings_dict, **{key: parsed[key] for key in ("USER", "PASSWORD")}}
    option = parsed.get("OPTIONS", {}).get("options", "")
    made["OPTIONS"] = {"options": option} if option else {}
    connections.databases["owner"] = made
    try:
        yield "owner"
    finally:
        connections["owner"].close()
        del connections["owner"]
        del connections.databases["owner"]
