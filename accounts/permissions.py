"""What a person may do, by the name that Django checks, and which role may do it.

The groups and their permissions are made by migrations; a test holds the two to each other. A new permission
needs its line here, in `User.Meta`, and a migration that calls `accounts.migrations._granting.granting`.
"""

from collections.abc import Mapping
from enum import StrEnum

from accounts.roles import Role


class Permission(StrEnum):
    """One thing that a role allows, as `user.has_perm` spells it."""

    SEE_INCIDENTS = "accounts.see_incidents"
    SEE_EVERY_TEAM = "accounts.see_every_team"
    TRIAGE_INCIDENTS = "accounts.triage_incidents"
    SUBMIT_CLAIMS = "accounts.submit_claims"
    MANAGE_TOOLS = "accounts.manage_tools"
    MANAGE_RULES = "accounts.manage_rules"
    MANAGE_PEOPLE = "accounts.manage_people"
    APPROVE_WRITES = "accounts.approve_writes"
    MANAGE_WRITES = "accounts.manage_writes"
    REVIEW_TRIALS = "accounts.review_trials"
    BREAK_GLASS = "accounts.break_glass"

    @property
    def codename(self) -> str:
        """The name without its app, as the permission's row holds it."""
        return self.value.partition(".")[2]


_READING = frozenset({Permission.SEE_INCIDENTS})
_WORKING = _READING | {Permission.TRIAGE_INCIDENTS, Permission.SUBMIT_CLAIMS}

GRANTED: Mapping[Role, frozenset[Permission]] = {
    Role.SUPPORT: _WORKING,
    Role.ON_CALL: _WORKING | {Permission.APPROVE_WRITES},
    Role.MANAGER: _WORKING
    | {
        Permission.SEE_EVERY_TEAM,
        Permission.APPROVE_WRITES,
        Permission.MANAGE_WRITES,
        Permission.REVIEW_TRIALS,
    },
    Role.ADMINISTRATOR: _WORKING
    | {
        Permission.SEE_EVERY_TEAM,
        Permission.MANAGE_TOOLS,
        Permission.MANAGE_RULES,
        Permission.MANAGE_PEOPLE,
        Permission.APPROVE_WRITES,
        Permission.MANAGE_WRITES,
        Permission.REVIEW_TRIALS,
    },
    Role.AUDITOR: _READING | {Permission.SEE_EVERY_TEAM},
}

# Given to people by name and to no role: whoever is in this group may decide alone for an hour.
GLASS_HOLDERS = "break-glass"

REFUSALS: Mapping[Permission, str] = {
    Permission.SEE_INCIDENTS: "Your account has no role yet. Ask an administrator to give you one.",
    Permission.SEE_EVERY_TEAM: "This page is for managers, administrators and auditors.",
    Permission.TRIAGE_INCIDENTS: (
        "Your role reads incidents and does not move them. Ask an administrator if that is wrong."
    ),
    Permission.MANAGE_RULES: "Rules are suspended, and suspensions lifted, by administrators.",
    Permission.MANAGE_TOOLS: "Tool rules are made and ended by administrators.",
    Permission.MANAGE_PEOPLE: "People, teams and invitations are looked after by administrators.",
    Permission.APPROVE_WRITES: "Writes are approved by on-call people, managers and administrators.",
    Permission.MANAGE_WRITES: (
        "The write switch, the breakers and the calendar are looked after by managers and administrators."
    ),
    Permission.REVIEW_TRIALS: (
        "The rows of a drill are read, and golden rows confirmed, by managers and administrators."
    ),
    Permission.BREAK_GLASS: "Only the two named holders may break the glass.",
    Permission.SUBMIT_CLAIMS: "Your role does not enter claims. Ask an administrator if that is wrong.",
}
