"""An incident's whole record, to be taken along: as plain values, as Markdown, its timeline as rows.

Secrets are masked as on every page. What the answers of tools hold stays in their entries, which it names.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from assay_core.instants import as_text
from incidents import editing, identifiers, queries
from incidents.models import DraftEdit, Incident, Note
from investigations import labels
from investigations import queries as investigations
from toolbox import redaction

VERSION = 1
COLUMNS = ("at", "by", "who", "what", "words", "entry")
_SIGNALS_SHOWN = 500


def record(incident: Incident) -> dict[str, Any]:
    """Return all that is known of an incident as JSON values."""
    latest = investigations.latest(incident.pk)
    story = investigations.story(latest) if latest else None
    return {
        "version": VERSION,
        "incident": _incident(incident),
        "identifiers": [
            {
                "name": each.name,
                "value": redaction.under_name(each.name, each.value),
                "origin": each.origin,
                "counts": each.counts,
            }
            for each in identifiers.lines(incident)
        ],
        "verdict": _verdict(story),
        "classification": _classification(incident),
        "draft": _text(story.draft) if story else "",
        "draft_caution": story.caution if story else "",
        "edits": [
            {"number": each.number, **_said(each)} for each in reversed(editing.history(incident.pk))
        ],
        "closings": [_closing(one) for one in reversed(queries.resolutions(incident))],
        "notes": [
            _said(each) for each in queries.notes(incident)
        ],
        "signals": [
            {"event": one.event, "effect": one.effect, "at": as_text(one.received_at)}
            for one in incident.signals.order_by("pk")[:_SIGNALS_SHOWN]
        ],
        "timeline": [dict(zip(COLUMNS, row, strict=True)) for row in rows(queries.timeline(incident.pk))],
    }  # fmt: skip


def rows(lines: Sequence[queries.TimelineLine]) -> Iterator[tuple[Any, ...]]:
    """Return the timeline as rows under COLUMNS."""
    for line in lines:
        yield as_text(line.at), line.by, line.actor, line.kind, _text(line.words), line.entry


def markdown(plain: Mapping[str, Any]) -> str:
    """Return a record as Markdown. What came from outside is quoted, so that it marks up nothing."""
    incident, verdict = plain["incident"], plain["verdict"]
    parts = [
        f"# Incident {incident['number']}",
        _block(incident["title"]),
        _table(("", ""), [(name, incident[name]) for name in incident if name not in ("title", "labels")]),
        "## Verdict",
        _told(verdict),
        *(_classified(plain["classification"]) if plain["classification"] else ()),
        "## Answer",
        *([plain["draft_caution"]] if plain["draft_caution"] and not plain["edits"] else []),
        _block(plain["edits"][-1]["text"] if plain["edits"] else plain["draft"]),
        *(f"## Closed: {one['outcome']}\n\n{_block(one['answer'])}" for one in plain["closings"]),
        "## Notes",
        *(f"{each['at']}, {each['by']}:\n\n{_block(each['text'])}" for each in plain["notes"]),
        "## Timeline",
        _table(COLUMNS, [tuple(line[name] for name in COLUMNS) for line in plain["timeline"]]),
    ]
    return "\n\n".join(parts) + "\n"


def _incident(incident: Incident) -> dict[str, Any]:
    return {
        "number": incident.pk,
        "title": _text(incident.title),
        "kind": incident.kind,
        "source": incident.source.slug,
        "sender_key": _text(incident.sender_key),
        "severity": _text(incident.severity),
        "state": incident.state,
        "started_at": as_text(incident.started_at),
        "received_at": as_text(incident.first_received_at),
        "acknowledged_at": _moment(incident.acknowledged_at),
        "recovered_at": _moment(incident.recovered_at),
        "closed_at": _moment(incident.closed_at),
        "with": incident.assignee.username if incident.assignee else None,
        "signals": incident.signal_count,
        "follows": incident.previous_id,
        "labels": redaction.copy_for_readers(incident.labels).value,
    }


def _verdict(story: "investigations.Story | None") -> dict[str, Any] | None:
    if story is None or story.verdict is None:
        return None
    return {
        "passed": story.verdict.passed,
        "hypothesis": story.verdict.hypothesis,
        "reason": _text(story.verdict.reason),
        "rule_version": story.verdict.rule_version,
        "rulebook_digest": story.verdict.rulebook_digest,
        "judged_at": as_text(story.verdict.judged_at),
        "facts": [
            {"name": fact.name, "outcome": fact.outcome, "reason": _text(fact.reason), "entry": fact.entry}
            for fact in story.facts
        ],
    }


def _classification(incident: Incident) -> dict[str, Any] | None:
    found = labels.of_incident(incident.pk) if incident.kind == "issue" else None
    if found is None:
        return None
    plain: dict[str, Any] = redaction.copy_for_readers(labels.plain(found.row)).value
    return plain


def _said(one: DraftEdit | Note) -> dict[str, Any]:
    return {"by": one.by.username, "at": as_text(one.created_at), "text": _text(one.text)}


def _closing(one: Any) -> dict[str, Any]:
    return {
        "outcome": one.outcome,
        "at": as_text(one.created_at),
        "by": one.by.username if one.by else f"rule {one.by_rule}",
        "reason": _text(one.reason),
        "answer": _text(one.answer),
        "overrides_verdict": one.contradicts_verdict,
        "duplicate_of": one.duplicate_of_id,
        "label": one.human_label.label if hasattr(one, "human_label") else None,
    }


def _told(verdict: Mapping[str, Any] | None) -> str:
    if verdict is None:
        return "There is none."
    word = "Earned a pass" if verdict["passed"] else "Needs a person"
    facts = [(each["name"], each["outcome"], each["reason"], each["entry"]) for each in verdict["facts"]]
    lines = [f"{word}, under {_cell(verdict['hypothesis'])}.", _block(verdict["reason"])]
    return "\n\n".join([*lines, _table(("fact", "outcome", "reason", "entry"), facts)] if facts else lines)


def _classified(found: Mapping[str, Any]) -> tuple[str, str]:
    checks = [(each["reason"], each["outcome"], each["words"]) for each in found["checks"]]
    said = f"{found['label'] or 'No label'} ({found['status']}). {found['why']}"
    return "## Classification", "\n\n".join([_block(said), _table(("reason", "outcome", "found"), checks)])


def _table(head: Sequence[str], body: Sequence[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(_cell(value) for value in line)} |" for line in lines)


def _cell(value: Any) -> str:
    """Text that stays in its cell and marks up nothing."""
    text = "" if value is None else str(value)
    for char in "\\`*_[]<>|#!":
        text = text.replace(char, f"\\{char}")
    return " ".join(text.split())


def _block(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _moment(at: datetime | None) -> str | None:
    return as_text(at) if at else None


def _text(text: str) -> str:
    return redaction.text(text)
