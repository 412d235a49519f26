"""Secrets and personal data out of a case, by placeholders that leave its verdict as it was."""
