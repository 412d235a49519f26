"""Which declarations of tools may be asked: the first that was seen, and those acknowledged since."""

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import IntegrityError, transaction

from accounts.models import User
from assay_core.canonical import canonical
from audit import writing
from toolbox.definitions import ToolDefinition
from toolbox.prooflog import AcknowledgementRefused, demand_administrator
from toolbox.proofrows import ToolAcknowledgement

INSTALLER = "installer"
_known: set[tuple[str, str]] = set()


@dataclass(frozen=True, slots=True)
class Changed:
    """A tool whose declaration differs from every acknowledged one, beside the newest of those."""

    definition: ToolDefinition
    before: ToolAcknowledgement

    def differences(self) -> str:
        """Return the changed lines, - before and + now."""
        return "\n".join(
            difflib.unified_diff(
                _lines(json.loads(self.before.declaration)),
                _lines(self.definition.plain),
                f"{self.before.tool} {self.before.digest[:12]}",
                f"{self.definition.name} {self.definition.digest[:12]}",
                lineterm="",
                n=2,
            )
        )


def is_known(definition: ToolDefinition) -> bool:
    """Whether this process has read already that this declaration may be asked."""
    return (definition.name, definition.digest) in _known


def obstacle(definition: ToolDefinition) -> str:
    """Return why this declaration may not be asked yet, or ''.

    A tool that was never seen before is acknowledged by whoever installed it; that is audited. Any other
    declaration under the same name waits for an administrator, whoever asks.
    """
    key = (definition.name, definition.digest)
    if is_known(definition):
        return ""
    rows = ToolAcknowledgement.objects.filter(tool=definition.name)
    digests = set(rows.values_list("digest", flat=True))
    if definition.digest in digests or (not digests and _installed(definition)):
        _known.add(key)
        return ""
    return (
        f"the declaration of {definition.name} has changed and no administrator has acknowledged it: look at "
        f"it with `manage.py tools check`, then `manage.py tools acknowledge {definition.name} --by NAME`"
    )


def changed(definitions: Iterable[ToolDefinition]) -> tuple[Changed, ...]:
    """Return the tools that wait to be acknowledged."""
    newest: dict[str, ToolAcknowledgement] = {}
    digests: set[tuple[str, str]] = set()
    for row in ToolAcknowledgement.objects.order_by("pk"):
        newest[row.tool] = row
        digests.add((row.tool, row.digest))
    return tuple(
        Changed(definition, newest[definition.name])
        for definition in definitions
        if definition.name in newest and (definition.name, definition.digest) not in digests
    )


def acknowledge(definition: ToolDefinition, *, by: User, now: datetime) -> ToolAcknowledgement:
    """Accept a changed declaration as it stands now. Audited. Raises AcknowledgementRefused."""
    demand_administrator(by, "changed tools")
    if not ToolAcknowledgement.objects.filter(tool=definition.name).exists():
        raise AcknowledgementRefused(
            f"{definition.name} was never asked: its first declaration needs no word."
        )
    try:
        return _recorded(definition, actor=f"person:{by.username}", now=now)
    except IntegrityError:
        raise AcknowledgementRefused(f"{definition.name} is acknowledged as it stands.") from None


def forget() -> None:
    """Forget what this process has read."""
    _known.clear()


def _installed(definition: ToolDefinition) -> bool:
    """Write down a tool's first declaration; return False when another process was first with another one."""
    try:
        _recorded(definition, actor=INSTALLER, now=datetime.now(UTC))
    except IntegrityError:
        rows = ToolAcknowledgement.objects.filter(tool=definition.name, digest=definition.digest)
        return rows.exists()
    return True


def _recorded(definition: ToolDefinition, *, actor: str, now: datetime) -> ToolAcknowledgement:
    is_first = actor == INSTALLER
    with transaction.atomic():
        row = ToolAcknowledgement.objects.create(
            tool=definition.name,
            digest=definition.digest,
            declaration=canonical(definition.plain),
            is_first=is_first,
            acknowledged_by=actor,
            acknowledged_at=now,
        )
        writing.write(
            "tool.installed" if is_first else "tool.acknowledged",
            {"tool": definition.name, "definition": definition.digest},
            actor=actor,
        )
    return row


def _lines(plain: Mapping[str, object]) -> list[str]:
    return json.dumps(plain, indent=1, sort_keys=True, ensure_ascii=False).splitlines()
