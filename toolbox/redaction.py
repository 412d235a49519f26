"""The copy of a recorded result that models and pages see: secrets masked, long parts cut. Pure.

The record itself stays whole, and checks read the record. A mask says what kind of secret stood there, never
the secret; ids such as those of traces, spans, digests, commits and orders are evidence and stay.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolbox import secretshapes
from toolbox.secretshapes import Shape

VERSION = secretshapes.VERSION
_TOKEN_LEAST = 8
_MASK = re.compile(r"\[redacted: [A-Za-z ]+\]")
# Numbers that name things: a card number's check digit fits every tenth of them by chance.
_ID_FIELD = re.compile(
    r"(?:^|[_\-.])(?:id|ids|number|no|ref|reference|key|hash|sha|sha1|sha256|digest|commit|trace|span)$",
    re.IGNORECASE,
)
_SCALARS = frozenset({int, float, bool, type(None)})
_WORDS = (
    "passw",
    "passp",
    "passc",
    "pwd",
    "secret",
    "apikey",
    "api_key",
    "api-key",
    "key",
    "authorization",
    "cookie",
    "credential",
    "dsn",
    "connection",
    "token",
)


_SIGNS = frozenset("".join(_WORDS))


@dataclass(frozen=True, slots=True)
class Cut:
    """What a reader's copy may hold at most."""

    text: int = 4_000
    items: int = 200


READERS_CUT = Cut()


@dataclass(frozen=True, slots=True)
class Redacted:
    """A reader's copy. `counts` says how many secrets of each kind were masked, the others what was cut."""

    value: Any
    counts: Mapping[str, int] = field(default_factory=dict)
    texts_cut: int = 0
    items_left_out: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing was cut."""
        return not (self.texts_cut or self.items_left_out)

    @property
    def note(self) -> str:
        """What the copy lacks, in one sentence, or an empty text where it lacks nothing."""
        parts = [
            f"{count} {name}{'s' if count > 1 and not name.endswith('s') else ''} masked"
            for name, count in sorted(self.counts.items())
        ]
        if self.texts_cut:
            parts.append(f"{self.texts_cut} long text{'s' if self.texts_cut > 1 else ''} cut")
        if self.items_left_out:
            parts.append(f"{self.items_left_out} item{'s' if self.items_left_out > 1 else ''} left out")
        return ", ".join(parts)

    def plain(self) -> dict[str, Any]:
        """Return what was masked as an entry keeps it: kinds, counts and the version of the shapes."""
        return {"version": VERSION, "counts": dict(sorted(self.counts.items()))} if self.counts else {}


def text(words: str) -> str:
    """Return a text with its secrets masked."""
    shapes = secretshapes.possible(words.lower()) if words else ()
    return _masked(words, shapes, Counter()) if shapes else words


def copy_for_readers(value: Any, *, hints: Sequence[str] = (), cut: Cut | None = None) -> Redacted:
    """Return a copy of a JSON value for readers. `hints` name further fields, such as `customer.email`.

    Where nothing has to be masked or cut, the copy is the value itself.
    """
    if value is None:
        return Redacted(None)
    seen = _Seen()
    if seen.all_of(value):
        keys = "\n".join(seen.keys).lower()
        lowered = "\n".join((keys, *seen.texts)).lower()
        # A field is named by its key, or by a text beside its `value`.
        names_matter = bool(hints) or _names_secrets(lowered if "value" in seen.keys else keys)
    else:
        lowered = json.dumps(value, ensure_ascii=False, default=str).lower()
        names_matter = bool(hints) or _names_secrets(lowered)
    shapes = secretshapes.possible(lowered)
    if seen.is_plain and not shapes and not names_matter and seen.fits(cut):
        return Redacted(value)
    walk = _Walk(shapes, tuple(tuple(hint.split(".")) for hint in hints), names_matter, cut)
    copied = walk.copy(value, ())
    return Redacted(copied, dict(walk.counts), walk.texts_cut, walk.items_left_out)


@dataclass(slots=True)
class _Seen:
    """What a value holds, however deep: the names of its fields, its texts, its longest list."""

    keys: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)
    longest_list: int = 0
    is_plain: bool = True

    def all_of(self, value: Any) -> bool:
        """Look through a value; say whether it is made of JSON's own types alone."""
        waiting: list[Any] = [(value,)]
        while waiting:
            for item in waiting.pop():
                kind = type(item)
                if kind is str:
                    self.texts.append(item)
                elif kind is dict:
                    self.keys.update(item)
                    waiting.append(item.values())
                elif kind is list:
                    self.longest_list = max(self.longest_list, len(item))
                    waiting.append(item)
                elif kind not in _SCALARS:
                    self.is_plain = False
                    return False
        self.is_plain = all(type(key) is str for key in self.keys)
        return self.is_plain

    def fits(self, cut: Cut | None) -> bool:
        """Say whether nothing of it has to be cut."""
        if cut is None:
            return True
        return self.longest_list <= cut.items and max(map(len, self.texts), default=0) <= cut.text


