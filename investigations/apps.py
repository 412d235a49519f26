"""The investigations app."""

from django.apps import AppConfig


class InvestigationsConfig(AppConfig):
    name = "investigations"
