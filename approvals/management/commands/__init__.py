"""Commands of the approvals app."""
