"""What customers claim, as the shop's support form posts it."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from examples.shop.example import CLAIMS, FORM, JSON, Example


def claims(now: datetime) -> list[Example]:
    """Return every claim, in the order in which they come in."""
    return [
        _claim(
            now, "a refund that was paid", "T-5101", "refund", "Where is my refund?",
            "I sent both cushions back and still have no money.",
            order="ORD-9701", customer="C-2001", email="marit.lindqvist@example.com",
        ),
        _claim(
            now, "a refund that was paid in part", "T-5102", "refund", "Refund is not complete",
            "You refunded the sheet but not the throw. Please check.",
            order="ORD-9702", customer="C-2002", email="t.nowak@example.com",
        ),
        _claim(
            now, "a refund that was paid for another order", "T-5103", "refund", "Refund for ORD-9703?",
            "The throw went back last week.",
            order="ORD-9703", customer="C-2003", email="greta.vogel@example.com",
        ),
        _claim(
            now, "a refund that the bank sent back", "T-5104", "refund", "Still waiting for my money",
            "You say it is paid. It is not here.",
            order="ORD-9712", customer="C-2012", email="frieda.koehler@example.com",
        ),
        _claim(
            now, "one charge that shows twice", "T-5105", "charge", "I was charged twice for my order",
            "My bank shows 49.90 EUR two times. I want one of them back.",
            order="ORD-1042", customer="C-2004", email="jonas.berger@example.com",
        ),
        _claim(
            now, "two charges", "T-5106", "charge", "Double charge",
            "89.90 was taken twice on the same day.",
            order="ORD-9706", customer="C-2005", email="sanne.devries@example.com",
        ),
        _claim(
            now, "more payments than one answer holds", "T-5107", "charge", "Bathrobes charged twice?",
            "Our accounting sees two bookings for the same order.",
            order="ORD-9707", customer="C-2006", email="einkauf@hotel-seeblick.example",
        ),
        _claim(
            now, "two parcels that were handed over", "T-5108", "delivery", "Only one parcel came",
            "I ordered a sheet and a throw, the throw is missing.",
            order="ORD-9708", customer="C-2007", email="clara.hofmann@example.com",
        ),
        _claim(
            now, "a parcel that went back", "T-5109", "delivery", "Parcel never arrived",
            "Tracking has not moved for days.",
            order="ORD-9709", customer="C-2008", email="yusuf.yilmaz@example.com",
        ),
        _claim(
            now, "a parcel at a neighbour's", "T-5110", "delivery", "Says delivered, is not here",
            "Nobody rang. The neighbour on the left has nothing.",
            order="ORD-9713", customer="C-2011", email="bram.visser@example.com",
        ),
        _claim(
            now, "mails that arrived", "T-5111", "email", "No confirmation received",
            "I never got a confirmation, did my order go through?",
            order="ORD-9710", customer="C-2009", email="emil.brandt@example.com",
        ),
        _claim(
            now, "a mail that bounced", "T-5112", "email", "No shipping mail",
            "You promised a tracking link by mail.",
            order="ORD-9711", customer="C-2010", email="ola.weiss@example.com",
        ),
        _claim(
            now, "somebody asks about another's order", "T-5113", "delivery", "Where is the parcel?",
            "Please tell me who signed for it.",
            order="ORD-9708", customer="C-2001", email="marit.lindqvist@example.com",
        ),
        _claim(
            now, "a locked account that is open again", "T-5115", "account", "I cannot sign in",
            "It says that my account is locked.",
            customer="C-2101", email="hanna.winkler@example.com",
        ),
        _claim(
            now, "an account that is still locked", "T-5116", "account", "Locked out",
            "I have tried all my passwords.",
            customer="C-2102", email="luca.pichler@example.com",
        ),
        _claim(
            now, "a wish that no rule is for", "T-5114", "other", "Can you engrave napkin rings?",
            "For a wedding in June, forty of them.", form=True,
            email="ines@example.com",
        ),
    ]  # fmt: skip


def _claim(
    now: datetime,
    name: str,
    reference: str,
    about: str,
    title: str,
    text: str,
    *,
    form: bool = False,
    **who: str,
) -> Example:
    fields: Mapping[str, Any] = {
        "reference": reference,
        "about": about,
        "title": title,
        "text": text,
        **who,
        "occurred_at": (now - timedelta(minutes=15)).astimezone(UTC).isoformat(timespec="seconds"),
    }
    if form:
        return Example(name, CLAIMS, urlencode(fields).encode(), FORM)
    return Example(name, CLAIMS, json.dumps(fields, ensure_ascii=False, indent=1).encode(), JSON)
