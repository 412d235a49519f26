"""The triage app."""

from django.apps import AppConfig


class TriageConfig(AppConfig):
    name = "triage"

    def ready(self) -> None:
        """Register the project's system checks."""
        from triage import checks  # noqa: F401 importing them registers them
