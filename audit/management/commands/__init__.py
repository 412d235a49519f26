"""The audit log's commands."""
