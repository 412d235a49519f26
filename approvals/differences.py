"""What a write changes, as lines for people: each value by its path, as it is and as it would be."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Change:
    """One value by its path. None stands for a value that is not there."""

    path: str
    before: str | None
    after: str | None

    @property
    def kind(self) -> str:
        """`added`, `removed`, `changed` or `same`: the word that stands beside the colour."""
        if self.before == self.after:
            return "same"
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "changed"


def flat(value: Any, path: str = "") -> dict[str, str]:
    """Return each leaf of a JSON value as text by its path: `spec.replicas`, `labels[0]`; no leaf is lost."""
    if isinstance(value, Mapping) and value:
        return {
            name: text
            for key in sorted(value)
            for name, text in flat(value[key], f"{path}.{key}" if path else str(key)).items()
        }
    if isinstance(value, list | tuple) and value:
        return {
            name: text
            for place, item in enumerate(value)
            for name, text in flat(item, f"{path}[{place}]").items()
        }
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return {path or "value": text}


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """Return every value of two states by path, what differs first."""
    then, since = flat(before) if before else {}, flat(after) if after else {}
    found = [Change(path, then.get(path), since.get(path)) for path in sorted({*then, *since})]
    return tuple(sorted(found, key=lambda change: change.kind == "same"))
