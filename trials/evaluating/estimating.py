"""What an evaluation will cost, before it is begun: from what runs have cost so far, and at the very most."""

from dataclasses import dataclass

from django.db.models import Avg, Count, Sum

from investigations.modelrun import limits
from investigations.models import Exchange
from investigations.named import Endpoint
from trials.models import EvaluationRun
from trials.states import RunState

_LAST = 200  # runs to go by: what was long ago was another agent
_NO_LIMIT = 10**12  # in millionths; from there on a limit is none


@dataclass(frozen=True, slots=True)
class Estimate:
    """What so many runs will take, money in millionths. None: there is nothing to go by, or no limit."""

    runs: int
    basis: str
    tokens: int | None
    micros: int | None
    most_micros: int | None

    @property
    def is_free(self) -> bool:
        """Whether the endpoint has no prices, so that nothing is paid."""
        return self.most_micros == 0


def estimate(place: Endpoint, runs: int) -> Estimate:
    """Return what so many runs at an endpoint will take."""
    prices = place.prices
    if not prices.micros_in and not prices.micros_out:
        most: int | None = 0
    else:
        most = limits().micros * runs if limits().micros < _NO_LIMIT else None
    for basis, found in (
        ("earlier evaluations of this endpoint", _evaluated(place.name)),
        ("the last runs of production", _in_production()),
    ):
        if found is not None:
            read, written = found
            micros = prices.of(round(read * runs), round(written * runs)).micros
            tokens = round((read + written) * runs)
            return Estimate(runs, basis, tokens, micros if most is None else min(micros, most), most)
    return Estimate(runs, "nothing: no run was made yet", None, None, most)


def _evaluated(endpoint: str) -> tuple[float, float] | None:
    rows = EvaluationRun.objects.filter(state=RunState.DONE, evaluation__endpoint=endpoint)
    last = rows.order_by("-pk").values("pk")[:_LAST]
    found = EvaluationRun.objects.filter(pk__in=last).aggregate(
        read=Avg("tokens_in"), written=Avg("tokens_out")
    )
    return None if found["read"] is None else (found["read"], found["written"])


def _in_production() -> tuple[float, float] | None:
    spoke = Exchange.objects.filter(investigation__isnull=False).order_by("-investigation")
    last = spoke.values("investigation").distinct()[:_LAST]
    found = Exchange.objects.filter(investigation__in=last).aggregate(
        runs=Count("investigation", distinct=True), read=Sum("tokens_in"), written=Sum("tokens_out")
    )
    if not found["runs"]:
        return None
    return found["read"] / found["runs"], found["written"] / found["runs"]
