"""Which other issues are known from the source that an issue came from."""

from dataclasses import dataclass

from incidents.adapters.github import key_of
from incidents.models import Incident
from investigations.classification import CannotLook, KnownIssue, KnownIssues


@dataclass(frozen=True, slots=True)
class Known:
    """The issues of one source. Of one that never came in nothing is known: it may exist all the same."""

    source: int

    def find(self, repository: str, number: int) -> KnownIssue | None:
        """Return the issue that opened an incident here; raise CannotLook where none did."""
        rows = Incident.objects.filter(source=self.source, sender_key=key_of(repository, number))
        first = rows.order_by("started_at", "pk").values_list("pk", "started_at").first()
        if first is None:
            raise CannotLook("it never came in here")
        return KnownIssue(repository, number, first[1], f"incident {first[0]}")


def known_to(incident: int) -> KnownIssues:
    """Return what the source of an incident has brought in."""
    return Known(Incident.objects.values_list("source_id", flat=True).get(pk=incident))
