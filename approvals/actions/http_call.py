"""http.call: a fixed template to a fixed host, signed. Arguments fill parts of the path and of the body."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

from approvals.actions import httpwrite, reads
from approvals.actions.base import CouldNotCheck, Footprint, Hands, Observed
from approvals.actions.declared import DeclaredAction
from approvals.actions.httpwrite import Request
from approvals.actions.reads import Common
from toolbox.yamlfile import Place

_MORE = frozenset({"url", "method", "body", "probe"})
_METHODS = ("POST", "PUT", "PATCH", "DELETE")
_LOCAL = ("localhost", "127.0.0.1", "::1")


class HttpCall(DeclaredAction):
    """One declared call. The credential's `secret` signs it."""

    def __init__(self, common: Common, method: str, url: str, body: Any) -> None:
        super().__init__(common)
        self._method, self._url, self._body = method, url, body

    def dry_run(self, arguments: Mapping[str, Any], hands: Hands) -> Footprint:
        """Return what would be sent, to the letter, beside the target as it is read. Raises CouldNotCheck."""
        hands.field("secret")
        observed = self.observe(arguments)
        sent = {
            "method": self._method,
            "url": self._address(arguments),
            "body": reads.filled(self._body, arguments),
        }
        return Footprint((self.target(arguments),), (), observed.state, sent)

    def execute(
        self, arguments: Mapping[str, Any], observed: Observed, hands: Hands, key: str
    ) -> Mapping[str, Any]:
        """Send it once, signed, with the idempotency key. Raises ActionFailed, OutcomeUnknown."""
        body = reads.filled(self._body, arguments)
        headers = {
            "Idempotency-Key": key,
            **httpwrite.signature(hands.field("secret"), key, datetime.now(UTC), body),
        }
        return httpwrite.send(
            Request(self._method, self._address(arguments), body, headers, self._common.seconds)
        )

    def probe(self, hands: Hands) -> str:
        """A signing secret has no verbs of its own: it is there, and long enough. Raises CouldNotCheck."""
        return "" if len(hands.field("secret")) >= 24 else "its secret has fewer than 24 characters"

    def _address(self, arguments: Mapping[str, Any]) -> str:
        url = self._url
        for name, value in arguments.items():
            text = str(value)
            if "{" + name + "}" in url and (text in ("", ".", "..") or not isinstance(value, str | int)):
                raise CouldNotCheck(f"{name} is {text[:40]!r}, which is no part of an address")
            url = url.replace("{" + name + "}", quote(text, safe=""))
        return url


def declared(place: Place) -> tuple[HttpCall, ...]:
    """Read the `calls` of the actions' file. Raises DefinitionError."""
    return tuple(_of(each) for each in place.items())


def _of(place: Place) -> HttpCall:
    common = reads.common(place, "http.call", _MORE)
    method, url = place.at("method").text(), place.at("url").text()
    if method not in _METHODS:
        raise place.at("method").error(f"{method} is no write", f"Use {', '.join(_METHODS)}.")
    parts = urlsplit(url)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOCAL)
    if not is_safe or not parts.hostname or "{" in parts.netloc or parts.username:
        raise place.at("url").error("the address is not https:// to one fixed host", "Write the host out.")
    return HttpCall(common, method, url, place.data.get("body"))
