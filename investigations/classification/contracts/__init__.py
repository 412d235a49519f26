"""The contracts by which issues are classified: JSON Schema files, each with its version and label set."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assay_core.canonical import digest
from toolbox import schemas

CURRENT = "1"
UNPARSEABLE = "unparseable"
_HERE = Path(__file__).parent
_OURS = ("$schema", "title", "description", "x-contract")


class ContractUnknown(LookupError):
    """No contract has this version; the message names those that there are."""


@dataclass(frozen=True, slots=True)
class Contract:
    """One version of the contract. `schema` is what replies are held to, `shown` what models are told.

    A `compatible` one accepts words about confidence, `dropped`, which no model is told of.
    """

    version: str
    label_set: str
    labels: tuple[str, ...]
    reason_codes: tuple[str, ...]
    machine_reasons: tuple[str, ...]
    dropped: frozenset[str]
    text: str  # the file, as it is
    schema: Mapping[str, Any]
    shown: Mapping[str, Any]
    digest: str

    @property
    def compatible(self) -> bool:
        """Whether words about confidence are accepted, to be dropped."""
        return bool(self.dropped)


def versions() -> list[str]:
    """Return the versions that there is a file of."""
    return sorted(
        path.name.removeprefix("issue.v").removesuffix(".json") for path in _HERE.glob("issue.v*.json")
    )


@cache
def contract(version: str = CURRENT) -> Contract:
    """Return the contract of a version; raise ContractUnknown."""
    if version not in versions():
        raise ContractUnknown(f"There is no contract {version[:40]!r}. There are {', '.join(versions())}.")
    return parsed((_HERE / f"issue.v{version}.json").read_text(encoding="utf-8"))


def parsed(text: str) -> Contract:
    """Return the contract that a file's text holds; raise SchemaUnusable, KeyError or ValueError for none."""
    whole = json.loads(text)
    schemas.check_schema(whole)
    said, fields = whole["x-contract"], whole["properties"]
    dropped = frozenset(said.get("dropped", ()))
    shown = {name: part for name, part in whole.items() if name not in _OURS}
    shown["properties"] = {name: part for name, part in fields.items() if name not in dropped}
    return Contract(
        version=said["version"],
        label_set=said["label_set"],
        labels=tuple(fields["label"]["enum"]),
        reason_codes=tuple(fields["reasons"]["items"]["enum"]),
        machine_reasons=tuple(said["machine_reasons"]),
        dropped=dropped,
        text=text,
        schema=whole,
        shown=shown,
        digest=digest(whole),
    )
