"""What is taken off a log line before it is written."""

import logging


class RefusalInOneLine(logging.Filter):
    """A request that was answered with 4xx is told without a stack: nothing failed."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through; those of refusals lose their stack."""
        if record.exc_info and 400 <= getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        return True
