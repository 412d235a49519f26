"""What a hypothesis still lacks is asked by code, whoever gathered: an investigator can't leave it out."""

from django.utils import timezone

from investigations import models, rulebook
from investigations.demands import ask_all, demands_of, is_asked, is_early
from investigations.evidence import Asker, entries_of
from verdicts.case import Finding, Subject


def top_up(row: models.Investigation, subject: Subject, hypothesis: str, ask: Asker) -> tuple[Finding, ...]:
    """Ask each fact of the hypothesis that nobody asked, in the rule's name with its own arguments."""
    demands = demands_of(hypothesis, subject, rulebook.current_rulebook())
    now, entries = timezone.now(), entries_of(row.pk)
    missing = [each for each in demands if not is_asked(each, entries) and not is_early(each, now)]
    return ask_all(missing, ask.on_behalf_of("rule"), author="rule")
