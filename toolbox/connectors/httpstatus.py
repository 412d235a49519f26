"""What an HTTP exchange's end means: a typed failure with a sentence and a cure, or an answer to read."""

import json
from dataclasses import dataclass
from typing import Any, Protocol

import httpcore

from assay_core.results import Status
from toolbox.connectors import httpjson
from toolbox.connectors.addresses import AddressRefused
from toolbox.connectors.httpjson import AnswerMalformed, inert
from toolbox.deadline import DeadlinePassed

_BUSY = (408, 425, 429)
_MOVES = (301, 302, 303, 307, 308)
_SAID = ("error", "message", "detail", "reason", "errorMessage")


class CertificateRefused(Exception):
    """The server's certificate does not prove that it is who it should be."""


class Failure(Exception):
    """A read ended without a whole answer: its status, and a sentence for people."""

    def __init__(self, status: Status, reason: str, code: int = 0) -> None:
        super().__init__(reason)
        self.status, self.reason, self.code = status, reason, code


class Secretive(Protocol):
    """Credentials, as far as a message must know them."""

    @property
    def cure(self) -> str:
        """What to do when the server refuses them."""
        ...

    def hide(self, text: str) -> str:
        """Return the text without any of them."""
        ...


def too_long(most_bytes: int) -> Failure:
    """The failure of an answer that was not read to its end."""
    return Failure(
        Status.TRUNCATED, f"the answer takes more than {most_bytes} bytes and was not read to its end"
    )


def of_connection(error: Exception) -> Failure:
    """The failure of a connection that was not made, or of an exchange that took too long."""
    if isinstance(error, AddressRefused):
        return Failure(Status.REFUSED, str(error))
    if isinstance(error, CertificateRefused):
        return Failure(
            Status.ERROR,
            f"the server's certificate is refused ({inert(str(error), 80)}): correct the address, or name "
            "your authority's file with `ca_env`",
        )
    if isinstance(error, DeadlinePassed):
        return Failure(Status.UNAVAILABLE, f"the answer {error} and was given up")
    return Failure(Status.UNAVAILABLE, str(error))


def of_protocol(error: Exception) -> Failure:
    """The failure of an exchange that broke off, or that was not HTTP."""
    if isinstance(error, httpcore.ConnectError):
        return Failure(Status.UNAVAILABLE, f"cannot connect: {inert(str(error), 80)}")
    said = str(error)
    broke_off = "closed connection" in said or "disconnected" in said
    if isinstance(error, httpcore.NetworkError) or broke_off:
        return Failure(Status.UNAVAILABLE, "the connection was lost before the whole answer had come")
    return Failure(Status.ERROR, "what answers at the address does not speak HTTP as it should")


def search_body(search: Any) -> bytes:
    """Return a search as the bytes that are sent."""
    return json.dumps(search, allow_nan=False, ensure_ascii=True, separators=(",", ":")).encode("ascii")


@dataclass(frozen=True, slots=True)
class Head:
    """What a response says of itself."""

    status: int
    kind: str
    encoding: str
    length: int | None
    links: str
    location: str | None
    retry_after: str

    @classmethod
    def of(cls, response: httpcore.Response, *, creates: bool) -> "Head":
        """Read status and headers. `creates` where a 201 is the answer that was asked for."""
        headers: dict[str, str] = {}
        links: list[str] = []
        for name, value in response.headers:
            headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1").strip())
            if name.lower() == b"link":
                links.append(value.decode("latin-1").strip())
        length = headers.get("content-length", "")
        return cls(
            # A created review is the answer to a review; nothing else that we ask is ever created.
            status=200 if response.status == 201 and creates else response.status,
            kind=headers.get("content-type", "").partition(";")[0].strip().lower(),
            encoding=headers.get("content-encoding", "identity").lower(),
            length=int(length) if length.isdecimal() and len(length) < 16 else None,
            links=", ".join(links),
            # Without a place it leads to nowhere: an empty one would be taken for the server's first page.
            location=(headers.get("location") or None) if response.status in _MOVES else None,
            retry_after=headers.get("retry-after", ""),
        )

    @property
    def is_json(self) -> bool:
        """Whether the body claims to be JSON."""
        return self.kind == "application/json" or self.kind.endswith("+json")

    def refuse_encoding(self) -> None:
        """Raise Failure for a packed body: nobody asked for one, and a small one can unpack without end."""
        if self.encoding not in ("", "identity"):
            raise Failure(Status.ERROR, "the answer is packed, which was not asked for")

    def refuse_failures(self, body: bytes, credentials: Secretive, *, absent: bool) -> None:
        """Raise Failure unless this is JSON with 200, or a 404 that answers the question."""
        if self.status == 200:
            if not self.is_json:
                begins = inert(credentials.hide(body[:200].decode("utf-8", "replace")), 80)
                raise Failure(
                    Status.ERROR,
                    f"the answer is {inert(self.kind, 40) or 'of no kind'}, not JSON; it begins {begins!r}",
                )
            return
        if self.status == 404 and absent:
            return
        said = credentials.hide(self._said(body))
        raise Failure(*self._meaning(said, credentials), code=self.status)

    def _meaning(self, said: str, credentials: Secretive) -> tuple[Status, str]:
        code = f"HTTP {self.status}"
        tail = f": {said}" if said else ""
        if self.status in (401, 403):
            return Status.ERROR, f"the server refuses the credential ({code}){tail}. {credentials.cure}"
        if self.status in _BUSY or self.status >= 500:
            patience = (
                f", come back in {inert(self.retry_after, 30)} s" if self.retry_after.isdecimal() else ""
            )
            return Status.UNAVAILABLE, f"the server cannot answer now ({code}{patience}){tail}"
        if self.status == 404:
            return Status.ERROR, f"there is nothing at the address ({code}){tail}. Check the base address"
        return Status.ERROR, f"the server refuses the question ({code}){tail}"

    def _said(self, body: bytes) -> str:
        """Return the server's own words where they are short and plainly there."""
        if not self.is_json:
            return ""
        try:
            found = httpjson.read(body)
        except AnswerMalformed:
            return ""
        for key in _SAID:
            value = found.get(key) if isinstance(found, dict) else None
            if isinstance(value, dict):
                value = value.get("reason") or value.get("message") or value.get("type")
            if isinstance(value, str) and value:
                return inert(value)
        return ""
