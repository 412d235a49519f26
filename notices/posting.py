"""One webhook to one address: a signed POST that follows no redirect and reaches allowed addresses only."""

from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus
from ipaddress import ip_network
from urllib.parse import urlsplit

import httpcore
from django.conf import settings

from notices import keys, signing, wording
from notices.ending import Ended
from notices.models import Message
from toolbox.connectors.addresses import AddressRefused, NameUnknown, Network
from toolbox.connectors.endpoint import Endpoint, Site, site_of
from toolbox.connectors.httpsockets import BoundBackend, Clock, Session
from toolbox.connectors.httpstatus import CertificateRefused, Failure
from toolbox.deadline import Deadline, DeadlinePassed

_SECONDS = 10


def post(message: Message, now: datetime) -> Ended:
    """Send one message as a webhook."""
    try:
        site = site_of(message.address, "the route")
        body = wording.body(message, now)
        signed = signing.headers(keys.keys_of(message.route, now), message.key, now, body)
        target = urlsplit(message.address).path or "/"
        return _status(_posted((site, target), body, [(k.encode(), v.encode()) for k, v in signed.items()]))
    except keys.NoKey as error:
        return Ended(False, str(error))
    except Failure as error:
        return Ended(False, str(error), is_final=True)
    except AddressRefused as error:
        return Ended(False, f"{str(error).partition('. ')[0]}; see NOTICE_NETWORKS")
    except NameUnknown as error:
        return Ended(False, str(error))
    except CertificateRefused:
        return Ended(False, "the server's certificate is refused")
    except DeadlinePassed:
        return Ended(False, f"no answer within {_SECONDS} s")
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        return Ended(False, f"no answer ({type(error).__name__})")


def networks() -> tuple[Network, ...]:
    """Return the private networks that webhooks may reach."""
    return tuple(ip_network(text, strict=False) for text in settings.NOTICE_NETWORKS)


def _posted(to: tuple[Site, str], body: bytes, signed: Sequence[tuple[bytes, bytes]]) -> int:
    site, target = to
    clock = Clock()
    clock.deadline = Deadline(_SECONDS)
    tls = Endpoint(url_env="").tls() if site.scheme == "https" else None
    # In plain text only into a network that is named: what is told is nobody else's.
    session = Session(site, BoundBackend(clock, networks(), public=site.scheme == "https"), tls)
    try:
        headers = [
            (b"Host", site.netloc.encode()),
            (b"User-Agent", b"assay"),
            (b"Content-Type", b"application/json"),
            (b"Content-Length", b"%d" % len(body)),
            (b"Connection", b"close"),
            *signed,
        ]
        url = httpcore.URL(
            scheme=site.scheme.encode(),
            host=site.host.encode(),
            port=site.port,
            target=target.encode(),
        )
        response = session.begin(httpcore.Request("POST", url, headers=headers, content=body))
        try:
            next(iter(response.iter_stream()), b"")
            return response.status
        finally:
            response.close()
    finally:
        session.close()


def _status(status: int) -> Ended:
    try:
        said = f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        said = str(status)
    if 200 <= status < 300:
        return Ended(True, said)
    if status == HTTPStatus.GONE:
        return Ended(False, f"{said}: the receiver wants no more", is_final=True, is_gone=True)
    if 300 <= status < 400:
        return Ended(False, f"{said}: redirects are not followed; give the route the new address")
    return Ended(False, said)
