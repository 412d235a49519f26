"""Read one text of AUDIT_PLACES."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit, urlunsplit

from audit.places.base import Place, PlaceUnknown
from audit.places.file import FilePlace
from audit.places.http import HttpPlace
from audit.places.mail import MailPlace
from audit.places.repository import GitPlace

_FORMS = "use file:///PATH, git:/PATH, https://HOST/PATH or mailto:ADDRESS"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def parsed(text: str, *, put_token: str = "") -> Place:
    """Return the place that a text names. Raises PlaceUnknown, which repeats no password."""
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError as error:
        raise PlaceUnknown(f"AUDIT_PLACES: {error}; {_FORMS}.") from None
    every = _every(parts)
    made = _made(parts, host, put_token)
    return replace(made, every=every) if every else made


def _made(
    parts: SplitResult, host: str | None, put_token: str
) -> FilePlace | GitPlace | HttpPlace | MailPlace:
    if parts.scheme in ("file", "git"):
        path = Path(unquote(parts.path))
        if parts.netloc or not path.is_absolute():
            raise PlaceUnknown(f"AUDIT_PLACES={parts.scheme}:…: the path has to begin with /; {_FORMS}.")
        return FilePlace(path) if parts.scheme == "file" else GitPlace(path)
    if parts.scheme == "mailto" and "@" in parts.path:
        return MailPlace(unquote(parts.path))
    if host and (parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)):
        return HttpPlace(_shown(parts, host), _address(parts), put_token)
    raise PlaceUnknown(
        f"AUDIT_PLACES: {parts.scheme or 'a text without a scheme'} is no kind of place; {_FORMS}."
    )


def _every(parts: SplitResult) -> int | None:
    given = parse_qs(parts.query).get("every")
    if not given:
        return None
    if len(given) != 1 or not given[0].isascii() or not given[0].isdigit() or int(given[0]) < 1:
        raise PlaceUnknown(f"AUDIT_PLACES: every={given[0][:20]!r} is no number of seconds.")
    return int(given[0])


def _shown(parts: SplitResult, host: str) -> str:
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}"


def _address(parts: SplitResult) -> str:
    kept = "&".join(word for word in parts.query.split("&") if word and not word.startswith("every="))
    return urlunsplit((parts.scheme, parts.netloc, parts.path, kept, ""))
