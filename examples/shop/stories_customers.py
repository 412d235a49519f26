"""The orders that customers will claim something about, each with what really happened to it."""

from dataclasses import replace
from datetime import timedelta

from examples.shop.book import Book
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

_DE, _AT, _NL = ("linden-de", "DE"), ("linden-at", "AT"), ("linden-nl", "NL")


# number, name, address, shop and where they live
_WHO = (
    (2001, "Marit Lindqvist", "marit.lindqvist@example.com", _DE, "Gartenweg 14/20357/Hamburg"),
    (2002, "Tomasz Nowak", "t.nowak@example.com", _DE, "Ringstraße 3/04109/Leipzig"),
    (2003, "Greta Vogel", "greta.vogel@example.com", _AT, "Kirchplatz 2/8010/Graz"),
    (2004, "Jonas Berger", "jonas.berger@example.com", _DE, "Lindenstraße 71/10405/Berlin"),
    (2005, "Sanne de Vries", "sanne.devries@example.com", _NL, "Prinsengracht 40/1015 AB/Amsterdam"),
    (2006, "Ines Maurer", "einkauf@hotel-seeblick.example", _AT, "Hauptstraße 1/5020/Salzburg"),
    (2007, "Clara Hofmann", "clara.hofmann@example.com", _DE, "Am Markt 9/50667/Köln"),
    (2008, "Yusuf Yilmaz", "yusuf.yilmaz@example.com", _DE, "Feldweg 22/79098/Freiburg"),
    (2009, "Emil Brandt", "emil.brandt@example.com", _AT, "Schulgasse 5/1070/Wien"),
    (2010, "Ola Weiß", "ola.weiss@example.com", _DE, "Bachweg 8/10405/Berlin"),
    (2011, "Bram Visser", "bram.visser@example.com", _NL, "Kerkstraat 12/3511 LX/Utrecht"),
    (2012, "Frieda Köhler", "frieda.koehler@example.com", _DE, "Mühlgasse 4/04109/Leipzig"),
)


def _customer(number: int, name: str, email: str, shop: tuple[str, str], home: str) -> Customer:
    street, postcode, city = home.split("/")
    return Customer(f"C-{number}", shop[0], name, email, street, postcode, city, shop[1])


PEOPLE = tuple(_customer(*who) for who in _WHO)
MARIT, TOMASZ, GRETA, JONAS, SANNE, INES, CLARA, YUSUF, EMIL, OLA, BRAM, FRIEDA = PEOPLE

SHEET = ("LIN-SHEET-140", "Linen fitted sheet 140 × 200, sage", 1, 8990)
THROW = ("WOOL-THROW", "Lambswool throw, charcoal", 1, 7950)
TOWELS = ("COT-TOWEL-4L", "Waffle towels, large, set of four", 1, 4990)
CUSHIONS = ("CUSH-50", "Velvet cushion 50 × 50, rust", 2, 3490)
ROBES = ("ROBE-M", "Terry bathrobe M, white", 24, 7490)


def fill(book: Book) -> None:
    """Add the people of the stories and what happened to their orders."""
    for customer in PEOPLE:
        enrol(book, customer, created_at=book.now - timedelta(days=200))
    _refunds(book)
    _charges(book)
    _parcels(book)
    _mails(book)
    _accounts(book)


def _order(
    book: Book, number: int, customer: Customer, days: float, *goods: tuple[str, str, int, int]
) -> Order:
    """Place an order that was shipped a day later and has all its everyday mails."""
    order = Order(f"ORD-{number}", customer, book.now - timedelta(days=days), goods)
    shipped_at = order.placed_at + timedelta(hours=22)
    is_delivered = shipped_at + timedelta(days=2) < book.now
    place(book, order, state="delivered" if is_delivered else "shipped", shipped_at=shipped_at)
    mail(book, order, "order_confirmation", at=order.placed_at + timedelta(seconds=50))
    mail(book, order, "shipping_notice", at=shipped_at)
    return order


def _arrive(book: Book, order: Order, *, parcel: int = 1, parcels: int = 1) -> None:
    """Let one parcel reach the customer's own hands two days after it was picked up."""
    at = order.placed_at + timedelta(hours=22)
    box = Parcel(parcel, parcels, "DHL", f"00340434{int(order.number):08d}{parcel:04d}", "delivered")
    shipment = ship(book, order, box, at=at)
    there, who = order.customer.postcode, order.customer.name
    scan(book, shipment, "in_transit", at=at + timedelta(hours=19), postcode=there)
    scan(book, shipment, "delivered", at=at + timedelta(hours=45), postcode=there, hands=("customer", who))


