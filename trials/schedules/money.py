"""The most that a scheduled trial may spend."""

from decimal import Decimal

from investigations.named import Endpoint
from trials.schedules.due import Skipped


def cap_of(money: Decimal, place: Endpoint, *, variable: str) -> int | None:
    """Return the cap in millionths; None where nothing is paid, at a server of one's own.

    Raises Skipped for a cap of nothing, and for one that cannot be kept.
    """
    if not money:
        raise Skipped(f"{variable} is 0: nothing may be spent.")
    if place.prices.micros_in or place.prices.micros_out:
        return int(money * 1_000_000)
    if place.is_local:
        return None
    raise Skipped(
        f"The model endpoint {place.name} has no prices, so that {variable} cannot be kept: set LLM_PRICE_IN "
        "and LLM_PRICE_OUT for it."
    )
