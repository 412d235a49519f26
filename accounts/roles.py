"""The five roles, as Django groups that the first migration makes."""

from enum import StrEnum


class Role(StrEnum):
    """What a person may do. Stored as the group's name."""

    SUPPORT = "support"
    ON_CALL = "on-call"
    MANAGER = "manager"
    ADMINISTRATOR = "administrator"
    AUDITOR = "auditor"
