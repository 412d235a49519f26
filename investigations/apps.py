"""The investigations app."""

from django.apps import AppConfig
from django.core.checks import register


class InvestigationsConfig(AppConfig):
    name = "investigations"

    def ready(self) -> None:
        """Check the rules, and have the audit log's verification check what the stored cases cite."""
        from audit import verification
        from investigations import agentlimits, checks
        from investigations.bindings import cited_entries

        verification.register("cases", cited_entries)
        register(checks.rules_load)
        register(checks.ids_can_be_looked_up)
        register(checks.endpoints_can_be_used)
        register(agentlimits.limits_leave_a_run)
