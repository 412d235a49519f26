"""What a hypothesis still lacks is asked by code, whoever gathered: an investigator can't leave it out."""

from django.utils import timezone

from investigations import models, rulebook
from investigations.demands import ask_all, demands_of, unasked
from investigations.evidence import entries_of, redeclared_of
from investigations.surroundings import Asks
from verdicts.case import Finding, Subject


def top_up(row: models.Investigation, subject: Subject, hypothesis: str, ask: Asks) -> tuple[Finding, ...]:
    """Ask each fact of the hypothesis that nobody asked, in the rule's name with its own arguments."""
    demands = demands_of(hypothesis, subject, rulebook.current_rulebook())
    missing = unasked(demands, entries_of(row.pk), timezone.now(), but=redeclared_of(row.pk))
    return ask_all(missing, ask.on_behalf_of("rule"), author="rule")
