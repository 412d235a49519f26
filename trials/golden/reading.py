"""A file of golden rows, read strictly: every fault, each in a sentence with its line. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay_core import strictjson
from trials.golden.rows import Row, cautions
from trials.states import Origin

MOST_BYTES = 64 * 1024 * 1024
MOST_BODY = 256 * 1024
_MOST = {"id": 200, "label": 40, "title": 1_000, "body": MOST_BODY, "target": 200, "hard": 1_000}
_NEEDED = ("id", "label", "title", "body")
_READ = frozenset({*_MOST, "origin", "frozen"})
_MARKS = {
    b"\xef\xbb\xbf": "a byte order mark (BOM)",
    b"\xff\xfe": "the mark of UTF-16",
    b"\xfe\xff": "the mark of UTF-16",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one line, and what to do. Line 0 is the file as a whole."""

    line: int
    sentence: str

    def __str__(self) -> str:
        return f"Line {self.line}: {self.sentence}" if self.line else self.sentence


@dataclass(frozen=True, slots=True)
class ReadRows:
    """What a file holds. With a fault, nothing of it may be used."""

    rows: tuple[Row, ...] = ()
    faults: tuple[Fault, ...] = ()
    cautions: tuple[str, ...] = ()


@dataclass(slots=True)
class _Seen:
    """What was read so far, by what may not come again."""

    rows: list[Row] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)
    texts: dict[str, tuple[int, str]] = field(default_factory=dict)
    strangers: dict[str, int] = field(default_factory=dict)

    def fault(self, line: int, sentence: str) -> None:
        """Note what is wrong with a line."""
        self.faults.append(Fault(line, sentence))


def read(raw: bytes, labels: Sequence[str]) -> ReadRows:
    """Read a file's bytes by the labels of a contract. Never raises for what they hold."""
    if len(raw) > MOST_BYTES:
        return _refused(f"The file has {len(raw)} bytes, more than {MOST_BYTES}. Split it.")
    for mark, name in _MARKS.items():
        if raw.startswith(mark):
            return ReadRows(faults=(Fault(1, f"The file begins with {name}. Save it as UTF-8 without one."),))
    seen = _Seen()
    lines = raw.split(b"\n")
    if returns := [number for number, content in enumerate(lines, start=1) if content.endswith(b"\r")]:
        more = f" So do {len(returns) - 1} more." if len(returns) > 1 else ""
        seen.fault(returns[0], f"It ends in CR LF.{more} Save the file with LF line ends.")
    for number, content in enumerate(lines, start=1):
        if content.strip():
            _line(number, content, labels, seen)
    if not seen.rows and not seen.faults:
        return _refused("The file holds no row. Write one JSON object a line.")
    if seen.faults:
        return ReadRows(faults=tuple(sorted(seen.faults, key=lambda fault: fault.line)))
    return ReadRows(rows=tuple(seen.rows), cautions=tuple(_cautions(seen, labels)))


def _refused(sentence: str) -> ReadRows:
    return ReadRows(faults=(Fault(0, sentence),))


def _cautions(seen: _Seen, labels: Sequence[str]) -> Iterator[str]:
    yield from cautions(seen.rows, labels)
    for name, lines in sorted(seen.strangers.items()):
        yield f"The field {name!r}, of {lines} rows, is not read. The fields are {', '.join(sorted(_READ))}."


def _line(number: int, content: bytes, labels: Sequence[str], seen: _Seen) -> None:
    value, complaint = _object(content)
    if value is None:
        seen.fault(number, complaint)
        return
    complaints = list(_complaints(value, labels))
    for each in complaints:
        seen.fault(number, each)
    for name in value:
        if name not in _READ:
            seen.strangers[name[:40]] = seen.strangers.get(name[:40], 0) + 1
    _note_id(number, value.get("id"), seen)
    if not complaints:
        _note_row(number, _row(value), seen)


def _object(content: bytes) -> tuple[Mapping[str, Any] | None, str]:
    """Return the object of one line, or what is wrong with the line."""
    if b"\0" in content:
        return None, "It holds a NUL byte. Take it out; a file of UTF-16 is full of them: save it as UTF-8."
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return None, f"Its byte {error.start + 1} is not UTF-8. Save the file as UTF-8."
    try:
        value = json.loads(
            text, object_pairs_hook=strictjson.without_doubles, parse_constant=strictjson.no_number
        )
    except json.JSONDecodeError as error:
        return None, f"It is not JSON: {error.msg} at column {error.colno}. Write one object on one line."
    except (ValueError, RecursionError) as error:
        return None, f"It is not JSON that can be read: {str(error)[:120]}."
    if not isinstance(value, dict):
        return None, f"It holds {strictjson.kind_of(value)} where an object is needed, {{...}}."
    return value, ""


def _complaints(value: Mapping[str, Any], labels: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with a row by itself."""
    for name, most in _MOST.items():
        yield from _complaints_of(name, value, most)
    label = value.get("label")
    if isinstance(label, str) and label.strip() and label not in labels:
        yield f"The label {label[:40]!r} is none of {', '.join(labels)}. Write one of them, exactly."
    if "origin" in value and value["origin"] not in tuple(Origin):
        yield f"`origin` is none of {', '.join(Origin)}. Write one of them, or leave it out."
    if "frozen" in value and not isinstance(value["frozen"], bool):
        yield f"`frozen` is {strictjson.kind_of(value['frozen'])}. Write true or false, or leave it out."


def _complaints_of(name: str, value: Mapping[str, Any], most: int) -> Iterator[str]:
    given = value.get(name)
    if name not in value or (given is None and name in _NEEDED and name != "body"):
        if name in _NEEDED:
            yield f"`{name}` is missing. Each row has {', '.join(_NEEDED)}."
        return
    if given is None:
        return
    if not isinstance(given, str):
        yield f"`{name}` is {strictjson.kind_of(given)} where a text is needed."
    elif not given.strip() and name in _NEEDED and name != "body":
        yield f"`{name}` is empty. Write one."
    elif "\0" in given:
        yield f"`{name}` holds a NUL character. Take it out."
    elif _is_broken(given):
        yield f"`{name}` holds half of a character (a lone surrogate). Write it anew."
    elif len(given) > most:
        yield f"`{name}` has {len(given)} characters, and at most {most} are taken. Shorten it."


def _is_broken(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= each <= "\udfff" for each in text)


def _note_id(number: int, given: Any, seen: _Seen) -> None:
    if not isinstance(given, str) or not given.strip():
        return
    first = seen.ids.setdefault(given, number)
    if first != number:
        seen.fault(number, f"The id {given[:80]!r} stands on line {first} too. Give each row its own.")


def _note_row(number: int, row: Row, seen: _Seen) -> None:
    first, label = seen.texts.setdefault(row.text, (number, row.label))
    if first == number:
        seen.rows.append(row)
    elif label == row.label:
        seen.fault(number, f"It says the same as line {first}. Keep one of the two.")
    else:
        seen.fault(
            number,
            f"It says the same as line {first}, which is labelled {label!r} and this {row.label!r}: the two "
            "contradict each other. Decide which is right and keep that one.",
        )


def _row(value: Mapping[str, Any]) -> Row:
    return Row(
        id=value["id"],
        label=value["label"],
        title=value["title"],
        body=value["body"] or "",
        target=value.get("target") or "",
        hard=value.get("hard") or "",
        origin=Origin(value.get("origin", Origin.WRITTEN)),
        is_frozen=value.get("frozen", False),
    )