def _names_secrets(lowered: str) -> bool:
    """Say whether a word stands in a text that a secret's field could be named by."""
    missing = {sign for sign in _SIGNS if sign not in lowered}  # found, or not, much faster than a word
    return any(word in lowered for word in _WORDS if missing.isdisjoint(word))


@dataclass(slots=True)
class _Walk:
    """One way through a value, counting what it masks and cuts."""

    shapes: tuple[Shape, ...]
    hints: tuple[tuple[str, ...], ...]
    names_matter: bool
    cut: Cut | None
    counts: Counter[str] = field(default_factory=Counter)
    texts_cut: int = 0
    items_left_out: int = 0
    # What was found for a field's name, which stands in each row of a result.
    _plain_keys: set[str] = field(default_factory=set)
    _shapes_of: dict[str, tuple[Shape, ...]] = field(default_factory=dict)

    def copy(self, value: Any, path: tuple[str, ...]) -> Any:
        """Return the copy of one part, which stands at `path`; the places in lists are left out of it."""
        if isinstance(value, str):
            return self._text(value, path)
        if self.hints and self._is_hinted(path) and value is not None and not isinstance(value, bool):
            return self._mask("field")
        if type(value) in _SCALARS:
            return value
        if isinstance(value, Mapping):
            named = self._pair_name(value)
            return {
                self._key(str(key)): self.copy(item, (*path, named if named and key == "value" else str(key)))
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            kept = value if self.cut is None else value[: self.cut.items]
            self.items_left_out += len(value) - len(kept)
            return [self.copy(item, path) for item in kept]
        return value

    def _text(self, value: str, path: tuple[str, ...]) -> str:
        if not value:
            return value
        if self.hints and self._is_hinted(path):
            return self._mask("field")
        name = path[-1] if path else ""
        if self._is_named_secret(name, value):
            return self._mask("field")
        masked = _masked(value, self._fitting(name), self.counts) if self.shapes else value
        return self._shortened(masked)

    def _is_named_secret(self, name: str, value: str) -> bool:
        if not self.names_matter or not name or _MASK.fullmatch(value):
            return False
        is_token = len(value) >= _TOKEN_LEAST and secretshapes.field_says_token(name)
        return is_token or secretshapes.field_says_secret(name)

    def _fitting(self, name: str) -> tuple[Shape, ...]:
        found = self._shapes_of.get(name)
        if found is None:
            is_id = bool(name) and _ID_FIELD.search(name) is not None
            found = tuple(shape for shape in self.shapes if not is_id or shape.name != "card number")
            self._shapes_of[name] = found
        return found

    def _key(self, key: str) -> str:
        if not self.shapes or key in self._plain_keys:
            return key
        masked = _masked(key, self.shapes, self.counts)
        if masked == key:
            self._plain_keys.add(key)
        return masked

    def _shortened(self, value: str) -> str:
        if self.cut is None or len(value) <= self.cut.text:
            return value
        self.texts_cut += 1
        return f"{value[: self.cut.text]}… (+{len(value) - self.cut.text} characters)"

    def _is_hinted(self, path: tuple[str, ...]) -> bool:
        return any(path[-len(hint) :] == hint for hint in self.hints)

    def _mask(self, name: str) -> str:
        self.counts[name] += 1
        return f"[redacted: {name}]"

    def _pair_name(self, value: Mapping[str, Any]) -> str:
        """Return the name in `{"name": "Authorization", "value": "…"}`, where `value` itself says nothing."""
        if "value" not in value or not self.names_matter:
            return ""
        return next(
            (str(value[key]) for key in ("name", "key", "header") if isinstance(value.get(key), str)), ""
        )


def _masked(words: str, shapes: Sequence[Shape], counts: Counter[str]) -> str:
    lowered = words.lower()
    for shape in [each for each in shapes if each.can_be_in(lowered)]:
        found = list(secretshapes.spans(shape, words))
        for begin, end in reversed(found):
            words = f"{words[:begin]}[redacted: {shape.name}]{words[end:]}"
        if found:
            counts[shape.name] += len(found)
    return words
