"""What customers claim (claims.json), as the shop's support form posts it."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

from examples.shop.example import CLAIMS, FORM, JSON, Example


def claims(now: datetime) -> list[Example]:
    """Return every claim, in the order in which they come in."""
    occurred_at = (now - timedelta(minutes=15)).astimezone(UTC).isoformat(timespec="seconds")
    stored = json.loads((Path(__file__).parent / "claims.json").read_text(encoding="utf-8"))
    return [
        _claim(each["name"], {**each["fields"], "occurred_at": occurred_at}, form="form" in each)
        for each in stored
    ]


def _claim(name: str, fields: dict[str, str], *, form: bool) -> Example:
    if form:
        return Example(name, CLAIMS, urlencode(fields).encode(), FORM)
    return Example(name, CLAIMS, json.dumps(fields, ensure_ascii=False, indent=1).encode(), JSON)
