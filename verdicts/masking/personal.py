"""What personal data looks like in a text, and which fields hold it whatever it looks like. Pure."""

import re
from collections.abc import Iterator
from functools import lru_cache

Span = tuple[int, int, str]

_GROUP = r"[0-9A-Fa-f]{1,4}"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"[A-Za-z0-9][A-Za-z0-9._%+'-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")),
    (
        "iban",
        re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])"),
    ),
    ("card", re.compile(r"(?<![\w.-])(?:\d[ -]?){12,18}\d(?![\w-])")),
    ("phone", re.compile(r"(?<![\w+])(?<!\d )(?:\+|00)[1-9]\d{0,2}(?:[ ./()-]{0,2}\d){7,12}(?![\w])")),
    ("ip", re.compile(rf"(?<![\w.]){_OCTET}(?:\.{_OCTET}){{3}}(?![\w]|\.\d)")),
    # Six groups or a double colon at least: a time of day has three.
    ("ip", re.compile(rf"(?<![\w:.])(?:{_GROUP}:){{5,7}}{_GROUP}(?![\w:])")),
    ("ip", re.compile(rf"(?<![\w:.])(?:{_GROUP}:){{1,6}}(?::{_GROUP}){{1,6}}(?![\w:])")),
)
# By the name of the field. Names of services, hosts and jobs are none: `name` alone says nothing.
_FIELDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "name",
        re.compile(
            r"(?:^|_)(?:first|last|full|given|family|middle|maiden|customer|contact|recipient|person|user|ship_to"
            r"|holder|card_holder|account_holder|display)_?names?$|(?:^|_)surname$|^username$|^signed_by$"
            r"|^(?:reporter|requester|author|cardholder)$"
        ),
    ),
    ("phone", re.compile(r"(?:^|_)(?:phones?|telephone|mobile|msisdn|fax)(?:_number)?$")),
    (
        "address",
        re.compile(
            r"(?:^|_)(?:street|street_address|postal_address|home_address|billing_address|shipping_address"
            r"|delivery_address|post_?code|zip|zip_?code|city)$"
        ),
    ),
    ("birth", re.compile(r"(?:^|_)(?:birth_?da(?:y|te)|date_of_birth|dob)$")),
    ("ip", re.compile(r"(?:^|_)(?:ip|ip_address|remote_addr|client_ip|peer_ip)$")),
    ("iban", re.compile(r"(?:^|_)(?:iban|bic|account_number|tax_id|vat_id|ssn|passport(?:_number)?)$")),
    ("card", re.compile(r"(?:^|_)(?:card_?number|pan|card_last4)$")),
)
_ID_FIELD = re.compile(r"(?:^|[_.-])(?:id|ids|number|no|ref|reference|key|hash|trace|span)$", re.IGNORECASE)
_TURNED = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def spans(text: str, name: str = "") -> Iterator[Span]:
    """Yield where personal data stands in a text, and of what kind it is; spans may overlap.

    `name` is the text's field: where it says that a number names a thing, no digits are taken for a card.
    """
    for kind, shape in _SHAPES:
        for found in shape.finditer(text):
            if kind == "card" and (_ID_FIELD.search(name) or not _is_card(found.group())):
                continue
            if kind == "iban" and not _is_iban(found.group()):
                continue
            yield found.start(), found.end(), kind


@lru_cache(maxsize=4096)
def kind_of_field(name: str) -> str:
    """Return what a field's own name tells that it holds, or nothing."""
    spelled = _TURNED.sub("_", name).replace("-", "_").replace(".", "_").lower()
    return next((kind for kind, pattern in _FIELDS if pattern.search(spelled)), "")


def _is_card(text: str) -> bool:
    """Say whether the last digit is the check digit of the others (Luhn)."""
    digits = [int(char) for char in reversed(text) if char.isdigit()]
    doubled = [sum(divmod(digit * 2, 10)) if place % 2 else digit for place, digit in enumerate(digits)]
    return sum(doubled) % 10 == 0


def _is_iban(text: str) -> bool:
    """Say whether the check digits fit: a serial number in capitals has none."""
    bare = text.replace(" ", "")
    return int("".join(str(int(char, 36)) for char in bare[4:] + bare[:4])) % 97 == 1
