"""The everyday business around the stories: a month of orders that went well, mostly."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random

from examples.shop.book import Book
from examples.shop.names import (
    CARRIERS,
    CITIES,
    COUNTRIES,
    FIRST_NAMES,
    GOODS,
    LAST_NAMES,
    STREETS,
    TENANTS,
)
from examples.shop.purchases import (
    Customer,
    Order,
    Parcel,
    charge,
    charge_once,
    enrol,
    mail,
    place,
    refund,
    scan,
    ship,
)

CUSTOMERS = 260
ORDERS = 620
FIRST_ORDER = 8100
PLAIN = str.maketrans({"ü": "ue", "ö": "oe", "ä": "ae", "ß": "ss", "Ö": "oe", " ": ""})


def fill(book: Book, chance: Random) -> None:
    """Add the customers and their orders of the last thirty days."""
    customers = list(_customers(book, chance))
    for number in range(ORDERS):
        age = timedelta(days=30) * (1 - number / ORDERS)
        order = Order(
            id=f"ORD-{FIRST_ORDER + number}",
            customer=chance.choice(customers),
            placed_at=book.now - age - timedelta(minutes=chance.randint(2, 50)),
            goods=_goods(chance),
        )
        _live(book, order, chance)


def _customers(book: Book, chance: Random) -> Iterator[Customer]:
    for number in range(CUSTOMERS):
        tenant = chance.choice(TENANTS)
        first, last = chance.choice(FIRST_NAMES), chance.choice(LAST_NAMES)
        postcode, city = chance.choice(CITIES[tenant])
        customer = Customer(
            id=f"C-{1000 + number}",
            tenant=tenant,
            name=f"{first} {last}",
            email=f"{first}.{last}{number}@example.com".translate(PLAIN).lower(),
            street=f"{chance.choice(STREETS)} {chance.randint(1, 120)}",
            postcode=postcode,
            city=city,
            country=COUNTRIES[tenant],
        )
        enrol(book, customer, created_at=book.now - timedelta(days=chance.randint(40, 900)))
        yield customer


def _goods(chance: Random) -> tuple[tuple[str, str, int, int], ...]:
    chosen = chance.sample(GOODS, chance.choice((1, 1, 1, 2, 2, 3)))
    return tuple((sku, title, chance.choice((1, 1, 2)), cents) for sku, title, cents in chosen)


def _live(book: Book, order: Order, chance: Random) -> None:
    """Let the order go as far as its age allows."""
    if chance.random() < 0.03:
        place(book, order, state="cancelled")
        charge(book, order, "A", kind="authorization", state="declined", at=order.placed_at)
        mail(book, order, "payment_failed", at=order.placed_at + timedelta(seconds=20))
        return
    age = book.now - order.placed_at
    shipped_at = order.placed_at + timedelta(hours=chance.randint(14, 30))
    delivered_at = shipped_at + timedelta(hours=chance.randint(22, 70))
    is_shipped, is_delivered = shipped_at < book.now, delivered_at < book.now
    state = "delivered" if is_delivered else "shipped" if is_shipped else "paid"
    place(book, order, state=state, shipped_at=shipped_at if is_shipped else None)
    if age > timedelta(hours=7):
        payment = charge_once(book, order)
    else:
        charge(book, order, "A", kind="authorization", state="captured", at=order.placed_at)
        payment = charge(book, order, "B", kind="capture", state="pending", at=order.placed_at)
    mail(book, order, "order_confirmation", at=order.placed_at + timedelta(seconds=50))
    if is_shipped:
        mail(book, order, "shipping_notice", at=shipped_at)
        carrier, pattern = CARRIERS[TENANTS.index(order.customer.tenant)]
        tracking = pattern.format(int(order.number) * 104729 % 10**9)
        parcel = Parcel(1, 1, carrier, tracking, "delivered" if is_delivered else "in_transit")
        shipment = ship(book, order, parcel, at=shipped_at)
        if is_delivered:
            hands = ("customer", order.customer.name) if chance.random() < 0.8 else ("neighbour", "")
            postcode = order.customer.postcode
            scan(book, shipment, "delivered", at=delivered_at, postcode=postcode, hands=hands)
    if is_delivered and chance.random() < 0.06 and delivered_at + timedelta(days=4) < book.now:
        cents = order.goods[0][3]
        refund(book, order, payment, at=delivered_at + timedelta(days=3), state="paid", cents=(cents, cents))
        mail(book, order, "refund_paid", at=delivered_at + timedelta(days=3, hours=20))
