"""What happens to one order, as rows: placed, charged, mailed, shipped, refunded."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from examples.shop.book import Book

EUR = "EUR"


@dataclass(frozen=True, slots=True)
class Customer:
    """Somebody who buys."""

    id: str
    tenant: str
    name: str
    email: str
    street: str
    postcode: str
    city: str
    country: str


@dataclass(frozen=True, slots=True)
class Order:
    """One order: `goods` are (sku, title, quantity, unit_cents)."""

    id: str
    customer: Customer
    placed_at: datetime
    goods: tuple[tuple[str, str, int, int], ...]

    @property
    def total_cents(self) -> int:
        """The sum of its goods; shipping is free."""
        return sum(quantity * unit_cents for _, _, quantity, unit_cents in self.goods)

    @property
    def number(self) -> str:
        """The digits of its id, which its payments, parcels and mails carry too."""
        return self.id.removeprefix("ORD-")


@dataclass(frozen=True, slots=True)
class Parcel:
    """One of an order's parcels and how far it has come."""

    number: int
    parcels: int
    carrier: str
    tracking_number: str
    state: str


def enrol(book: Book, customer: Customer, *, created_at: datetime) -> None:
    """Add the customer."""
    book.add(
        "customers",
        id=customer.id,
        tenant=customer.tenant,
        name=customer.name,
        email=customer.email,
        street=customer.street,
        postcode=customer.postcode,
        city=customer.city,
        country=customer.country,
        created_at=created_at,
        last_login_at=created_at,
    )


def place(book: Book, order: Order, *, state: str, shipped_at: datetime | None = None) -> None:
    """Add the order, its items and its invoice."""
    customer = order.customer
    book.add(
        "orders",
        id=order.id,
        tenant=customer.tenant,
        customer_id=customer.id,
        state=state,
        total_cents=order.total_cents,
        currency=EUR,
        placed_at=order.placed_at,
        shipped_at=shipped_at,
        ship_to_name=customer.name,
        ship_to_street=customer.street,
        ship_to_postcode=customer.postcode,
        ship_to_city=customer.city,
    )
    for position, (sku, title, quantity, unit_cents) in enumerate(order.goods, start=1):
        book.add(
            "order_items",
            order_id=order.id,
            position=position,
            sku=sku,
            title=title,
            quantity=quantity,
            unit_cents=unit_cents,
        )
    book.add(
        "invoices",
        id=f"INV-{order.number}",
        order_id=order.id,
        total_cents=order.total_cents,
        currency=EUR,
        issued_at=order.placed_at + timedelta(seconds=40),
    )


def charge(
    book: Book, order: Order, part: str, *, kind: str, state: str, at: datetime, cents: int | None = None
) -> str:
    """Add one payment row and return its id. A settled one settled six hours later."""
    payment = f"PAY-{order.number}-{part}"
    book.add(
        "payments",
        id=payment,
        order_id=order.id,
        kind=kind,
        state=state,
        amount_cents=order.total_cents if cents is None else cents,
        currency=EUR,
        card_last4=f"{(int(order.number) * 7919) % 10000:04d}",
        created_at=at,
        settled_at=at + timedelta(hours=6) if state == "settled" else None,
    )
    return payment


def charge_once(book: Book, order: Order) -> str:
    """Add an authorization and the capture that settled, as plain orders have; return the capture's id."""
    charge(book, order, "A", kind="authorization", state="captured", at=order.placed_at)
    captured_at = order.placed_at + timedelta(minutes=3)
    return charge(book, order, "B", kind="capture", state="settled", at=captured_at)


def mail(book: Book, order: Order, template: str, *, at: datetime, state: str = "delivered") -> None:
    """Add one e-mail to the customer's address."""
    book.add(
        "emails",
        id=f"EM-{order.number}-{template}",
        order_id=order.id,
        template=template,
        to_address=order.customer.email,
        state=state,
        queued_at=at,
        delivered_at=at + timedelta(seconds=9) if state == "delivered" else None,
        bounced_at=at + timedelta(seconds=14) if state == "bounced" else None,
        bounce_reason="550 5.1.1 mailbox unavailable" if state == "bounced" else "",
    )


def ship(book: Book, order: Order, parcel: Parcel, *, at: datetime) -> str:
    """Add one parcel that was picked up at `at`; return the shipment's id."""
    shipment = f"SHP-{order.number}-{parcel.number}"
    book.add(
        "shipments",
        id=shipment,
        order_id=order.id,
        parcel=parcel.number,
        parcels=parcel.parcels,
        carrier=parcel.carrier,
        tracking_number=parcel.tracking_number,
        state=parcel.state,
        shipped_at=at,
    )
    scan(book, shipment, "picked_up", at=at, postcode="04158")
    return shipment


def scan(
    book: Book, shipment: str, kind: str, *, at: datetime, postcode: str, hands: tuple[str, str] = ("", "")
) -> None:
    """Add one scan of the carrier; `hands` are to whom it was handed and who signed."""
    handed_to, signed_by = hands
    book.add(
        "shipment_events",
        shipment_id=shipment,
        at=at,
        kind=kind,
        postcode=postcode,
        handed_to=handed_to,
        signed_by=signed_by,
    )


def refund(
    book: Book, order: Order, payment: str, *, at: datetime, state: str, cents: tuple[int, int]
) -> None:
    """Add one refund to the original payment; `cents` are (requested, paid)."""
    requested_cents, paid_cents = cents
    book.add(
        "refunds",
        id=f"REF-{order.number}-{requested_cents}",
        order_id=order.id,
        payment_id=payment,
        state=state,
        requested_cents=requested_cents,
        paid_cents=paid_cents,
        currency=EUR,
        method="original_payment",
        requested_at=at,
        paid_at=at + timedelta(hours=20) if state in ("paid", "returned_by_bank") else None,
    )
