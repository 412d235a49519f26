"""The toolbox app."""

from django.apps import AppConfig
from django.core.checks import register


class ToolboxConfig(AppConfig):
    name = "toolbox"

    def ready(self) -> None:
        """Have the tool files checked with everything else."""
        from toolbox.checks import tools_load

        register(tools_load)
