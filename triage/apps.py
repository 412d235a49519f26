"""The triage app."""

from django.apps import AppConfig


class TriageConfig(AppConfig):
    name = "triage"

    def ready(self) -> None:
        """Register the project's system checks, and wire what has to reach up through the layers."""
        from approvals import telling as of_requests
        from incidents import telling as of_incidents
        from incidents import veiling
        from notices import standings
        from triage import checks  # noqa: F401 importing them registers them

        standings.wire(of_incidents.ABOUT, of_incidents.standing)
        standings.wire(of_requests.ABOUT, of_requests.standing)
        standings.wire_keeper(of_incidents.ABOUT, veiling.kept_from)
