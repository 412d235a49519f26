"""What a call returned, in the one form that its audit entry holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from assay_core.instants import from_text
from assay_core.results import Status
from toolbox.redaction import Redacted


@dataclass(frozen=True, slots=True)
class Called:
    """One call of a tool, as recorded. `arguments` are in their one form."""

    entry: int
    leaf: str
    tool: str
    arguments: Mapping[str, Any]
    status: Status
    result: Any
    reason: str
    covered: Mapping[str, Any] | None
    called_at: datetime
    finished_at: datetime
    asked_by: str
    #: The digest of the tool's declaration as it was then; empty where there was none.
    definition: str = ""
    # The readers' copy of the result, where it was just made.
    copied: Redacted | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_payload(
        cls, entry: int, leaf: str, payload: Mapping[str, Any], copied: Redacted | None = None
    ) -> "Called":
        """Read a `tool.called` entry's payload; raise KeyError or ValueError for one that is not."""
        return cls(
            entry=entry,
            leaf=leaf,
            tool=payload["tool"],
            arguments=payload["arguments"],
            status=Status(payload["status"]),
            result=payload["result"],
            reason=payload["reason"],
            covered=payload["covered"],
            called_at=from_text(payload["called_at"]),
            finished_at=from_text(payload["finished_at"]),
            asked_by=payload["asked_by"],
            definition=payload["definition"],
            copied=copied,
        )
