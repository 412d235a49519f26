"""The investigations app."""

from django.apps import AppConfig


class InvestigationsConfig(AppConfig):
    name = "investigations"

    def ready(self) -> None:
        """Have the verification of the audit log check what the stored cases cite."""
        from audit import verification
        from investigations.bindings import cited_entries

        verification.register("cases", cited_entries)
