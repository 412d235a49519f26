"""Writes to a shop's stock, on the target of tests/fakes/writes.py: what proposals on the pages name."""

from approvals.states import Risk
from tests.fakes import writes


def declared(place: object) -> tuple[writes.SetNumber, ...]:
    """The actions, as a deployment's own module declares them."""
    return (
        writes.SetNumber(name="stock.set_count", title="Set the stock of an article"),
        writes.SetNumber(name="stock.set_price", title="Set the price of an article", risk=Risk.HIGH),
    )
