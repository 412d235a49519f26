"""Which addresses a connector may reach: public ones, and the private networks that it names."""

import ipaddress
import socket
import threading
from collections.abc import Sequence

from toolbox.deadline import Deadline, DeadlinePassed

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_LOOK_UPS = threading.BoundedSemaphore(8)
# Not of the open internet either, whatever the standard library of some version says of them: what is set
# apart by IANA's registries, and the address at which a large cloud serves its own machines.
_APART = tuple(
    ipaddress.ip_network(text)
    for text in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "fec0::/10", "3fff::/20")
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class AddressRefused(Exception):
    """A name leads to an address that the connector does not allow; the message says the cure."""


class NameUnknown(Exception):
    """A name leads to no address at all, or nobody could say in time."""


def checked(host: str, port: int, networks: Sequence[Network], deadline: Deadline) -> tuple[Address, ...]:
    """Return the addresses of a host, every one of them allowed.

    The caller connects to these, never to the name again: what was checked is what is reached.
    Raises AddressRefused, NameUnknown, DeadlinePassed.
    """
    found = _addresses(host, port, deadline)
    for address in found:
        if not is_allowed(address, networks):
            raise AddressRefused(
                f"{host} leads to {address}, which is not public. If it is meant, name its network in the "
                f"connector: `networks: [{address}/{address.max_prefixlen}]`"
            )
    return found


def is_allowed(address: Address, networks: Sequence[Network]) -> bool:
    """Return whether an address is public or lies in one of the networks, hidden IPv4 addresses included."""
    inner = embedded(address)
    if any(candidate in network for candidate in {address, inner} for network in networks):
        return True
    return is_public(inner)


def is_public(address: Address) -> bool:
    """Return whether an address is one of the open internet's."""
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in _APART)
    )


def embedded(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 address stands for (mapped, 6to4, NAT64), else the address."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _addresses(host: str, port: int, deadline: Deadline) -> tuple[Address, ...]:
    try:
        return (ipaddress.ip_address(host.strip("[]")),)
    except ValueError:
        return _looked_up(host, port, deadline)


def _looked_up(host: str, port: int, deadline: Deadline) -> tuple[Address, ...]:
    # The system's resolver has no deadline of its own. A thread that is left behind ends with the
    # resolver's own patience, and there are never more than a few.
    if not _LOOK_UPS.acquire(timeout=deadline.left()):
        raise NameUnknown("too many names are being looked up")
    found: list[Address] = []
    problem: list[str] = []

    def look_up() -> None:
        try:
            for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                address = ipaddress.ip_address(str(entry[4][0]).partition("%")[0])
                if address not in found:
                    found.append(address)
        except (OSError, ValueError) as error:
            problem.append(type(error).__name__)
        finally:
            _LOOK_UPS.release()

    thread = threading.Thread(target=look_up, name="assay-look-up", daemon=True)
    thread.start()
    thread.join(deadline.left())
    if thread.is_alive():
        raise DeadlinePassed(f"took longer than {deadline.seconds:g} s to look up the name {host}")
    if problem or not found:
        raise NameUnknown(f"the name {host} is not known here")
    return tuple(found)
