"""A customer misses a parcel that was handed to them.

Earned when the order is the customer's own and each of its parcels was last seen being handed to the
customer, signed with their name, at their postcode. A neighbour, a locker or an unsigned drop earns nothing.
"""

from assay_core.arguments import upper
from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule


def _is_theirs(answer: Answer, subject: Subject) -> bool:
    return answer.flag("ownership.is_theirs") and answer.text("ownership.order_id") == upper(
        subject["order_id"].strip()
    )


def _all_handed_over(answer: Answer, subject: Subject) -> bool:
    parcels = answer.items("shipments")
    return (
        len(parcels) > 0
        and all(_is_handed_over(parcel, subject, len(parcels)) for parcel in parcels)
        and sorted(parcel.integer("parcel") for parcel in parcels) == list(range(1, len(parcels) + 1))
        and answer.integer("row_count") == len(parcels)
    )


def _is_handed_over(parcel: Answer, subject: Subject, parcels: int) -> bool:
    return (
        parcel.text("last_scan") == "delivered"
        and parcel.text("handed_to") == "customer"
        and parcel.text("signed_by") == parcel.text("ship_to_name")
        and parcel.text("signed_by").strip() != ""
        and parcel.text("scan_postcode") == parcel.text("ship_to_postcode")
        and parcel.text("scan_postcode").strip() != ""
        and parcel.text("state") == "delivered"
        and parcel.integer("parcels") == parcels
        and parcel.instant("last_scan_at") > parcel.instant("shipped_at")
        and parcel.text("order_id") == upper(subject["order_id"].strip())
    )


class ParcelDelivered(Rule):
    """A customer misses a parcel that was handed to them."""

    version = 2
    kinds = {"claim"}
    needs = {"order_id", "email"}
    applies_to = {"about": {"delivery"}}
    draft_pass = (
        "Every parcel of order {order_id} was handed over at your address and signed for with your name. "
        "Please ask those who live with you; if it is still missing, we open a case with the carrier."
    )

    order_is_theirs = Fact(
        tool="check_ownership",
        ask=lambda subject: {"order_id": subject["order_id"], "email": subject["email"]},
        holds=_is_theirs,
        sentence="The order was placed from this e-mail address",
    )
    every_parcel_was_handed_to_them = Fact(
        tool="list_shipments",
        ask=lambda subject: {"order_id": subject["order_id"]},
        holds=_all_handed_over,
        sentence="Every parcel was handed to the customer, signed for with their name, at their address",
    )
