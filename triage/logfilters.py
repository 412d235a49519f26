"""What is taken off a log line before it is written."""

import logging

from toolbox import redaction


class RefusalInOneLine(logging.Filter):
    """A request that was answered with 4xx is told without a stack: nothing failed."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through; those of refusals lose their stack."""
        if record.exc_info and 400 <= getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        return True


class MaskedLine(logging.Formatter):
    """A line, and the stack below it, with their secrets masked: an error of a database quotes a row."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as it is written."""
        return redaction.text(super().format(record))
