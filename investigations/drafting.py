"""The answer that a person starts from: plain words about what the facts hold, each with its citation.

Pure. A draft states nothing that no fact holds, promises nothing, and says what is missing as missing.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from string import Template
from typing import Any, ClassVar

from toolbox import redaction
from verdicts.case import Subject
from verdicts.outcomes import Effect, FactOutcome, Outcome, Verdict
from verdicts.rule import RuleSpec

_LONGEST_QUOTE = 160
_UNTIL_FOUND = "**What to do next.** Treat it as real until a person has found the cause."
_ENTRY_AHEAD = re.compile(r"^Entry [0-9]+: ")
_SPACES = re.compile(r"[\s\x00-\x1f\x7f]+")
# Turns the direction of what follows: in the answer's field it would stand unseen, and be sent on.
_TURNS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# What a sender or a database wrote must not look like a citation, a link or a heading of ours.
_INERT = str.maketrans({"[": "(", "]": ")", "<": "‹", ">": "›", "`": "'", "*": "∗", "#": "＃"})


def draft(subject: Subject, verdict: Verdict, rule: RuleSpec | None) -> str:
    """Return the draft as markdown: an answer to the customer for a claim, a report for anything else."""
    parts = _claim(subject, verdict, rule) if subject.kind == "claim" else _report(subject, verdict, rule)
    return "\n\n".join(part for part in parts if part) + "\n"


def plain(text: str, longest: int = _LONGEST_QUOTE) -> str:
    """Return a stranger's text as one inert line: no markup, no line break, no citation, no secret."""
    line = _SPACES.sub(" ", _TURNS.sub("", redaction.text(text))).strip().translate(_INERT)
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _claim(subject: Subject, verdict: Verdict, rule: RuleSpec | None) -> Iterable[str]:
    """Yield the answer's paragraphs. Until a pass is earned the customer is told nothing from the records.

    Whoever writes may not be whose order it is: no value that was found goes into such an answer,
    and what holds is told only when all of it does. The person reads the rest beside the draft.
    """
    yield "Hello,"
    yield f"thank you for writing to us{_about(subject)}."
    if verdict.passed:
        yield _rules_own_words(subject, rule)
        yield "We have looked into it, and this is what we found:\n\n" + _held(
            verdict, rule, with_values=False
        )
        yield "If this is not what you see on your side, please answer this message and tell us what you see."
        return
    if rule is None:
        yield "We could not confirm anything about it yet: none of our checks covers what you describe."
    else:
        yield _lacking("Our records do not agree with this:", verdict, rule, Outcome.FAILS)
        yield _lacking("This we could not confirm yet:", verdict, rule, Outcome.UNANSWERABLE)
        yield _against(verdict, rule) or _obstacle(verdict)
        yield "Because of that we can't give you an answer yet."
    yield _what_would_help(subject)


def _about(subject: Subject) -> str:
    title = f" about “{plain(subject.title)}”" if subject.title.strip() else ""
    order = subject.identifiers.get("order_id", "")
    return title + (f" (order {plain(order, 60)})" if order.strip() else "")


def _what_would_help(subject: Subject) -> str:
    asked = ["what you expected, what you see instead, and since when"]
    if not subject.identifiers.get("order_id"):
        asked.insert(0, "your order number")
    return f"It helps us if you tell us {', and '.join(asked)}."


def _report(subject: Subject, verdict: Verdict, rule: RuleSpec | None) -> Iterable[str]:
    severity = f", severity {plain(subject.severity, 40)}" if subject.severity.strip() else ""
    name = f"“{plain(subject.title)}”" if subject.title.strip() else "The incident"
    yield (
        f"**What happened.** {name} began at "
        f"{_moment(subject.started_at)} (source {plain(subject.source, 60)}{severity})."
    )
    if rule is None:
        yield f"**What the evidence shows.** No explanation was tested. {plain(verdict.reason, 400)}"
        yield _UNTIL_FOUND
    elif verdict.passed:
        yield _rules_own_words(subject, rule)
        yield f"**What the evidence shows.** {plain(rule.sentence, 400)}\n\n" + _held(verdict, rule)
        yield (
            f"**What to do next.** Every fact of {_spoken(verdict.hypothesis)} holds. "
            "Read the cited entries, then close the incident."
        )
    else:
        yield (
            f"**What the evidence shows.** The nearest explanation is {_spoken(verdict.hypothesis)}"
            f" (“{plain(rule.sentence, 400)}”). It is not shown. {_obstacle(verdict)}"
        ).rstrip()
        yield _lacking("This speaks against it:", verdict, rule, Outcome.FAILS, with_values=True)
        yield _against(verdict, rule, with_values=True)
        yield _lacking("This could not be answered:", verdict, rule, Outcome.UNANSWERABLE, with_values=True)
        held = _held(verdict, rule)
        yield f"This holds:\n\n{held}" if held else ""
        yield _UNTIL_FOUND + _first_look(verdict, rule)


