"""One example delivery, and the sources that they go to."""

from dataclasses import dataclass

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
ALERTS, CLAIMS, BACKUP = "prometheus", "support-form", "nightly-backup"


@dataclass(frozen=True, slots=True)
class Example:
    """One delivery: what it shows, to which source it goes, and its bytes."""

    name: str
    source: str
    body: bytes
    content_type: str
