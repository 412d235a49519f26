"""The one bounded way to read over HTTP: a GET, or a search whose body the connector itself builds.

The deadline spans the whole exchange, a body is counted while it comes, redirects are not followed off
the host, proxies of the environment are not used, and only checked addresses are reached. httpcore is used
without httpx around it: it has no redirects, cookies, proxies or unpacking that had to be switched off.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpcore

from assay_core.results import Status
from toolbox.connectors import httpjson, httpstatus
from toolbox.connectors.addresses import AddressRefused, NameUnknown
from toolbox.connectors.endpoint import Credentials, Endpoint, Site
from toolbox.connectors.httpjson import AnswerMalformed
from toolbox.connectors.httpsockets import BoundBackend, Clock, Session
from toolbox.connectors.httpstatus import CertificateRefused, Failure
from toolbox.connectors.pool import Pool, PoolBusy
from toolbox.deadline import Deadline, DeadlinePassed

_REDIRECTS = 3
_ACCEPT = (b"Accept", b"application/json")
_HEADERS = ((b"Accept-Encoding", b"identity"), (b"User-Agent", b"assay"))


@dataclass(frozen=True, slots=True)
class Ask:
    """One read: a target (path and query, percent-encoded) and, if it is a search, its body.

    `absent` says that 404 is an answer; `moves` that a redirect on the same host is followed.
    """

    target: str
    search: Any = None
    absent: bool = False
    moves: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What came: 200 with its JSON, or a permitted 404 with its JSON, if any. `links` is the Link header."""

    status: int
    body: Any
    links: str = ""

    @property
    def part(self) -> httpjson.Part:
        """The JSON, to be looked into."""
        return httpjson.Part(self.body)


@dataclass(frozen=True, slots=True)
class _Call:
    ask: Ask
    site: Site
    credentials: Credentials
    deadline: Deadline
    most_bytes: int


