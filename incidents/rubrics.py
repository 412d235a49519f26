"""What drafts about a source's incidents are graded by: kept with the source, frozen with each run."""

from django.db import transaction

from audit import writing
from incidents.models import Source
from investigations import services as investigations
from investigations.models import Investigation
from investigations.rubric import Rubric, RubricRefused, reading

__all__ = ["RubricRefused", "give", "say"]


def say(slug: str, text: str, *, by: str) -> Source:
    """Store a source's rubric; an empty text ends grading. Raises RubricRefused and Source.DoesNotExist."""
    read = reading(text)
    whole = _whole(read)
    with transaction.atomic():
        source = Source.objects.select_for_update().get(slug=slug)
        if source.rubric != whole:
            source.rubric = whole
            source.save(update_fields=["rubric"])
            payload = {"source": slug, "criteria": whole.splitlines(), "digest": read.digest if read else ""}
            writing.write("source.rubric_changed", payload, actor=by)
    return source


def give(investigation: Investigation, source: Source, *, own: str = "") -> None:
    """Freeze what this run's draft is graded by: its own rubric where one is given, else its source's.

    In the transaction that opened the run. Raises RubricRefused for an own one that can't be used.
    """
    investigations.give_rubric(investigation, _whole(reading(own)) or source.rubric)


def _whole(read: Rubric | None) -> str:
    return "\n".join(each.text for each in read.criteria) if read else ""
