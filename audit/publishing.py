"""Publish checkpoints."""


def publish_due() -> None:
    """Not yet."""
