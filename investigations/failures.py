"""What a model server's error means: whether to try again and when, or a refusal, in words. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from investigations.named import Endpoint
from toolbox import redaction

MOST_SHOWN = 300
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_HINTS = {
    401: ": check its key",
    403: ": check its key and what it may use",
    404: ": check base URL and model",
}


class Failed(Exception):
    """One request brought no reply. `again` says that another may; `pause` is what the server asks for."""

    def __init__(self, sentence: str, *, again: bool, pause: float | None = None) -> None:
        super().__init__(sentence)
        self.again, self.pause = again, pause


class Refused(Exception):
    """The server's error says that it refuses the content."""


def refuse(code: int, said: Any, retry_after: str, endpoint: Endpoint) -> None:
    """Raise Failed, or Refused, for a status that is not 200 and the JSON that came with it, if any."""
    if 300 <= code < 400:
        raise Failed(
            f"it redirects ({code}), which is not followed: set the base URL to where it leads", again=False
        )
    told = _told(said)
    words = _shown(told.get("message") or told.get("detail"), endpoint.key)
    kinds = [told[name] for name in ("code", "type") if isinstance(told.get(name), str)]
    if code == 400 and endpoint.quirks.refusal_codes.intersection(kinds):
        raise Refused(words or "the content was refused")
    sentence = f"it answers {code}{_HINTS.get(code, '')}{f' ({words})' if words else ''}"
    raise Failed(sentence, again=code in _PASSING, pause=asked_pause(retry_after))


def _told(said: Any) -> Mapping[str, Any]:
    """Return the error itself, wherever the server puts it: some put it into a list, some make it a text."""
    whole = said[0] if isinstance(said, list) and said else said
    if not isinstance(whole, Mapping):
        return {}
    error = whole.get("error")
    if isinstance(error, str):
        return {"message": error}
    return error if isinstance(error, Mapping) else whole


def _shown(value: Any, key: str) -> str:
    """Return a server's words as people may see them: cut, in one line, without a secret."""
    if not isinstance(value, str):
        return ""
    whole = value.replace(key, "[redacted: model key]") if key else value
    printable = "".join(each if each.isprintable() else " " for each in whole)
    return redaction.text(" ".join(printable.split())[: 4 * MOST_SHOWN])[:MOST_SHOWN]


def asked_pause(word: str) -> float | None:
    """Return the seconds of a Retry-After, which is a number or a date; None where it is neither."""
    word = word.strip()
    if word.replace(".", "", 1).isdigit() and word.isascii():
        return float(word)
    try:
        at = parsedate_to_datetime(word)
        return max(0.0, (at.astimezone(UTC) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None
