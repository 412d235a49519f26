"""What a hypothesis demands to be asked, and asking it by code. Pure but for `ask`."""

from collections.abc import Callable, Container, Iterable, Mapping
from datetime import datetime
from typing import Any

from assay_core.canonical import canonical
from investigations.outcomes import BudgetSpent
from verdicts.case import Entry, Finding, Subject
from verdicts.demand import Demand
from verdicts.rulebook import Rulebook

Ask = Callable[[str, Mapping[str, Any]], Entry]


def demands_of(hypothesis: str, subject: Subject, rulebook: Rulebook) -> tuple[Demand, ...]:
    """Return what the rule of this name demands; nothing where no such rule applies to the subject."""
    rule = next((each for each in rulebook.applicable(subject) if each.name == hypothesis), None)
    return rulebook.demands(rule, subject) if rule else ()


def question(tool: str, arguments: Mapping[str, object]) -> str:
    """Return the one text of a question, by which two questions are the same or not."""
    return canonical([tool, dict(arguments)])


def is_asked(demand: Demand, entries: Mapping[int, Entry], now: datetime) -> bool:
    """Say whether the run holds an entry for exactly this question that its time lets count."""
    wanted = question(demand.tool, demand.arguments)
    return any(
        demand.counts(entry.called_at, now) and question(entry.tool, entry.arguments) == wanted
        for entry in entries.values()
    )


def is_early(demand: Demand, now: datetime) -> bool:
    """Say whether an answer can't earn anything yet."""
    return demand.not_before is not None and demand.not_before > now


def unasked(
    demands: Iterable[Demand], entries: Mapping[int, Entry], now: datetime, *, but: Container[int] = ()
) -> list[Demand]:
    """Return what nobody has asked, or not when it counts, as far as an answer can earn anything yet.

    `but` are entries that answer another question by now, as their tool was declared anew.
    """
    counting = {number: entry for number, entry in entries.items() if number not in but}
    return [each for each in demands if not is_early(each, now) and not is_asked(each, counting, now)]


def ask_all(demands: Iterable[Demand], ask: Ask, *, author: str) -> tuple[Finding, ...]:
    """Ask each distinct question once, as far as the budget goes; return a finding for each fact."""
    findings: list[Finding] = []
    answered: dict[str, Entry] = {}
    for demand in demands:
        key = question(demand.tool, demand.arguments)
        if key not in answered:
            try:
                answered[key] = ask(demand.tool, demand.arguments)
            except BudgetSpent:
                break
        entry = answered[key]
        findings.append(Finding(fact=demand.fact, entry=entry.id, note=entry.reason, author=author))
    return tuple(findings)
