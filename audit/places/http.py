"""An address that takes a PUT, such as a bucket that keeps what it was given (object lock)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx

from audit.places.base import PlaceFailed

_SECONDS = 10.0
_LONGEST = 100_000
_UNREADABLE = (401, 403, 405, 501)


@dataclass(frozen=True, slots=True)
class HttpPlace:
    """PUTs each checkpoint; `{size}` in the address gives each one of its own."""

    name: str
    address: str = field(repr=False)
    token: str = field(default="", repr=False)
    every: int = 60

    @property
    def can_be_read(self) -> bool:
        """Whether there is one address that holds the newest."""
        return "{size}" not in self.address

    def last(self) -> str | None:
        """Return what a GET gives; None where nothing is or may be read. Raises PlaceFailed."""
        answer = self._send("GET", self.address)
        if answer.status_code == 404 or answer.status_code in _UNREADABLE:
            return None
        if answer.status_code != 200:
            raise PlaceFailed(f"GET was answered {answer.status_code}")
        return answer.text[:_LONGEST] or None

    def read(self) -> Sequence[str]:
        """Return the newest checkpoint there. Raises PlaceFailed."""
        found = self.last()
        if found is None:
            raise PlaceFailed("it holds no checkpoint that can be read")
        return [found]

    def publish(self, note: str) -> str:
        """PUT the checkpoint. Raises PlaceFailed."""
        address = self.address.replace("{size}", note.split("\n")[1])
        answer = self._send("PUT", address, note.encode())
        if not 200 <= answer.status_code < 300:
            raise PlaceFailed(f"PUT was answered {answer.status_code}")
        return f"PUT was answered {answer.status_code}"

    def _send(self, method: str, address: str, body: bytes | None = None) -> httpx.Response:
        headers = {"Content-Type": "text/plain; charset=utf-8"} if body is not None else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            with httpx.Client(timeout=_SECONDS, follow_redirects=False, trust_env=False) as client:
                return client.request(method, address, content=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise PlaceFailed(f"{method} failed: {type(error).__name__}") from None
