"""The copy of a recorded result that models and pages see: secrets masked, long parts cut. Pure.

The record itself stays whole, and checks read the record. A mask says what kind of secret stood there, never
the secret; ids such as those of traces, spans, digests, commits and orders are evidence and stay.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolbox import escapes, secretshapes
from toolbox.secretshapes import Shape

VERSION = secretshapes.VERSION
_TOKEN_LEAST = 8
# JSON in a line of a log that is a text of a JSON body: three times escaped.
_LAYERS = 3
# How far on both sides of a cut a secret is looked for. Longer ones are found by how they begin.
_AROUND = 2_048
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


def text(words: str, *, is_form: bool = False) -> str:
    """Return a text with its secrets masked, also those under escapes. `is_form`: a plus is a space."""
    words = _under_escapes(words, Counter(), is_form=is_form)
    shapes = secretshapes.possible(words.lower()) if words else ()
    return _masked(words, shapes, Counter()) if shapes else words


def under_name(name: str, value: str) -> str:
    """Return the value of a field with its secrets masked: all of it, where the field is named for one."""
    masked: str = copy_for_readers({name: value}).value.popitem()[1]
    return masked


def spans(words: str, *, is_form: bool = False) -> Iterator[tuple[int, int]]:
    """Yield where secrets stand in a text, those under its escapes too; they may overlap."""
    for shape in secretshapes.possible(words.lower()):
        yield from secretshapes.spans(shape, words)
    for begin, end, _ in _hidden(words, is_form=is_form):
        yield begin, end


def cut(words: str, limit: int) -> str:
    """Return the beginning of a text, at most so long: a secret that would be parted is left out whole.

    Half a secret has no shape any more, so that nobody would mask it later.
    """
    if len(words) <= limit:
        return words
    start = max(0, limit - _AROUND)
    parted = [begin for begin, end in spans(words[start : limit + _AROUND]) if begin < limit - start < end]
    return words[: start + min(parted)] if parted else words[:limit]


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
    has_hidden = _may_hide(lowered)
    if seen.is_plain and not (shapes or names_matter or has_hidden) and seen.fits(cut):
        return Redacted(value)
    walk = _Walk(shapes, tuple(tuple(hint.split(".")) for hint in hints), names_matter, cut, has_hidden)
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
    has_hidden: bool = True
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
        if self.hints and value is not None and self._is_hinted(path):
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
        if self.has_hidden:
            value = _under_escapes(value, self.counts, skip_cards=_is_id(name))
        return self._shortened(_masked(value, self._fitting(name), self.counts) if self.shapes else value)

    def _is_named_secret(self, name: str, value: str) -> bool:
        if not self.names_matter or not name or _MASK.fullmatch(value):
            return False
        is_token = len(value) >= _TOKEN_LEAST and secretshapes.field_says_token(name)
        return is_token or secretshapes.field_says_secret(name)

    def _fitting(self, name: str) -> tuple[Shape, ...]:
        found = self._shapes_of.get(name)
        if found is None:
            found = tuple(shape for shape in self.shapes if not _is_id(name) or shape.name != "card number")
            self._shapes_of[name] = found
        return found

    def _key(self, key: str) -> str:
        if not (self.shapes or self.has_hidden) or key in self._plain_keys:
            return key
        shown = _under_escapes(key, self.counts) if self.has_hidden else key
        masked = _masked(shown, self.shapes, self.counts) if self.shapes else shown
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


def _is_id(name: str) -> bool:
    return bool(name) and _ID_FIELD.search(name) is not None


def _hidden(words: str, *, is_form: bool = False, layers: int = _LAYERS) -> Iterator[tuple[int, int, str]]:
    """Yield what stands in a text once its escapes are read: where the secret stands in it, and its kind."""
    if not layers or not (is_form or escapes.may_hold(words)):
        return
    read = escapes.unescaped(words, is_form=is_form)
    if read is None:
        return
    for shape in secretshapes.possible(read.text.lower()):
        for begin, end in secretshapes.spans(shape, read.text):
            yield read.place(begin), read.place(end), shape.name
    for begin, end, name in _hidden(read.text, layers=layers - 1):
        yield read.place(begin), read.place(end), name


def _may_hide(lowered: str) -> bool:
    """Say whether a shape can be under the escapes of a text, given in lower case: before any search."""
    for _ in range(_LAYERS):
        read = escapes.unescaped(lowered) if escapes.may_hold(lowered) else None
        if read is None:
            return False
        lowered = read.text.lower()
        if secretshapes.possible(lowered):
            return True
    return False


def _under_escapes(
    words: str, counts: Counter[str], *, is_form: bool = False, skip_cards: bool = False
) -> str:
    """Return a text that holds escapes with the secrets masked that a reader of them would see.

    Before its plain ones are, since a secret may be known by the one before it.
    """
    merged: list[tuple[int, int, str]] = []
    for begin, end, name in sorted(_hidden(words, is_form=is_form)):
        if skip_cards and name == "card number":
            continue
        if merged and begin < merged[-1][1]:  # found twice, by two shapes or in two layers
            merged[-1] = merged[-1][0], max(end, merged[-1][1]), merged[-1][2]
        else:
            merged.append((begin, end, name))
    for begin, end, name in reversed(merged):
        words = f"{words[:begin]}[redacted: {name}]{words[end:]}"
        counts[name] += 1
    return words


def _masked(words: str, shapes: Sequence[Shape], counts: Counter[str]) -> str:
    lowered = words.lower()
    for shape in [each for each in shapes if each.can_be_in(lowered)]:
        found = list(secretshapes.spans(shape, words))
        for begin, end in reversed(found):
            words = f"{words[:begin]}[redacted: {shape.name}]{words[end:]}"
        if found:
            counts[shape.name] += len(found)
    return words
