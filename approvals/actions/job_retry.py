"""job.retry: runs a dead background job again, by the one procedure that the queue's owner offers for it."""

from approvals.actions import reads
from approvals.actions.call_procedure import CallProcedure, of
from toolbox.yamlfile import Place


def declared(place: Place) -> tuple[CallProcedure, ...]:
    """Read the `jobs` of the actions' file: procedures whose actions are named `job.NAME`."""
    more = frozenset({"procedure", "parameters"})
    made = tuple(of(each, reads.common(each, "job", more)) for each in place.items())
    for each in made:
        each.allowed = tuple(other.procedure for other in made if other.credential == each.credential)
    return made
