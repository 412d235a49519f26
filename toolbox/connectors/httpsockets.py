"""Sockets for HTTP whose every wait ends with the call's deadline, and which reach checked addresses only."""

import contextlib
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any

import httpcore

from toolbox.connectors import addresses
from toolbox.connectors.addresses import Address, AddressRefused, Network
from toolbox.connectors.endpoint import Site
from toolbox.connectors.httpstatus import CertificateRefused
from toolbox.deadline import Deadline, DeadlinePassed

_IDLE_SECONDS = 30


class Clock(threading.local):
    """The deadline of the call that this thread is making."""

    deadline: Deadline | None = None

    def left(self) -> float:
        """Return the seconds that are left; raise DeadlinePassed. Without a call there is no time at all."""
        if self.deadline is None:
            raise DeadlinePassed("has no deadline")
        return self.deadline.left()


class BoundStream(httpcore.NetworkStream):
    """A connected socket. One byte a second does not stretch it: the whole call has one end."""

    def __init__(self, connection: socket.socket, clock: Clock) -> None:
        self._socket = connection
        self._clock = clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has come, at most `max_bytes`; raise DeadlinePassed or httpcore.ReadError."""
        try:
            self._socket.settimeout(self._clock.left())
            return self._socket.recv(max_bytes)
        except TimeoutError:
            raise self._late() from None
        except OSError as error:
            raise httpcore.ReadError(type(error).__name__) from None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send the whole buffer; raise DeadlinePassed or httpcore.WriteError."""
        try:
            self._socket.settimeout(self._clock.left())
            self._socket.sendall(buffer)
        except TimeoutError:
            raise self._late() from None
        except OSError as error:
            raise httpcore.WriteError(type(error).__name__) from None

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Return the stream under TLS; raise CertificateRefused, DeadlinePassed or httpcore.ConnectError."""
        try:
            self._socket.settimeout(self._clock.left())
            return BoundStream(
                ssl_context.wrap_socket(self._socket, server_hostname=server_hostname), self._clock
            )
        except BaseException as error:
            self.close()
            if isinstance(error, ssl.SSLCertVerificationError):
                raise CertificateRefused(error.verify_message) from None
            if isinstance(error, TimeoutError):
                raise self._late() from None
            if isinstance(error, OSError):
                raise httpcore.ConnectError(f"TLS failed ({type(error).__name__})") from None
            raise

    def get_extra_info(self, info: str) -> Any:
        """Answer what httpcore asks before it uses a kept connection again."""
        if info == "is_readable":
            poll = select.poll()
            poll.register(self._socket.fileno(), select.POLLIN)
            return bool(poll.poll(0))
        return None

    def _late(self) -> DeadlinePassed:
        deadline = self._clock.deadline
        return DeadlinePassed(f"took longer than {deadline.seconds:g} s" if deadline else "had no time")


class BoundBackend(httpcore.NetworkBackend):
    """Connects to the addresses that were checked, so that a name cannot change its mind in between."""

    def __init__(self, clock: Clock, networks: Sequence[Network], *, public: bool) -> None:
        """`public` is False where nothing may leave in plain text over the open internet."""
        self._clock = clock
        self._networks = tuple(networks)
        self._public = public

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect; raise AddressRefused, NameUnknown, DeadlinePassed or httpcore.ConnectError."""
        self._clock.left()
        deadline = self._clock.deadline
        assert deadline is not None
        found = addresses.checked(host, port, self._networks, deadline)
        self._refuse_plain_text(found)
        for index, address in enumerate(found):
            try:
                # A share for each address: one that swallows packets leaves time for the next.
                return self._connected(address, port, deadline.left() / (len(found) - index))
            except OSError:
                deadline.left()
        raise httpcore.ConnectError("nobody answers at the address")

    def _refuse_plain_text(self, found: Sequence[Address]) -> None:
        named = [any(address in network for network in self._networks) for address in found]
        if not self._public and not all(named):
            raise AddressRefused(
                "a credential would cross the open internet in plain text. Use an https:// address"
            )

    def _connected(self, address: Address, port: int, seconds: float) -> BoundStream:
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(seconds)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.connect((str(address), port))
        except BaseException:
            connection.close()
            raise
        return BoundStream(connection, self._clock)


class Session:
    """One kept connection to one site, used by one call at a time.

    httpcore's own pool is not used: under load it closes connections that another thread has just been given.
    """

    def __init__(self, site: Site, backend: BoundBackend, tls: ssl.SSLContext | None) -> None:
        self._connection = httpcore.HTTPConnection(
            httpcore.Origin(site.scheme.encode(), site.host.encode(), site.port),
            ssl_context=tls,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=backend,
        )
        self.opened = self.used = time.monotonic()
        self.exchanges = 0

    def begin(self, request: httpcore.Request) -> httpcore.Response:
        """Send a request and return the response's head; its body is still to come."""
        response = self._connection.handle_request(request)
        self.exchanges += 1
        return response

    def is_usable(self) -> bool:
        """Whether the last exchange ended cleanly, and the other side has not closed since."""
        is_open = self._connection.is_idle() and not self._connection.has_expired()
        return is_open and not self._holds_more()

    def _holds_more(self) -> bool:
        """Whether more came than the answer was to be long: it would be taken for the next one's answer.

        httpcore does not say, so its parser is asked; where it cannot be, nothing is used twice.
        """
        parser = getattr(getattr(self._connection, "_connection", None), "_h11_state", None)
        return parser is None or bool(parser.trailing_data[0])

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError, httpcore.NetworkError):
            self._connection.close()
