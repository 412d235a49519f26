"""The worst case of one run under the settings in force, for the command and the page that show it."""

from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning

from investigations import endpoints, labelling
from investigations.budget import Budget
from investigations.guarding import Purses
from investigations.modelrun import limits
from investigations.named import Endpoint
from investigations.states import Purpose
from investigations.talk import EndpointRefused
from investigations.worstcase import Before, Share, Worst, before_of, worst_of

# The instructions with the contract's schema, an incident with a few rules, and some tools.
_OPENING_TOKENS = 8_000
_LEAST_TURNS = 2  # that the gathering keeps beside its guards
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


def before() -> Before | None:
    """Return the most that classifying an issue comes to, on top of a run; None where no model is set."""
    try:
        place = endpoints.endpoint_for(Purpose.CLASSIFIER)
    except EndpointRefused:
        return None
    return before_of(limits(), place, turns=labelling.EXCHANGES)


def limits_leave_a_run(**_: Any) -> list[CheckMessage]:
    """investigations.W005 a limit under which no run could do anything; it names the smallest useful one."""
    most = limits()
    places = _places()
    if not places:
        return []
    tokens = max(each.max_tokens for each in places.values()) + _OPENING_TOKENS
    micros = max(each.prices.of(_OPENING_TOKENS, each.max_tokens).micros for each in places.values())
    cost = f"{Decimal(micros) / 1_000_000:f}"
    found: list[tuple[str, int | Decimal, str, str]] = []
    if most.turns < _LEAST_TURNS:
        found.append(("AGENT_MAX_TURNS", most.turns, str(_LEAST_TURNS), "one to ask and one to hand in"))
    if most.tokens < tokens:
        found.append(("AGENT_MAX_TOKENS", most.tokens, str(tokens), "one opening and the longest answer"))
    if most.micros < micros:
        found.append(("AGENT_MAX_COST", settings.AGENT_MAX_COST, cost, "one opening and the longest answer"))
    return [
        Warning(
            f"{name}={value}: a model could not even make one exchange and hand in under it.",
            hint=f"Set it to {least} or more, which is {what}. Until then every run of a model ends at once.",
            id="investigations.W005",
        )
        for name, value, least, what in found
    ]


def _places() -> dict[str, Endpoint]:
    """Return the endpoints that a run may speak to; one that is not set can cost nothing."""
    found = {}
    for purpose in _IN_A_RUN:
        try:
            found[purpose.value] = endpoints.endpoint_for(purpose)
        except EndpointRefused:
            continue
    return found
