"""A named endpoint: one server and one model on it, as the settings say. Pure."""

import ipaddress
from dataclasses import dataclass, field
from decimal import Decimal
from urllib.parse import SplitResult, urlsplit

from investigations.budget import Prices
from investigations.quirks import Quirks

_MICROS = 1_000_000


class AddressUnusable(ValueError):
    """A base URL cannot be used; the message says why and what to write."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One server and one model on it. The key stands in no text that this value is turned into."""

    name: str
    base_url: str
    model: str
    quirks: Quirks
    key: str = field(default="", repr=False)
    prices: Prices = field(default_factory=Prices)
    context: int = 32_768
    max_tokens: int = 4_096
    temperature: Decimal = Decimal(0)
    seconds: float = 60.0
    total_seconds: float = 180.0
    tries: int = 4
    backoff: float = 1.0

    @property
    def host(self) -> str:
        """The base URL's host, with its port where one is named."""
        return host_of(self.base_url)

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, so that nothing leaves it."""
        return is_local(self.base_url)


def prices(price_in: Decimal, price_out: Decimal) -> Prices:
    """Return prices of a million tokens as micros."""
    return Prices(round(price_in * _MICROS), round(price_out * _MICROS))


def host_of(base_url: str) -> str:
    """Return the host of an address, with its port where one is named; empty where there is none."""
    try:
        parts = urlsplit(base_url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    return f"{(parts.hostname or '').lower()}{port}"


def is_local(base_url: str) -> bool:
    """Return whether an address is a loopback one. A name that merely resolves to one is not known to be."""
    try:
        name = (urlsplit(base_url).hostname or "").lower().rstrip(".")
    except ValueError:
        return False
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def refuse_unusable(base_url: str, *, has_key: bool) -> None:
    """Raise AddressUnusable for an address that nothing may be sent to."""
    try:
        parts = urlsplit(base_url)
        _ = parts.port
    except ValueError:
        raise AddressUnusable("it is no address. Write one such as https://HOST/v1") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AddressUnusable("it is no http address. Write one such as https://HOST/v1")
    _refuse_more(parts)
    if parts.scheme == "http" and has_key and not is_local(base_url):
        raise AddressUnusable("the key would cross the network in plain text. Use an https:// address")


def _refuse_more(parts: SplitResult) -> None:
    if "@" in parts.netloc:
        raise AddressUnusable("it holds a name or password. Put the key into LLM_API_KEY")
    if parts.query or parts.fragment:
        raise AddressUnusable("it holds a query or fragment. End it with its path, such as /v1")
