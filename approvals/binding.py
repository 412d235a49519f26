"""Every column of an approved request and of its decisions, held to the audit entry of its approval.

A digest covers the body; a changed risk, expiry or person beside it would go unseen without this.
"""

from collections.abc import Mapping
from typing import Any

from approvals.models import ActionRequest, Decision
from approvals.states import State
from assay_core.instants import as_text
from audit import reading

APPROVED = "write.approved"
# What changes by design after the approval, or is written with the entry itself.
_LOOSE = frozenset({"approved_entry", "sent_at", "wanted_at", "wanted_by"})


def columns_of(row: ActionRequest | Decision) -> dict[str, str]:
    """Return each column that is bound, as text."""
    return {
        each.attname: _text(getattr(row, each.attname))
        for each in row._meta.concrete_fields
        if each.attname not in _LOOSE
    }


def bound(request: ActionRequest) -> dict[str, Any]:
    """Return what the entry of an approval keeps of the request and its decisions."""
    return {"columns": columns_of(request), "decisions": [columns_of(each) for each in _decisions(request)]}


def difference(request: ActionRequest, *, is_claimed: bool = False) -> str:
    """Say what differs from the entry of the approval; "" where nothing does.

    A claim changes state and version, as it should: `is_claimed` reads the row as it was just before.
    """
    entry = reading.entry(request.approved_entry) if request.approved_entry else None
    if entry is None or entry.kind != APPROVED or entry.payload is None:
        return "no entry of its approval is in the audit log"
    if entry.payload.get("request") != request.pk:
        return f"the entry of its approval is that of request {entry.payload.get('request')}"
    now = bound(request)
    if is_claimed and request.state == State.EXECUTING:
        now["columns"] |= {"state": State.APPROVED.value, "version": str(request.version - 1)}
    found = _differing("", entry.payload.get("columns"), now["columns"])
    if found:
        return found
    decided = entry.payload.get("decisions")
    if not isinstance(decided, list) or len(decided) != len(now["decisions"]):
        return f"it was approved with {len(decided or ())} decisions and has {len(now['decisions'])} now"
    for place, (then, since) in enumerate(zip(decided, now["decisions"], strict=True), 1):
        found = _differing(f"decision {place}'s ", then, since)
        if found:
            return found
    return ""


def _decisions(request: ActionRequest) -> list[Decision]:
    return list(Decision.objects.filter(request=request).order_by("pk"))


def _differing(whose: str, then: Any, now: Mapping[str, str]) -> str:
    if not isinstance(then, dict):
        return "the entry of its approval cannot be read"
    names = [name for name in sorted({*then, *now}) if then.get(name) != now.get(name)]
    return f"{whose}{names[0]} is not as it was when it was approved" if names else ""


def _text(value: Any) -> str:
    if value is None:
        return ""
    return as_text(value) if hasattr(value, "isoformat") else str(value)
