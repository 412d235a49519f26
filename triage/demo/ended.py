"""How the runs of a model ended, in words: outcomes by kind, tokens, and where the incidents stand."""

from collections import Counter
from collections.abc import Sequence

from django.db.models import Sum

from incidents.models import Incident
from incidents.states import State
from investigations.models import Exchange, Investigation

_WITH_A_PERSON = (State.REVIEW, State.CLOSED)


def told(incidents: Sequence[Incident]) -> str:
    """Return a sentence each about the runs, the exchanges and the states of these incidents."""
    runs = Investigation.objects.filter(incident_id__in=[each.pk for each in incidents])
    ended = Counter(run.outcome or f"{run.state} without a model" for run in runs)
    exchanges = Exchange.objects.filter(investigation__in=runs)
    replies = Counter(exchanges.values_list("outcome", flat=True))
    spent = exchanges.aggregate(read=Sum("tokens_in", default=0), written=Sum("tokens_out", default=0))
    return (
        f"Its {ended.total()} runs ended as {_counted(ended)}.\n"
        f"Its {replies.total()} exchanges ended as {_counted(replies)}; "
        f"it read {spent['read']} tokens and wrote {spent['written']}.\n"
        f"The {len(incidents)} incidents stand as {_counted(Counter(each.state for each in incidents))}."
    )


def left_lying(incidents: Sequence[Incident]) -> list[str]:
    """Return a sentence for each incident that no run is at, and that no person was handed either."""
    return [
        f"{each.title!r} of {each.source.slug} is in {each.state}, and nobody works on it"
        for each in incidents
        if each.state not in _WITH_A_PERSON
    ]


def _counted(kinds: Counter[str]) -> str:
    """Return each kind with its number, the most frequent first."""
    listed = sorted(kinds.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{number} {kind}" for kind, number in listed) or "none"
