"""The tools as a page lists them: by connector, how they were asked of late, what stands against them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Q

from assay_core.results import Status
from toolbox import acknowledgements, registry, toolrules
from toolbox.connectors.credential import Provable
from toolbox.definitions import LogQuestion, SqlQuestion, ToolDefinition
from toolbox.models import Call, Effect
from toolbox.proofrows import ConnectorProof
from toolbox.toolrules import Standing

COUNTED_DAYS = 7
_FAILED = (Status.ERROR, Status.UNAVAILABLE)


@dataclass(frozen=True, slots=True)
class Counted:
    """How often a tool was asked in the last days, and how its last call ended."""

    calls: int = 0
    refused: int = 0
    failed: int = 0
    last: Call | None = None


@dataclass(frozen=True, slots=True)
class ToolLine:
    """One tool. `question` is what it puts to its connector, as its file has it."""

    definition: ToolDefinition
    question: str
    input: str
    output: str
    counted: Counted
    pause: str = ""
    is_changed: bool = False
    denies: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ConnectorCard:
    """One connector with its tools, and how its credential stood when it was last proven."""

    name: str
    kind: str
    title: str
    proof: ConnectorProof | None
    has_credential: bool
    tools: Sequence[ToolLine] = field(default_factory=tuple)


def cards(now: datetime) -> tuple[ConnectorCard, ...]:
    """Return every connector with its tools, in the order of their names."""
    toolbox = registry.current()
    counted = _counted(now)
    standing = toolrules.standing()
    changed = {one.definition.name for one in acknowledgements.changed(toolbox.definitions.values())}
    proofs = {proof.connector: proof for proof in ConnectorProof.objects.all()}
    return tuple(
        ConnectorCard(
            name=name,
            kind=connector.kind,
            title=connector.title,
            proof=proofs.get(name),
            has_credential=isinstance(connector, Provable),
            tools=tuple(
                _line(
                    definition, counted.get(definition.name, Counted()), standing, definition.name in changed
                )
                for definition in toolbox.definitions.values()
                if definition.connector == name
            ),
        )
        for name, connector in sorted(toolbox.connectors.items())
    )


def _line(definition: ToolDefinition, counted: Counted, standing: Standing, is_changed: bool) -> ToolLine:
    pauses = [rule.because for rule in standing.of(Effect.PAUSE) if rule.pattern.tool == definition.name]
    denies = [
        f"{rule.pattern.caller}: {rule.because}"
        for rule in standing.of(Effect.DENY)
        if rule.pattern.may_match(definition.name, rule.pattern.caller)
    ]
    return ToolLine(
        definition=definition,
        question=_question(definition),
        input=_pretty(definition.input),
        output=_pretty(definition.output),
        counted=counted,
        pause=pauses[0] if pauses else "",
        is_changed=is_changed,
        denies=denies,
    )


def _counted(now: datetime) -> Mapping[str, Counted]:
    rows = (
        Call.objects.filter(recorded_at__gt=now - timedelta(days=COUNTED_DAYS))
        .order_by()
        .values("tool")
        .annotate(
            calls=Count("pk"),
            refused=Count("pk", filter=Q(status=Status.REFUSED)),
            failed=Count("pk", filter=Q(status__in=_FAILED)),
            last=Max("pk"),
        )
    )
    found = {row["tool"]: row for row in rows}
    calls = Call.objects.in_bulk([row["last"] for row in found.values()])
    return {
        name: Counted(row["calls"], row["refused"], row["failed"], calls.get(row["last"]))
        for name, row in found.items()
    }


def _question(definition: ToolDefinition) -> str:
    question = definition.question
    if isinstance(question, SqlQuestion):
        return str(definition.plain.get("sql", question.statement.text)).strip()
    if isinstance(question, LogQuestion):
        return _pretty(definition.plain.get("log", {}))
    known = {
        "name",
        "title",
        "description",
        "input",
        "output",
        "connector",
        "limits",
        "normalise",
        "defaults",
    }
    return _pretty({key: value for key, value in definition.plain.items() if key not in known})


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
