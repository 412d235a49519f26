"""The fields of a form, out of the bytes in which a browser or a program sends it."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl

from incidents.adapters import text
from incidents.adapters.reading import Notes
from incidents.adapters.strict_json import NotReadable

FIELDS_MAX = 100
# A form begins with a field's name, in which all but these signs would be escaped.
_BEGINS = re.compile(rb"[\w.~*+%\[\]-]{1,200}=")
_NAME = re.compile(r'(?:^|;)\s*name="([^"]*)"', re.IGNORECASE)
_FILE = re.compile(r"(?:^|;)\s*filename\*?=", re.IGNORECASE)


def is_form(body: bytes) -> bool:
    """Tell whether bytes are a form's fields, by how they begin."""
    return _BEGINS.match(body.lstrip()) is not None


def encoded(body: bytes, notes: Notes) -> list[tuple[str, str]]:
    """Return the pairs of a form as addresses have them. Raises NotReadable."""
    try:
        words = body.decode("utf-8")
        pairs = parse_qsl(words, keep_blank_values=True, max_num_fields=FIELDS_MAX, errors="replace")
    except UnicodeDecodeError:
        raise NotReadable("The body is neither JSON nor a form in UTF-8.") from None
    except ValueError:
        raise NotReadable(f"The form has more than {FIELDS_MAX} fields.") from None
    odd = {char for pair in pairs for part in pair for char in part if not char.isascii()}
    if odd == {text.REPLACEMENT}:  # of all that is not ASCII, nothing is UTF-8
        notes.add("The form is not in UTF-8; it is read as Windows-1252.")
        return parse_qsl(words, keep_blank_values=True, encoding="cp1252", errors="replace")
    return pairs


def parted(body: bytes, notes: Notes) -> list[tuple[str, str]]:
    """Return the pairs of a form in parts, without its files. Raises NotReadable."""
    mark, _, _ = body.lstrip(b"\r\n").partition(b"\r\n")
    if not mark.startswith(b"--") or len(mark) < 3:
        raise NotReadable("The form's parts have no mark between them.")
    *pieces, rest = body.split(mark)[1:]
    if not rest.startswith(b"--"):
        raise NotReadable("The form breaks off.")
    if len(pieces) > FIELDS_MAX:
        raise NotReadable(f"The form has more than {FIELDS_MAX} fields.")
    return [pair for piece in pieces for pair in _of_piece(piece, notes)]


def _of_piece(piece: bytes, notes: Notes) -> Iterator[tuple[str, str]]:
    head, _, value = piece.partition(b"\r\n\r\n")
    for line in head.decode("utf-8", "replace").splitlines():
        kind, _, about = line.partition(":")
        name = _NAME.search(about) if kind.strip().lower() == "content-disposition" else None
        if name is None:
            continue
        if _FILE.search(about):
            notes.add(f"{text.quoted(name[1], 80)} is a file: the raw delivery holds it.", partial=True)
        else:
            yield name[1], value.removesuffix(b"\r\n").decode("utf-8", "replace")
