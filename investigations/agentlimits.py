"""The worst case of one run under the settings in force, for the command and the page that show it."""

from django.conf import settings

from investigations import endpoints
from investigations.budget import Budget
from investigations.guarding import Purses
from investigations.modelrun import limits
from investigations.named import Endpoint
from investigations.states import Purpose
from investigations.talk import EndpointRefused
from investigations.worstcase import Share, Worst, worst_of

_IN_A_RUN = (Purpose.INVESTIGATOR, Purpose.CRITIC, Purpose.GRADER)


def current() -> Worst:
    """Return the worst case of a run that has a critic and a rubric."""
    most = limits()
    budget = Budget(most)
    purses = Purses.set_aside(budget, most, has_critic=True, has_rubric=True)
    parts = {
        "gathering, one repair, missing facts": budget,
        "the critic": purses.critic,
        "the rubric's gradings and revisions": purses.rubric,
        "mending what the draft cites": purses.mending,
    }
    shares = [Share(part, each.turns_left, each.calls_left) for part, each in parts.items()]
    return worst_of(most, _places(), shares, code_calls=settings.INVESTIGATION_MAX_CALLS)


def _places() -> dict[str, Endpoint]:
    """Return the endpoints that a run may speak to; one that is not set can cost nothing."""
    found = {}
    for purpose in _IN_A_RUN:
        try:
            found[purpose.value] = endpoints.endpoint_for(purpose)
        except EndpointRefused:
            continue
    return found