def _refunds(book: Book) -> None:
    """Paid in full; paid in part; paid, but for another order; paid and sent back by the bank."""
    whole = _order(book, 9701, MARIT, 16, SHEET, CUSHIONS)
    _arrive(book, whole)
    back = book.now - timedelta(days=6)
    refund(book, whole, charge_once(book, whole), at=back, state="paid", cents=(6980, 6980))
    mail(book, whole, "refund_paid", at=back + timedelta(hours=20))

    part = _order(book, 9702, TOMASZ, 15, SHEET, THROW)
    _arrive(book, part)
    refund(book, part, charge_once(book, part), at=back, state="paid", cents=(16940, 8990))
    mail(book, part, "refund_paid", at=back + timedelta(hours=20))

    asked, other = _order(book, 9703, GRETA, 14, THROW), _order(book, 9704, GRETA, 18, THROW)
    _arrive(book, asked)
    _arrive(book, other)
    charge_once(book, asked)
    refund(book, other, charge_once(book, other), at=back, state="paid", cents=(7950, 7950))
    mail(book, other, "refund_paid", at=back + timedelta(hours=20))

    bounced = _order(book, 9712, FRIEDA, 17, CUSHIONS)
    _arrive(book, bounced)
    refund(book, bounced, charge_once(book, bounced), at=back, state="returned_by_bank", cents=(6980, 6980))
    mail(book, bounced, "refund_paid", at=back + timedelta(hours=20))


def _charges(book: Book) -> None:
    """A released hold; two settled captures; a list longer than one answer holds."""
    shown_twice = _order(book, 1042, JONAS, 4, TOWELS)
    _arrive(book, shown_twice)
    charge(book, shown_twice, "A", kind="authorization", state="voided", at=shown_twice.placed_at)
    captured_at = shown_twice.placed_at + timedelta(minutes=4)
    charge(book, shown_twice, "B", kind="capture", state="settled", at=captured_at)

    really_twice = _order(book, 9706, SANNE, 5, SHEET)
    _arrive(book, really_twice)
    charge_once(book, really_twice)
    charge(
        book,
        really_twice,
        "C",
        kind="capture",
        state="settled",
        at=really_twice.placed_at + timedelta(minutes=9),
    )

    long_list = _order(book, 9707, INES, 9, ROBES)
    _arrive(book, long_list)
    charge_once(book, long_list)
    for attempt in range(34):
        at = long_list.placed_at + timedelta(hours=1 + attempt)
        charge(book, long_list, f"D{attempt:02d}", kind="authorization", state="voided", at=at, cents=14980)
    # It can still take the money a second time, and an answer that is cut does not show it.
    last_at = long_list.placed_at + timedelta(hours=40)
    charge(book, long_list, "Z", kind="capture", state="pending", at=last_at)


def _parcels(book: Book) -> None:
    """Both parcels in the customer's hands; one that went back; one at a neighbour's."""
    here = _order(book, 9708, CLARA, 6, SHEET, THROW)
    charge_once(book, here)
    _arrive(book, here, parcel=1, parcels=2)
    _arrive(book, here, parcel=2, parcels=2)

    gone = _order(book, 9709, YUSUF, 11, THROW)
    charge_once(book, gone)
    at = gone.placed_at + timedelta(hours=22)
    shipment = ship(book, gone, Parcel(1, 1, "DHL", "00340434970900010001", "returned"), at=at)
    there, store = gone.customer.postcode, "04158"
    scan(book, shipment, "attempted", at=at + timedelta(hours=44), postcode=there)
    scan(book, shipment, "return_started", at=at + timedelta(days=7), postcode=there)
    scan(book, shipment, "returned", at=at + timedelta(days=9), postcode=store, hands=("sender", "Linden"))

    next_door = _order(book, 9713, BRAM, 7, SHEET)
    charge_once(book, next_door)
    at = next_door.placed_at + timedelta(hours=22)
    shipment = ship(book, next_door, Parcel(1, 1, "PostNL", "3SLNDN009713001", "delivered"), at=at)
    hands = ("neighbour", "J. Bakker")
    there = next_door.customer.postcode
    scan(book, shipment, "delivered", at=at + timedelta(hours=26), postcode=there, hands=hands)


def _mails(book: Book) -> None:
    """Every mail arrived; the shipping notice came back."""
    arrived = _order(book, 9710, EMIL, 3.5, CUSHIONS)
    charge_once(book, arrived)
    _arrive(book, arrived)

    order = Order("ORD-9711", OLA, book.now - timedelta(days=2), (TOWELS,))
    shipped_at = order.placed_at + timedelta(hours=22)
    place(book, order, state="shipped", shipped_at=shipped_at)
    charge_once(book, order)
    mail(book, order, "order_confirmation", at=order.placed_at + timedelta(seconds=50))
    mail(book, order, "shipping_notice", at=shipped_at, state="bounced")
    ship(book, order, Parcel(1, 1, "DHL", "00340434971100010001", "in_transit"), at=shipped_at)


def _accounts(book: Book) -> None:
    """One account was locked and opened again, and its owner has signed in since; one is locked."""
    opened, shut = (
        _locked(OLA, 2101, "hanna.winkler@example.com"),
        _locked(OLA, 2102, "luca.pichler@example.com"),
    )
    now = book.now
    for customer, unlocked_at, failures in ((opened, now - timedelta(hours=1), 0), (shut, None, 7)):
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
            created_at=now - timedelta(days=400),
            locked_at=now - timedelta(hours=5),
            unlocked_at=unlocked_at,
            failed_logins=failures,
            last_login_at=now - (timedelta(minutes=4) if unlocked_at else timedelta(days=3)),
        )


def _locked(like: Customer, number: int, email: str) -> Customer:
    name = " ".join(part.capitalize() for part in email.split("@")[0].split("."))
    return replace(like, id=f"C-{number}", name=name, email=email)
