"""Proposed writes, the decisions on them, and what stands before each write."""

from django.conf import settings
from django.db import migrations

from approvals.migrations import _requests, _switches

# A decision repeats what bars a person; this key holds the copy to the request that it is about.
BOUND = migrations.RunSQL(
    """
    ALTER TABLE approvals_decision ADD CONSTRAINT a_decision_is_bound_to_its_request
    FOREIGN KEY (request_id, digest, proposer, editor, token_owner)
    REFERENCES approvals_actionrequest (id, digest, proposer, editor, token_owner)
    """,
    "ALTER TABLE approvals_decision DROP CONSTRAINT a_decision_is_bound_to_its_request",
)


class Migration(migrations.Migration):
    initial = True
    # So that a database that had them all goes on without work.
    replaces = [
        ("approvals", "0002_prepared_and_bound"),
        ("approvals", "0003_look"),
    ]
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [*_requests.TABLES, BOUND, *_switches.TABLES]