def _first_look(verdict: Verdict, rule: RuleSpec) -> str:
    """Point at what decided: the entry, or the question that nobody has answered."""
    found = next((each.entry for each in verdict.facts if each.name == verdict.deciding), None) or next(
        (each.entry for each in verdict.refutations if each.name == verdict.deciding), None
    )
    if found is not None:
        return f" Start with what decided: [entry {found}]."
    return (
        f" Start with what nobody could tell: {_stated(verdict.deciding, rule)}" if verdict.deciding else ""
    )


def _rules_own_words(subject: Subject, rule: RuleSpec | None) -> str:
    """Return the rule's own text for an earned pass, filled in; nothing when an identifier is lacking."""
    if rule is None or not rule.draft_pass:
        return ""
    known: Mapping[str, str] = {name: plain(value, 80) for name, value in subject.identifiers.items()}
    try:
        return _Braced(rule.draft_pass).substitute(known)
    except (KeyError, ValueError):
        return ""


class _Braced(Template):
    """`{name}` and nothing else: no attribute, no index, no format of a value can be asked for."""

    delimiter = "{"
    pattern: ClassVar[Any] = (
        r"(?P<escaped>\{\{)|\{(?P<named>[a-z][a-z0-9_]*)\}|(?P<braced>(?!))|(?P<invalid>\{)"
    )


def _held(verdict: Verdict, rule: RuleSpec | None, *, with_values: bool = True) -> str:
    return _points(verdict, rule, Outcome.HOLDS, with_values=with_values)


def _lacking(
    heading: str, verdict: Verdict, rule: RuleSpec, outcome: Outcome, *, with_values: bool = False
) -> str:
    points = _points(verdict, rule, outcome, with_values=with_values)
    return f"{heading}\n\n{points}" if points else ""


def _points(verdict: Verdict, rule: RuleSpec | None, outcome: Outcome, *, with_values: bool) -> str:
    return "\n".join(
        f"- {_stated(fact.name, rule)}{f' {_said(fact)}' if with_values else ''}{_cited(fact.entry)}"
        for fact in verdict.facts
        if fact.outcome is outcome
    )


def _said(fact: FactOutcome) -> str:
    """Return the reason without what stands beside it anyway: the entry's number and the fact's sentence."""
    found = _ENTRY_AHEAD.sub("", fact.reason).partition(" Expected: ")[0]
    return plain(found.replace(".000000Z", "Z"), 400)


def _against(verdict: Verdict, rule: RuleSpec, *, with_values: bool = False) -> str:
    lines = [
        f"- {plain(each.reason, 400) if with_values else _refuted(each.name, rule)}{_cited(each.entry)}"
        for each in verdict.refutations
        if each.outcome is not Effect.SILENT
    ]
    return "\n".join(["This counts against it:", "", *lines]) if lines else ""


def _refuted(name: str, rule: RuleSpec) -> str:
    refutation = rule.refutations.get(name)
    return _sentence(refutation.sentence if refutation else "", name)


def _obstacle(verdict: Verdict) -> str:
    """Return why nothing was earned though no fact says so: the rule is about something else, or inactive."""
    return "" if verdict.deciding else f"Our checks can't answer this: {plain(verdict.reason, 400)}"


def _stated(name: str, rule: RuleSpec | None) -> str:
    fact = rule.facts.get(name) if rule else None
    return _sentence(fact.sentence if fact else "", name)


def _sentence(said: str, name: str) -> str:
    words = plain(said, 400) or _spoken(name).capitalize()
    return words if words.endswith((".", "!", "?")) else words + "."


def _cited(entry: int | None) -> str:
    return f" [entry {entry}]" if entry is not None else ""


def _spoken(name: str) -> str:
    return plain(name.replace("_", " "), 120)


def _moment(moment: datetime) -> str:
    return f"{moment:%d %b %Y, %H:%M} UTC"
