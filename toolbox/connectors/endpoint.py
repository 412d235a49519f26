"""Where an HTTP connector asks, and as whom: its address and credential come from the environment."""

import base64
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urljoin, urlsplit

from assay_core.results import Status
from toolbox.connectors.addresses import Network
from toolbox.connectors.httpstatus import Failure

CredentialKind = Literal["none", "bearer", "basic", "api_key"]


@dataclass(frozen=True, slots=True)
class Site:
    """One web server and the path below which its API lives."""

    scheme: str
    host: str
    port: int
    prefix: str
    netloc: str

    def same_host(self, location: str) -> str:
        """Return a redirect's path and query; raise Failure where it leads to another server."""
        try:
            parts = urlsplit(urljoin(f"{self.scheme}://{self.netloc}/", location))
            port = parts.port or _port(parts.scheme)
        except (ValueError, KeyError):
            raise Failure(Status.ERROR, "the server redirects to what is no address") from None
        if (parts.scheme, (parts.hostname or "").lower(), port) != (self.scheme, self.host, self.port):
            raise Failure(Status.ERROR, "the server redirects to another host, which is not followed")
        return parts.path + (f"?{parts.query}" if parts.query else "")


@dataclass(frozen=True, slots=True)
class Credentials:
    """The headers of one call. They are never shown, and `hide` takes them out of what a server says."""

    headers: tuple[tuple[bytes, bytes], ...] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)
    cure: str

    @property
    def secret(self) -> bool:
        """Whether there is anything that must not be seen."""
        return bool(self.secrets)

    def hide(self, text: str) -> str:
        """Return the text with each secret replaced."""
        for secret in self.secrets:
            text = text.replace(secret, "[hidden]")
        return text


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A connector's server as its file declares it: names of variables, never their values."""

    url_env: str
    url: str = ""
    credential: CredentialKind = "none"
    credential_env: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    networks: tuple[Network, ...] = ()
    ca_env: str = ""
    connections: int = 4

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that must be set before anything can be asked."""
        return tuple(filter(None, ("" if self.url else self.url_env, *self.credential_env, self.ca_env)))

    @property
    def shown(self) -> str:
        """What may be shown of the credential: the variables that hold it."""
        return ", ".join(self.credential_env) or "no credential"

    def site(self) -> Site:
        """Return the server's address; raise Failure where the variable holds none."""
        text = (os.environ.get(self.url_env, "").strip() if self.url_env else "") or self.url
        if not text:
            raise Failure(Status.UNAVAILABLE, f"the environment variable {self.url_env} is not set")
        return site_of(text, f"the environment variable {self.url_env}" if self.url_env else "`url`")

    def credentials(self) -> Credentials:
        """Return this moment's credentials; raise Failure where a variable is not set."""
        named = [(name, os.environ.get(name, "").strip()) for name in self.credential_env]
        for name, value in named:
            if not value:
                raise Failure(Status.UNAVAILABLE, f"the environment variable {name} is not set")
            if not value.isascii() or not value.isprintable():
                raise Failure(Status.ERROR, f"{name} holds what no HTTP header can carry")
        values = [value for _, value in named]
        headers = [(name.encode("ascii"), value.encode("ascii")) for name, value in self.headers.items()]
        secrets = list(values)
        if self.credential != "none":
            words = _authorization(self.credential, values)
            headers.append((b"Authorization", words.encode("ascii")))
            secrets.append(words.partition(" ")[2])
        names = " and ".join(self.credential_env)
        cure = (
            f"Check what {names} holds, and what it may read" if names else "Give the connector a credential"
        )
        return Credentials(tuple(headers), tuple(filter(None, secrets)), cure)

    def tls(self) -> ssl.SSLContext:
        """Return a context that verifies; raise Failure where the authority's file cannot be read."""
        file = os.environ.get(self.ca_env, "").strip() if self.ca_env else ""
        if self.ca_env and not file:
            raise Failure(Status.UNAVAILABLE, f"the environment variable {self.ca_env} is not set")
        try:
            return ssl.create_default_context(cafile=file or None)
        except OSError as error:
            raise Failure(
                Status.ERROR, f"the file that {self.ca_env} names cannot be used ({type(error).__name__})"
            ) from None


def site_of(text: str, where: str) -> Site:
    """Read a base address; raise Failure for one with a user, a query or another scheme."""
    problem = Failure(
        Status.ERROR, f"{where} holds no address like https://host/path (without user, query or fragment)"
    )
    try:
        parts = urlsplit(text)
        port = parts.port or _port(parts.scheme)
    except (ValueError, KeyError):
        raise problem from None
    clean = not (parts.username or parts.password or parts.query or parts.fragment)
    host = (parts.hostname or "").lower()
    if parts.scheme not in ("http", "https") or not host or not clean or not text.isascii():
        raise problem
    shown = f"[{host}]" if ":" in host else host
    netloc = shown if port == _port(parts.scheme) else f"{shown}:{port}"
    return Site(parts.scheme, host, port, parts.path.rstrip("/"), netloc)


def _port(scheme: str) -> int:
    return {"http": 80, "https": 443}[scheme]


def _authorization(kind: CredentialKind, values: list[str]) -> str:
    if kind == "basic":
        return "Basic " + base64.b64encode(":".join(values).encode("utf-8")).decode("ascii")
    return f"{'Bearer' if kind == 'bearer' else 'ApiKey'} {values[0]}"
