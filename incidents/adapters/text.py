"""Sender's text made storable: NUL and lone surrogates replaced, long fields cut, each with a mark."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from assay_core.strictjson import kind_of
from incidents.adapters.reading import Notes
from toolbox import redaction

REPLACEMENT = "\ufffd"
CUT = "… [cut]"
TITLE_MAX = 300
KEY_MAX = 200
NAME_MAX = 120
VALUE_MAX = 1_000
ANNOTATION_MAX = 8_000
TEXT_MAX = 50_000
IDENTIFIER_MAX = 200
PAIRS_MAX = 100

# Postgres stores neither: NUL is refused in text and jsonb, a lone surrogate has no UTF-8 form.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str, where: str, notes: Notes) -> str:
    """Return the text with NUL and lone surrogates replaced by U+FFFD, and note it."""
    if _UNSTORABLE.search(text) is None:
        return text
    notes.add(f"{where}: characters that no database stores (NUL, half a character) were replaced.")
    return _UNSTORABLE.sub(REPLACEMENT, text)


def cut(text: str, limit: int, where: str, notes: Notes) -> str:
    """Return the text in at most `limit` characters, with a mark at the end where it was cut.

    It is never cut through a secret: pages and models could not mask the half that is left.
    """
    if len(text) <= limit:
        return text
    notes.add(f"{where}: cut from {len(text)} to {limit} characters; the raw delivery holds all of it.")
    return redaction.cut(text, limit - len(CUT)) + CUT


def quoted(value: Any, limit: int = 40) -> str:
    """Return the beginning of what a sender wrote, as a note quotes it: secrets masked."""
    return repr(redaction.cut(redaction.text(str(value)[:VALUE_MAX]), limit))


def as_line(text: str) -> str:
    """Return the text on one line, for titles; nothing where nothing of it can be seen."""
    line = " ".join(text.split())
    return line if any(char.isprintable() and char != " " for char in line) else ""


def as_key(text: str, where: str, notes: Notes) -> str:
    """Return a sender's key as it is, or its SHA-256 where it is longer than a key may be."""
    if len(text) <= KEY_MAX:
        return text
    notes.add(f"{where}: a key of {len(text)} characters is kept as its SHA-256.")
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def as_text(value: Any, where: str, notes: Notes) -> str:
    """Return any JSON value as text; what is not text is noted and written as JSON."""
    if isinstance(value, str):
        return storable(value, where, notes)
    notes.add(f"{where}: {kind_of(value)} stands where text belongs.", partial=True)
    if value is None:
        return ""
    try:
        return storable(json.dumps(value, sort_keys=True, ensure_ascii=False), where, notes)
    except RecursionError:
        return "[nested too deeply]"


def text_pairs(
    value: Any,
    where: str,
    notes: Notes,
    *,
    limit: int = VALUE_MAX,
    first: Callable[[str], bool] = lambda name: False,
) -> dict[str, str]:
    """Return a JSON object as text to text; anything else is noted and gives no pairs.

    Of too many fields those are kept whose names are `first`, then the ones that come before.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        notes.add(f"{where} is {kind_of(value)}, not an object.", partial=True)
        return {}
    if len(value) > PAIRS_MAX:
        notes.add(f"{where}: {PAIRS_MAX} of {len(value)} fields are kept.", partial=True)
    pairs: dict[str, str] = {}
    for name, item in sorted(value.items(), key=lambda pair: not first(pair[0]))[:PAIRS_MAX]:
        name = cut(storable(name, where, notes), NAME_MAX, f"{where}: a field's name", notes)
        place = f"{where}.{name}"
        if name in pairs:
            notes.add(f"{place}: two fields have this name after cutting; the first is kept.", partial=True)
            continue
        pairs[name] = cut(as_text(item, place, notes), limit, place, notes)
    return pairs


def whole_pairs(value: Any, where: str) -> dict[str, str]:
    """Return a JSON object as text to text with nothing cut: what a key is made of, never what is kept."""
    unheard = Notes()
    if not isinstance(value, Mapping):
        return {}
    return {storable(name, where, unheard): as_text(item, where, unheard) for name, item in value.items()}
