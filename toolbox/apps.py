"""The toolbox app."""

from django.apps import AppConfig


class ToolboxConfig(AppConfig):
    name = "toolbox"
