"""What models have cost of late, by endpoint, and each endpoint as its page shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Count, Q, Sum

from investigations import endpoints, terms
from investigations.models import EndpointTerms, Exchange
from investigations.named import Endpoint
from investigations.states import Exchanged, Purpose
from investigations.talk import EndpointRefused

DAYS = 30
_MICROS = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Spending:
    """What the exchanges with one endpoint came to."""

    exchanges: int = 0
    down: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Card:
    """One named endpoint. `place` is None where it is not set or cannot be used, `refusal` then says why."""

    name: str
    prefix: str
    purposes: tuple[str, ...]
    place: Endpoint | None
    refusal: str
    terms: EndpointTerms | None
    spending: Spending

    @property
    def is_open(self) -> bool:
        """Whether it may be spoken to."""
        return self.place is not None and (self.place.is_local or self.terms is not None)

    @property
    def price_in(self) -> Decimal:
        """The price of a million tokens that are sent."""
        return money(self.place.prices.micros_in) if self.place else Decimal(0)

    @property
    def price_out(self) -> Decimal:
        """The price of a million tokens that come back."""
        return money(self.place.prices.micros_out) if self.place else Decimal(0)


def cards(now: datetime) -> list[Card]:
    """Return the default endpoint and each other that is set."""
    spent = spending(now)
    shown = [name for name in settings.MODEL_ENDPOINTS if name == endpoints.DEFAULT or endpoints.is_set(name)]
    return [_card(name, spent.get(name, Spending())) for name in shown]


def unset() -> list[tuple[str, str]]:
    """Return the names of endpoints that are not set on their own, with their prefixes."""
    return [
        (name, str(given["prefix"]))
        for name, given in settings.MODEL_ENDPOINTS.items()
        if name != endpoints.DEFAULT and not endpoints.is_set(name)
    ]


def _card(name: str, spent: Spending) -> Card:
    served = tuple(
        each.value for each in Purpose if each is not Purpose.PROBE and endpoints.serving(each) == name
    )
    prefix = str(settings.MODEL_ENDPOINTS[name]["prefix"])
    try:
        place = endpoints.endpoint_named(name)
    except EndpointRefused as error:
        return Card(name, prefix, served, None, str(error), None, spent)
    return Card(name, prefix, served, place, "", terms.standing(place.host), spent)


def spending(now: datetime) -> Mapping[str, Spending]:
    """Return what the last DAYS days have cost, by endpoint."""
    rows = (
        Exchange.objects.filter(created_at__gte=now - timedelta(days=DAYS))
        .values("endpoint")
        .order_by("endpoint")
        .annotate(
            exchanges=Count("pk"),
            down=Count("pk", filter=Q(outcome=Exchanged.DOWN)),
            tokens_in=Sum("tokens_in"),
            tokens_out=Sum("tokens_out"),
            micros=Sum("micros"),
        )
    )
    return {row["endpoint"]: _spending(row) for row in rows}


def _spending(row: Mapping[str, Any]) -> Spending:
    return Spending(row["exchanges"], row["down"], row["tokens_in"], row["tokens_out"], money(row["micros"]))


def money(micros: int) -> Decimal:
    """Return micros in the unit of the prices, to the cent, or as small as it is."""
    exact = Decimal(micros) / _MICROS
    return exact.quantize(Decimal("0.01")) if exact == 0 or exact >= 1 else exact.normalize()
