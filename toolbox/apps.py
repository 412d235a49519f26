"""The toolbox app."""

from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import register
from django.core.exceptions import ImproperlyConfigured


class ToolboxConfig(AppConfig):
    name = "toolbox"

    def ready(self) -> None:
        """Have the tool files checked with everything else, and look for the deployment's own secrets.

        Raises ImproperlyConfigured where their file cannot be used: nothing may start that masks too little.
        """
        from toolbox import ownshapes, secretshapes
        from toolbox.checks import tools_load

        register(tools_load)
        if settings.TRIAGE_SECRET_PATTERNS:
            try:
                secretshapes.use_own(ownshapes.read(Path(settings.TRIAGE_SECRET_PATTERNS)))
            except ownshapes.PatternRefused as error:
                raise ImproperlyConfigured(f"TRIAGE_SECRET_PATTERNS: {error}.") from None
