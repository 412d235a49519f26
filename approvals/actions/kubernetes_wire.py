"""One patch to a cluster's API, sent once over a connection of its own: its answer is yes, no, or unknown.

The toolbox's reader tries a read again where a kept connection turns out to have ended. A write is never
tried again, so it has this way of its own, with the same checks of address, certificate and time.
"""

import json
import ssl
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import httpcore

from approvals.actions.base import ActionFailed, CouldNotCheck, Hands, OutcomeUnknown
from approvals.actions.httpwrite import CLEAR_NO
from assay_core.results import Status
from toolbox.connectors import httpjson
from toolbox.connectors.addresses import AddressRefused, NameUnknown, Network
from toolbox.connectors.endpoint import Credentials, Endpoint
from toolbox.connectors.httpjson import AnswerMalformed, inert
from toolbox.connectors.httpsockets import BoundBackend, Clock, Session
from toolbox.connectors.httpstatus import CertificateRefused, Failure
from toolbox.connectors.kubeaccess import ClusterEndpoint
from toolbox.deadline import Deadline, DeadlinePassed

_MOST_BYTES = 2_097_152
_DONE = (200, 201)
_SAYS = {
    403: "the cluster forbids it",
    404: "it is not there any more",
    409: "it changed while it was to be written",
    422: "the cluster refuses the change as invalid",
}


@dataclass(frozen=True, slots=True)
class Patch:
    """What is sent: path and query as the client made them, and the operations of a JSON patch."""

    target: str
    operations: Any


@dataclass(frozen=True, slots=True)
class HeldEndpoint(Endpoint):
    """A cluster whose address, token and authority stand in the write credential itself."""

    token: str = field(default="", repr=False)
    authority: str = ""

    def credentials(self) -> Credentials:
        """Return the token as a header; raise Failure for one that no header can carry."""
        if not self.token.isascii() or not self.token.isprintable():
            raise Failure(Status.ERROR, "the token is nothing that an HTTP header can carry")
        header = (b"Authorization", b"Bearer " + self.token.encode("ascii"))
        return Credentials((header,), (self.token,), "Check the write credential and its Role")

    def tls(self) -> ssl.SSLContext:
        """Return a context that verifies by the credential's authority; raise Failure."""
        is_text = self.authority.startswith("-----BEGIN")
        try:
            if is_text:
                return ssl.create_default_context(cadata=self.authority)
            return ssl.create_default_context(cafile=self.authority or None)
        except OSError as error:
            raise Failure(
                Status.ERROR, f"the credential's `ca` cannot be used ({type(error).__name__})"
            ) from None


def endpoint_of(hands: Hands, networks: Iterable[Network]) -> Endpoint:
    """Return where the write credential leads: its `kubeconfig`, or its `server`, `token` and `ca`.

    Raises CouldNotCheck where it has neither.
    """
    try:
        file = hands.field("kubeconfig")
    except CouldNotCheck:
        file = ""
    if file:
        return ClusterEndpoint("", config_file=file, networks=tuple(networks))
    server, token = hands.field("server"), hands.field("token")
    try:
        authority = hands.field("ca")
    except CouldNotCheck:
        authority = ""
    return HeldEndpoint("", url=server, networks=tuple(networks), token=token, authority=authority)


class _Noting(BoundBackend):
    """Knows whether anything can have been sent: before a connection there is nothing to be unsure of."""

    is_connected = False

    def connect_tcp(self, *given: Any, **named: Any) -> httpcore.NetworkStream:
        """Connect, and note it."""
        stream = super().connect_tcp(*given, **named)
        self.is_connected = True
        return stream


def send(endpoint: Endpoint, patch: Patch, deadline: Deadline) -> Any:
    """Send it once and return the object of a yes, or None where the rest of the yes is cut off.

    Raises ActionFailed for a clear no, OutcomeUnknown for all that leaves it open.
    """
    clock = Clock()
    clock.deadline = deadline
    try:
        site, credentials = endpoint.site(), endpoint.credentials()
        backend = _Noting(clock, endpoint.networks, public=not (site.scheme == "http" and credentials.secret))
        session = Session(site, backend, endpoint.tls() if site.scheme == "https" else None)
    except Failure as failure:
        raise ActionFailed(failure.reason) from None
    content = json.dumps(patch.operations, allow_nan=False, separators=(",", ":")).encode("ascii")
    headers = [
        (b"Host", site.netloc.encode()), (b"Accept", b"application/json"), (b"User-Agent", b"assay"),
        (b"Accept-Encoding", b"identity"), (b"Content-Type", b"application/json-patch+json"),
        (b"Content-Length", b"%d" % len(content)), *credentials.headers,
    ]  # fmt: skip
    url = httpcore.URL(
        scheme=site.scheme.encode(),
        host=site.host.encode(),
        port=site.port,
        target=(site.prefix + patch.target).encode(),
    )
    try:
        response = session.begin(httpcore.Request("PATCH", url, headers=headers, content=content))
        return _answered(response, credentials)
    except (AddressRefused, NameUnknown, CertificateRefused, httpcore.ConnectError) as error:
        raise ActionFailed(f"the cluster cannot be reached ({inert(str(error), 80)})") from None
    except (DeadlinePassed, httpcore.NetworkError, httpcore.ProtocolError) as error:
        if not backend.is_connected:
            raise ActionFailed(f"the cluster cannot be reached ({type(error).__name__})") from None
        raise OutcomeUnknown(
            f"the connection to the cluster broke after the write was sent ({type(error).__name__})"
        ) from None
    finally:
        session.close()


def _answered(response: httpcore.Response, credentials: Credentials) -> Any:
    found = _object(response)
    if response.status in _DONE:
        return found  # the yes stands in the status; what is cut off the rest changes nothing
    said = credentials.hide(str(found.get("message", ""))) if isinstance(found, dict) else ""
    tail = f": {inert(said)}" if said else ""
    if response.status in CLEAR_NO:
        words = _SAYS.get(response.status, "the cluster refuses it")
        raise ActionFailed(f"{words} (HTTP {response.status}){tail}")
    raise OutcomeUnknown(f"the cluster answered {response.status}, which leaves open what it did{tail}")


def _object(response: httpcore.Response) -> Any:
    """Return the answer's JSON; None where it is cut off, too long, or none."""
    kept = bytearray()
    try:
        for chunk in response.iter_stream():
            kept += chunk
            if len(kept) > _MOST_BYTES:
                return None
        return httpjson.read(bytes(kept))
    except (AnswerMalformed, DeadlinePassed, httpcore.NetworkError, httpcore.ProtocolError):
        return None
