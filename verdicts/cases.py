"""The cases beside a rule: short JSON; ids, leaves and whatever goes without saying are filled in."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay_core import strictjson
from assay_core.arguments import ToolShape, one_form
from verdicts import plain
from verdicts.case import Case, Entry, Finding, Subject, Submission
from verdicts.demand import json_ready
from verdicts.outcomes import Verdict
from verdicts.plain import CaseUnreadable
from verdicts.rule import RuleSpec

INVESTIGATION = 1
INCIDENT = 1

_KEYS = frozenset({"name", "expect", "because", "subject", "entries", "judged_at"})
_OPTIONAL = frozenset({"deciding", "findings", "refutations"})
_EXPECTED = {"pass": True, "fail": False}


@dataclass(frozen=True, slots=True)
class Example:
    """One case of a rule: what is judged, how it must end, and why in a person's words."""

    name: str
    passes: bool
    because: str
    deciding: str
    subject: Subject
    case: Case
    entries: Mapping[int, Entry]

    def complaint(self, verdict: Verdict) -> str:
        """Return in what a verdict differs from what the case says, or nothing."""
        if verdict.passed is not self.passes:
            wanted = "a pass" if self.passes else "a fail"
            got = "a pass" if verdict.passed else "a fail"
            return f"its case {self.name!r} must end as {wanted} and ends as {got}: {verdict.reason}"
        if self.deciding and verdict.deciding != self.deciding:
            return (
                f"its case {self.name!r} must be decided by {self.deciding}, "
                f"and {verdict.deciding or 'no fact'} decides: {verdict.reason}"
            )
        return ""


def read_cases(text: str, rule: RuleSpec, shapes: Mapping[str, ToolShape]) -> tuple[Example, ...]:
    """Read the text of a `NAME.cases.json`; raise CaseUnreadable naming the case and path.

    A case has name, expect (`pass` or `fail`), because, subject, entries and judged_at, and may have
    deciding, findings and refutations. A subject needs started_at, an entry tool, arguments, result and
    called_at; the rest is filled in. Arguments are brought into the one form that the gateway would have
    recorded, and entries numbered from 1. An `investigation` other than 1 makes an entry a foreign one.
    """
    try:
        value = json.loads(text, object_pairs_hook=strictjson.without_doubles)
    except (ValueError, RecursionError) as error:
        raise CaseUnreadable("cases", f"not JSON: {error}") from error
    examples = plain.several(value, "cases", lambda item, path: _example(item, path, rule, shapes))
    names = [example.name for example in examples]
    for name in names:
        if names.count(name) > 1:
            raise CaseUnreadable("cases", f"two of them are named {name!r}")
    return examples


def too_few(examples: Sequence[Example]) -> str:
    """Say what is lacking to two cases that pass and two that fail, or nothing."""
    passing = sum(1 for example in examples if example.passes)
    failing = len(examples) - passing
    if passing < 2 or failing < 2:
        return f"it has {passing} cases that pass and {failing} that fail, and needs two of each"
    return ""


def _example(value: Any, path: str, rule: RuleSpec, shapes: Mapping[str, ToolShape]) -> Example:
    raw = plain.record(value, path, _KEYS, _OPTIONAL)
    name = _said(raw["name"], f"{path}.name")
    path = f"{path} ({name})"
    given = plain.several(raw["entries"], f"{path}.entries", plain.mapping)
    entries = {
        number: _entry(item, f"{path}.entries[{number - 1}]", number, shapes)
        for number, item in enumerate(given, start=1)
    }
    case = Case(
        investigation=INVESTIGATION,
        submission=Submission(rule.name, _findings(raw, "findings", path, author="playbook"), draft=""),
        added=(),
        refutations=_findings(raw, "refutations", path, author="person"),
        judged_at=plain.instant(raw["judged_at"], f"{path}.judged_at"),
        entries=tuple(
            (number, entry.leaf) for number, entry in entries.items() if entry.investigation == INVESTIGATION
        ),
    )
    return Example(
        name=name,
        passes=plain.one_of(raw["expect"], f"{path}.expect", _EXPECTED),
        because=_said(raw["because"], f"{path}.because"),
        deciding=plain.text(raw.get("deciding", ""), f"{path}.deciding"),
        subject=_subject(raw["subject"], f"{path}.subject", rule),
        case=case,
        entries=entries,
    )


def _subject(value: Any, path: str, rule: RuleSpec) -> Subject:
    given = plain.mapping(value, path)
    whole = {
        "incident": INCIDENT,
        "kind": min(rule.kinds),
        "source": "example",
        "title": "",
        "severity": "",
        "identifiers": {},
        "labels": {},
        "annotations": {},
        **given,
    }
    if "started_at" in given:
        whole.setdefault("received_at", given["started_at"])
    return Subject.from_plain(whole, path)


def _entry(given: Mapping[str, Any], path: str, number: int, shapes: Mapping[str, ToolShape]) -> Entry:
    whole = {
        "id": number,
        "leaf": hashlib.sha256(b"example %d" % number).hexdigest(),
        "investigation": INVESTIGATION,
        "status": "observed",
        "reason": "",
        "asked_by": "playbook",
        "covered": None,
        **given,
    }
    if "called_at" in given:
        whole.setdefault("finished_at", given["called_at"])
    entry = Entry.from_plain(whole, path)
    if entry.id != number:
        raise CaseUnreadable(f"{path}.id", f"entries are numbered by their order, and this one is {number}")
    shape = shapes.get(entry.tool)
    return replace(entry, arguments=json_ready(one_form(entry.arguments, shape))) if shape else entry


def _findings(raw: Mapping[str, Any], key: str, path: str, *, author: str) -> tuple[Finding, ...]:
    given = plain.several(raw.get(key, []), f"{path}.{key}", plain.mapping)
    return tuple(
        Finding.from_plain({"note": "", "author": author, **item}, f"{path}.{key}[{index}]")
        for index, item in enumerate(given)
    )


def _said(value: Any, path: str) -> str:
    said = plain.text(value, path).strip()
    if not said:
        raise CaseUnreadable(path, "must say something")
    return said