class Reader:
    """Reads from one endpoint by a few kept connections. A process that was forked makes its own."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._clock = Clock()
        self._lock = threading.Lock()
        self._pool: Pool[Session] | None = None
        self._made_for: tuple[Site, bool] | None = None

    def read(self, ask: Ask, deadline: Deadline, most_bytes: int) -> Reply:
        """Return the reply; raise Failure for everything else that can happen."""
        call = _Call(ask, self._endpoint.site(), self._endpoint.credentials(), deadline, most_bytes)
        self._clock.deadline = deadline
        try:
            return self._followed(call)
        except (AddressRefused, CertificateRefused, NameUnknown, DeadlinePassed, PoolBusy) as error:
            raise httpstatus.of_connection(error) from None
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise httpstatus.of_protocol(error) from None
        except AnswerMalformed as error:
            raise Failure(Status.ERROR, str(error)) from None
        finally:
            self._clock.deadline = None

    def close(self) -> None:
        """Close the kept connections."""
        with self._lock:
            pool, self._pool, self._made_for = self._pool, None, None
        if pool is not None:
            pool.close()

    def _followed(self, call: _Call) -> Reply:
        target = call.site.prefix + call.ask.target
        for _ in range(_REDIRECTS + 1):
            reply = self._patiently(call, target)
            if isinstance(reply, Reply):
                return reply
            if not call.ask.moves:
                raise Failure(Status.ERROR, "the server answers with a redirect, which is not followed")
            target = call.site.same_host(reply)
        raise Failure(Status.ERROR, f"the server redirects more than {_REDIRECTS} times")

    def _patiently(self, call: _Call, target: str) -> Reply | str:
        """Exchange once, and once more where a kept connection turns out to have ended."""
        pool = self._pool_for(call.site, call.credentials)
        session = pool.take(call.deadline)
        was_kept = session.exchanges > 0
        try:
            return _exchange(pool, session, call, target)
        except (httpcore.RemoteProtocolError, httpcore.ReadError, httpcore.WriteError):
            if not was_kept:
                raise
        return _exchange(pool, pool.take(call.deadline, fresh=True), call, target)

    def _pool_for(self, site: Site, credentials: Credentials) -> Pool[Session]:
        """Return the connections to this site; those to an earlier address are closed."""
        made_for = (site, credentials.secret)
        with self._lock:
            if self._pool is None or self._made_for != made_for:
                if self._pool is not None:
                    self._pool.close()
                self._pool = self._new_pool(site, credentials)
                self._made_for = made_for
            return self._pool

    def _new_pool(self, site: Site, credentials: Credentials) -> Pool[Session]:
        is_plain_secret = site.scheme == "http" and credentials.secret
        backend = BoundBackend(self._clock, self._endpoint.networks, public=not is_plain_secret)
        tls = self._endpoint.tls() if site.scheme == "https" else None
        return Pool(lambda _: Session(site, backend, tls), self._endpoint.connections)


def _exchange(pool: Pool[Session], session: Session, call: _Call, target: str) -> Reply | str:
    """Return the reply, or where a redirect leads; the session is kept where it can be used again."""
    try:
        response = session.begin(_request(call, target))
        try:
            head = httpstatus.Head.of(response, creates=call.ask.search is not None)
            body = b"" if head.location is not None else _body(response, head, call.most_bytes)
        finally:
            response.close()
    except BaseException:
        pool.discard(session)
        raise
    (pool.give_back if session.is_usable() else pool.discard)(session)
    if head.location is not None:
        return head.location
    head.refuse_failures(body, call.credentials, absent=call.ask.absent)
    if head.status == 404:
        return Reply(404, _said(body))
    return Reply(200, httpjson.read(body), head.links)


def _request(call: _Call, target: str) -> httpcore.Request:
    site = call.site
    url = httpcore.URL(
        scheme=site.scheme.encode(), host=site.host.encode(), port=site.port, target=target.encode()
    )
    headers = [(b"Host", site.netloc.encode()), *_HEADERS, *call.credentials.headers]
    if not any(name.lower() == b"accept" for name, _ in headers):
        headers.append(_ACCEPT)
    content = None
    if call.ask.search is not None:
        content = httpstatus.search_body(call.ask.search)
        headers += [(b"Content-Type", b"application/json"), (b"Content-Length", b"%d" % len(content))]
    return httpcore.Request("GET" if content is None else "POST", url, headers=headers, content=content)


def _body(response: httpcore.Response, head: httpstatus.Head, most_bytes: int) -> bytes:
    """Return the body; raise Failure as soon as it is longer than anybody wanted."""
    head.refuse_encoding()
    if head.length is not None and head.length > most_bytes and head.status == 200:
        raise httpstatus.too_long(most_bytes)
    kept = bytearray()
    for chunk in response.iter_stream():
        kept += chunk
        if len(kept) > most_bytes:
            if head.status == 200:
                raise httpstatus.too_long(most_bytes)
            return bytes(kept[:most_bytes])  # an error's own words may be cut
    return bytes(kept)


def _said(body: bytes) -> Any:
    """Return the JSON of a 404, if it is any: some say there what it is that is missing."""
    try:
        return httpjson.read(body)
    except AnswerMalformed:
        return None


def mapping_of_links(links: str) -> Mapping[str, str]:
    """Return the targets of a Link header by their `rel`, without those that are marked to hold nothing."""
    found: dict[str, str] = {}
    for link in links.split(","):
        target, _, rest = link.partition(";")
        given = {}
        for parameter in rest.split(";"):
            name, _, value = parameter.strip().partition("=")
            given[name.lower()] = value.strip('"').lower()
        # Sentry always links to a next page and says beside it whether anything is there.
        if given.get("results") != "false":
            # One link may be several things at once.
            found |= dict.fromkeys(given.get("rel", "").split(), target.strip().strip("<>"))
    return found
