"""What a person does to a run that goes on: stop it, or tell it something."""

from accounts.models import User
from incidents import services
from investigations import queries, stopping, watching
from investigations.happenings import Happening
from investigations.stopping import NotToBeHad
from investigations.watching import Watching

__all__ = ["NotToBeHad", "stop", "tell"]


def stop(incident_id: int, *, by: User, reason: str) -> str:
    """Stop the incident's open investigation; a person looks. Return what was recorded. Raises NotToBeHad."""
    run = _latest(incident_id)
    failure = stopping.stop(run, by=by, reason=reason, on_stopped=services.failed)
    Watching(watching.of_run(run)).note(Happening.ENDED, {"reason": failure.reason})
    return failure.reason


def tell(incident_id: int, text: str, *, by: User) -> None:
    """Tell the incident's model run something before its next turn. Raises NotToBeHad."""
    stopping.tell(_latest(incident_id), text, by=by)


def _latest(incident_id: int) -> int:
    latest = queries.latest(incident_id)
    if latest is None:
        raise NotToBeHad(f"Nobody investigates incident {incident_id}.")
    return latest.pk
