"""How each example incident has to end, and in what a run differs from that."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("expected.json")


def expected() -> list[Mapping[str, Any]]:
    """Return what expected.json says: one mapping for each incident that must come of the deliveries."""
    whole: list[Mapping[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return whole


def compare(wanted: Iterable[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return every difference as a sentence; nothing when all ended as expected.

    A row has source, sender_key, title, hypothesis, passed, deciding and reason. Incidents that nobody
    expects are differences too.
    """
    by_key: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        by_key.setdefault((row["source"], row["sender_key"]), []).append(row)
    found = []
    for want in wanted:
        came = by_key.pop((want["source"], want["sender_key"]), [])
        if len(came) != 1:
            found.append(f"{want['name']}: {len(came)} incidents came of it, and one should")
        found += [f"{want['name']}: {difference}" for row in came for difference in _differences(want, row)]
    found += [f"nobody expects {source} {key}" for source, key in sorted(by_key)]
    return found


def false_passes(wanted: Iterable[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a sentence for each incident that passed and should not have, or that nobody expects.

    With a model everything else may differ: it may fail where the playbook earns a pass.
    """
    may_pass = {(want["source"], want["sender_key"]) for want in wanted if want["passed"]}
    return [
        f"{row['title']!r} of {row['source']} passed under {row['hypothesis']}, and should not have"
        for row in rows
        if row["passed"] and (row["source"], row["sender_key"]) not in may_pass
    ]


def _differences(want: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    found = [
        f"{name} is {row[name]!r} and should be {want[name]!r}"
        for name in ("title", "hypothesis", "passed", "deciding")
        if row[name] != want[name]
    ]
    if want["reason_contains"] not in row["reason"]:
        found.append(f"the reason {row['reason']!r} does not say {want['reason_contains']!r}")
    return found
