"""Which fields name a thing that rules ask about, and which values name none."""

import re

from incidents.adapters import text
from incidents.adapters.reading import Notes

# Every short label names something; of the other fields only these and what ends with _id.
_NAMING = frozenset({"tenant", "service", "error_class", "heartbeat", "job", "order", "host"})
_FIRST = frozenset({"alertname", "severity", "summary", "description", "title", "message", "instance"})
# What stands where a sender's template was not filled in: Prometheus', Grafana's, a shell's, a form's.
_UNFILLED = re.compile(r"\{\{.*\}\}|<no value>|\[no value\]|\A\$\{?[A-Za-z_][\w.]*\}?\Z", re.DOTALL)
_NOTHING = frozenset({"null", "none", "nil", "nan", "undefined", "n/a", "unknown"})


def names_a_thing(name: str) -> bool:
    """Tell whether a field is known to name a thing."""
    return name.endswith("_id") or name in _NAMING


def comes_first(name: str) -> bool:
    """Tell whether a field is kept before others where there are too many."""
    return name in _FIRST or names_a_thing(name)


def identifier(name: str, value: str, where: str, notes: Notes) -> str:
    """Return what a field names, or nothing, with a note where it is a value that nobody can have meant.

    A search for such a value finds nothing, and that would look like a proof.
    """
    value = value.strip()
    if not value or len(value) > text.IDENTIFIER_MAX:
        return ""
    if text.REPLACEMENT in value or not value.isprintable():
        notes.add(f"{where}: it holds a character that cannot be seen, so it names nothing.", partial=True)
        return ""
    is_unfilled = _UNFILLED.search(value) is not None
    if is_unfilled or (names_a_thing(name) and value.casefold() in _NOTHING):
        notes.add(f"{where}: {text.quoted(value)} was never filled in, so it names nothing.", partial=True)
        return ""
    return value
