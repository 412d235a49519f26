"""Django system checks for production, each with a stable id and its cure."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]", "testserver"})


@register(Tags.security, deploy=True)
def production_addresses(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Whether production is answered at an address of its own, over TLS (triage.E001, E002, W003)."""
    found: list[CheckMessage] = []
    if not settings.BASE_URL.startswith("https://"):
        found.append(
            Error(
                f"BASE_URL={settings.BASE_URL!r} is no https address.",
                hint="Set BASE_URL to the address that people open, such as https://assay.example.org.",
                id="triage.E001",
            )
        )
    if "*" in settings.ALLOWED_HOSTS:
        found.append(
            Error(
                "ALLOWED_HOSTS holds '*': any host name is answered.",
                hint="Name the hosts that Assay is reached by.",
                id="triage.E002",
            )
        )
    elif not set(settings.ALLOWED_HOSTS) - _LOCAL:
        found.append(
            Warning(
                "ALLOWED_HOSTS names this machine only: nobody else is answered.",
                hint="Set ALLOWED_HOSTS to the host name in BASE_URL.",
                id="triage.W003",
            )
        )
    return found


@register(Tags.database, deploy=True)
def roles_are_apart(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Whether migrations have a role of their own (triage.W004)."""
    if "owner" in settings.DATABASES:
        if settings.DATABASES["owner"]["USER"] != settings.DATABASES["default"]["USER"]:
            return []
        sentence = "DATABASE_OWNER_URL and DATABASE_URL name the same role."
    else:
        sentence = "DATABASE_OWNER_URL is not set."
    return [
        Warning(
            f"{sentence} The audit log is then protected by a trigger only.",
            hint="Give migrations a role of their own: `python -m triage.local.roles` prints the SQL.",
            id="triage.W004",
        )
    ]


@register()
def tools_and_connectors(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Whether the files that the settings name are there (triage.E005, E006)."""
    named = [("TRIAGE_TOOLS", path) for path in settings.TRIAGE_TOOLS]
    if settings.TRIAGE_CONNECTORS:
        named.append(("TRIAGE_CONNECTORS", Path(settings.TRIAGE_CONNECTORS)))
    found: list[CheckMessage] = [
        Error(f"{variable} names {path}, which does not exist.", hint="Correct the path.", id="triage.E005")
        for variable, path in named
        if not path.exists()
    ]
    if settings.TRIAGE_TOOLS and not settings.TRIAGE_CONNECTORS:
        found.append(
            Error(
                "TRIAGE_TOOLS is set and TRIAGE_CONNECTORS is not: the tools would have nothing to ask.",
                hint="Set TRIAGE_CONNECTORS to the file that declares the connectors.",
                id="triage.E006",
            )
        )
    return found


@register(Tags.security, deploy=True)
def write_credentials_are_elsewhere(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Whether a process that serves or administers holds the write credentials (triage.W007)."""
    if not settings.EXECUTOR_SECRETS:
        return []
    return [
        Warning(
            "EXECUTOR_SECRETS is set here: whoever takes over this process could write.",
            hint="Set it in the environment of the execute worker alone.",
            id="triage.W007",
        )
    ]
