"""Grafana's alerting before version 9: one rule in each delivery, told as the later one tells an alert."""

from collections.abc import Mapping
from typing import Any

from incidents.adapters.reading import Notes

# Whatever else a rule is (alerting, no_data, pending), it is not well.
_STATES = {"ok": "resolved"}


def as_unified(whole: Mapping[str, Any], notes: Notes) -> Mapping[str, Any]:
    """Return a delivery of the old alerting as the new one has it; any other as it is."""
    state, name = whole.get("state"), whole.get("ruleName")
    if "alerts" in whole or not isinstance(state, str) or not isinstance(name, str):
        return whole
    notes.add("A delivery of Grafana's alerting before version 9: it says no times.", partial=True)
    tags = whole.get("tags")
    alert = {
        "status": _STATES.get(state.strip().casefold(), "firing"),
        "labels": {"alertname": name, **(tags if isinstance(tags, Mapping) else {})},
        "annotations": {"state": state, "message": whole.get("message", "")},
        "fingerprint": _key(whole),
        "generatorURL": whole.get("ruleUrl"),
    }
    return {"alerts": [alert]}


def _key(whole: Mapping[str, Any]) -> str | None:
    """Return what stays the same of a rule; None where it has no number: its labels tell it apart."""
    rule, organisation = whole.get("ruleId"), whole.get("orgId")
    if not isinstance(rule, int) or isinstance(rule, bool) or rule <= 0:
        return None
    return f"rule:{organisation if isinstance(organisation, int) else 1}:{rule}"
