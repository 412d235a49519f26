"""The triage app."""

from django.apps import AppConfig


class TriageConfig(AppConfig):
    name = "triage"

    def ready(self) -> None:
        """Register the project's system checks, and wire what has to reach up through the layers."""
        from incidents import telling
        from notices import standings
        from triage import checks  # noqa: F401 importing them registers them

        standings.wire(telling.ABOUT, telling.standing)
