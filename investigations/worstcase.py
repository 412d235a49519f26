"""The most that one run of a model can come to, computed from the settings before anything is spent. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from investigations.budget import Limits
from investigations.named import Endpoint

_MICROS = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Share:
    """What one part of a run may use of the whole."""

    part: str
    turns: int
    calls: int


@dataclass(frozen=True, slots=True)
class Before:
    """The most that classifying an issue comes to: it has a purse of its own, before the run's."""

    turns: int
    requests: int
    tokens: int
    cost: Decimal
    is_priced: bool


@dataclass(frozen=True, slots=True)
class Worst:
    """The most that a run can come to, and what it is bounded by."""

    shares: tuple[Share, ...]
    turns: int
    requests: int  # to model servers, repetitions of failed ones included
    calls: int  # of tools, by models
    code_calls: int  # of tools, by code: what a rule demands, and ids that are looked up
    tokens: int
    cost: Decimal
    bounds: str
    unpriced: tuple[str, ...]
    seconds: int


def worst_of(
    limits: Limits, places: Mapping[str, Endpoint], shares: Sequence[Share], *, code_calls: int
) -> Worst:
    """Compute it: `places` are the endpoints that a run may speak to, by what for.

    Each turn may be with the dearest. A turn reads what fits beside the longest answer, and answers
    at that length.
    """
    a_turn = [
        each.prices.of(max(0, each.context - each.max_tokens), each.max_tokens) for each in places.values()
    ]
    tokens_a_turn = max((each.tokens_in + each.tokens_out for each in a_turn), default=0)
    micros_a_turn = max((each.micros for each in a_turn), default=0)
    dearest = max((max(each.prices.micros_in, each.prices.micros_out) for each in places.values()), default=0)
    bounds = {
        "AGENT_MAX_TURNS": limits.turns * micros_a_turn,
        "AGENT_MAX_TOKENS": -(-limits.tokens * dearest // 1_000_000),
        "AGENT_MAX_COST": limits.micros,
    }
    bound = min(bounds, key=lambda name: bounds[name])
    return Worst(
        shares=tuple(shares),
        turns=limits.turns,
        requests=limits.turns * max((each.tries for each in places.values()), default=0),
        calls=limits.calls,
        code_calls=code_calls,
        tokens=min(limits.tokens, limits.turns * tokens_a_turn),
        cost=Decimal(bounds[bound]) / _MICROS,
        bounds=bound,
        unpriced=tuple(sorted(name for name, each in places.items() if not _is_priced(each))),
        seconds=int(limits.seconds),
    )


def before_of(limits: Limits, place: Endpoint, *, turns: int) -> Before:
    """Compute what so many turns with an endpoint come to under a run's limits, each as long as it can be."""
    turns = min(turns, limits.turns)
    turn = place.prices.of(max(0, place.context - place.max_tokens), place.max_tokens)
    dearest = max(place.prices.micros_in, place.prices.micros_out)
    micros = min(turns * turn.micros, -(-limits.tokens * dearest // 1_000_000), limits.micros)
    return Before(
        turns=turns,
        requests=turns * place.tries,
        tokens=min(limits.tokens, turns * (turn.tokens_in + turn.tokens_out)),
        cost=Decimal(micros) / _MICROS,
        is_priced=_is_priced(place),
    )


def _is_priced(place: Endpoint) -> bool:
    return bool(place.prices.micros_in or place.prices.micros_out)
