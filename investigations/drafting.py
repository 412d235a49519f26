"""The answer that a person starts from: plain words about what the facts hold, each with its citation.

Pure. A draft states nothing that no fact holds, promises nothing, and says what is missing as missing.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from string import Template

from verdicts.case import Subject
from verdicts.outcomes import Effect, FactOutcome, Outcome, Verdict
from verdicts.rule import RuleSpec

_LONGEST_QUOTE = 160
_ENTRY_AHEAD = re.compile(r"^Entry [0-9]+: ")
_SPACES = re.compile(r"[\s\x00-\x1f\x7f]+")
# What a sender or a database wrote must not look like a citation, a link or a heading of ours.
_INERT = str.maketrans({"[": "(", "]": ")", "<": "‹", ">": "›", "`": "'", "*": "∗", "#": "＃"})


def draft(subject: Subject, verdict: Verdict, rule: RuleSpec | None) -> str:
    """Return the draft as markdown: an answer to the customer for a claim, a report for anything else."""
    parts = _claim(subject, verdict, rule) if subject.kind == "claim" else _report(subject, verdict, rule)
    return "\n\n".join(part for part in parts if part) + "\n"


def plain(text: str, longest: int = _LONGEST_QUOTE) -> str:
    """Return a stranger's text as one inert line: no markup, no line breaks, no citation of ours."""
    line = _SPACES.sub(" ", text).strip().translate(_INERT)
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _claim(subject: Subject, verdict: Verdict, rule: RuleSpec | None) -> Iterable[str]:
    yield "Hello,"
    yield f"thank you for writing to us about “{plain(subject.title)}”{_about(subject)}."
    held = _lines(verdict, rule, with_values=False)
    if verdict.passed:
        yield _rules_own_words(subject, rule)
        yield "We have looked into it, and this is what we found:\n\n" + held
        yield "If this is not what you see on your side, please answer this message and tell us what you see."
        return
    if rule is None:
        yield "We could not confirm anything about it yet: none of our checks covers what you describe."
        yield _what_would_help(subject)
        return
    if held:
        yield "This is what we could confirm so far:\n\n" + held
    yield _missing("Our records do not agree with this:", verdict, rule, Outcome.FAILS)
    yield _missing("This we could not confirm yet:", verdict, rule, Outcome.UNANSWERABLE)
    yield _against(verdict)
    yield "Because of that we can't tell you yet how this ends."
    yield _what_would_help(subject)


def _about(subject: Subject) -> str:
    order = subject.identifiers.get("order_id")
    return f" (order {plain(order, 60)})" if order else ""


def _what_would_help(subject: Subject) -> str:
    asked = ["what you expected, what you see instead, and since when"]
    if not subject.identifiers.get("order_id"):
        asked.insert(0, "your order number")
    return f"It helps us if you tell us {', and '.join(asked)}."


def _report(subject: Subject, verdict: Verdict, rule: RuleSpec | None) -> Iterable[str]:
    severity = f", severity {plain(subject.severity, 40)}" if subject.severity else ""
    yield (
        f"**What happened.** “{plain(subject.title)}” began at {_moment(subject.started_at)}"
        f" (source {plain(subject.source, 60)}{severity})."
    )
    if verdict.passed and rule is not None:
        yield _rules_own_words(subject, rule)
        yield f"**What the evidence shows.** {plain(rule.sentence, 400)}\n\n" + _lines(
            verdict, rule, with_values=True
        )
        yield (
            f"**What to do next.** Every fact of {_spoken(verdict.hypothesis)} holds. "
            "Read the cited entries, then close the incident."
        )
        return
    if rule is None:
        yield f"**What the evidence shows.** No explanation was tested. {plain(verdict.reason, 400)}"
    else:
        yield (
            f"**What the evidence shows.** The nearest explanation is {_spoken(verdict.hypothesis)}"
            f" (“{plain(rule.sentence, 400)}”). It is not shown: {plain(verdict.reason, 400)}"
        )
        held = _lines(verdict, rule, with_values=True)
        yield f"This holds:\n\n{held}" if held else ""
        yield _missing("This speaks against it:", verdict, rule, Outcome.FAILS)
        yield _missing("This could not be answered:", verdict, rule, Outcome.UNANSWERABLE)
        yield _against(verdict)
    yield "**What to do next.** Treat it as real until a person has found the cause." + _first_look(
        verdict, rule
    )


def _first_look(verdict: Verdict, rule: RuleSpec | None) -> str:
    return f" Start with: {_stated(verdict.deciding, rule)}" if rule and verdict.deciding else ""


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
    # Template compiles the text itself; its stub knows only the result.
    pattern = r"(?P<escaped>\{\{)|\{(?P<named>[a-z][a-z0-9_]*)\}|(?P<braced>(?!))|(?P<invalid>\{)"  # type: ignore[assignment]


def _lines(verdict: Verdict, rule: RuleSpec | None, *, with_values: bool) -> str:
    return "\n".join(
        f"- {_stated(fact.name, rule)}{f' {_said(fact)}' if with_values else ''}{_cited(fact)}"
        for fact in verdict.facts
        if fact.outcome is Outcome.HOLDS
    )


def _missing(heading: str, verdict: Verdict, rule: RuleSpec | None, outcome: Outcome) -> str:
    lines = [
        f"- {_stated(fact.name, rule)} {_said(fact)}{_cited(fact)}"
        for fact in verdict.facts
        if fact.outcome is outcome
    ]
    return "\n".join([heading, "", *lines]) if lines else ""


def _said(fact: FactOutcome) -> str:
    """Return the reason without what stands beside it anyway: the entry's number and the fact's sentence."""
    found = _ENTRY_AHEAD.sub("", fact.reason).partition(" Expected: ")[0]
    return plain(found, 400)


def _against(verdict: Verdict) -> str:
    lines = [
        f"- {plain(each.reason, 400)}" + (f" [entry {each.entry}]" if each.entry is not None else "")
        for each in verdict.refutations
        if each.outcome is not Effect.SILENT
    ]
    return "\n".join(["This counts against it:", "", *lines]) if lines else ""


def _stated(name: str, rule: RuleSpec | None) -> str:
    fact = rule.facts.get(name) if rule else None
    said = plain(fact.sentence, 400) if fact and fact.sentence else _spoken(name).capitalize()
    return said if said.endswith((".", "!", "?")) else said + "."


def _cited(fact: FactOutcome) -> str:
    return f" [entry {fact.entry}]" if fact.entry is not None else ""


def _spoken(name: str) -> str:
    return plain(name.replace("_", " "), 120)


def _moment(moment: datetime) -> str:
    return f"{moment:%d %b %Y, %H:%M} UTC"
