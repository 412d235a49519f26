"""One masking of one case: the same value becomes the same placeholder wherever it stands."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from verdicts.masking import personal
from verdicts.masking.personal import Span

#: A value that a field's name told is looked for in other texts too, unless it is as short as a word.
_SHORTEST_IN_TEXT = 4
#: Below a field of these kinds all is masked, whatever it is called; below `emails` may stand rows.
_KINDS_BELOW = frozenset({"secret", "field"})
_KINDS_OF_NUMBERS = frozenset({"secret", "field", "phone", "iban", "card", "birth"})
_PLACEHOLDER = re.compile(r"\[[a-z]+-[0-9]+\]", re.IGNORECASE)


class MaskingRefused(ValueError):
    """A case can't be masked so that its verdict stays; the message names the field."""


def _no_spans(text: str) -> Iterable[Span]:
    return ()


def _no_secret(name: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Senses:
    """What is to be masked besides personal data: secrets by their shape, fields by name, free texts.

    `secrets` yields where secrets stand in a text, `names_secret` says whether a field's name tells that
    it holds one, `fields` are names whose values are masked whole, and `spared` texts that stay.
    """

    secrets: Callable[[str], Iterable[Span]] = _no_spans
    names_secret: Callable[[str], bool] = _no_secret
    fields: frozenset[str] = frozenset()
    spared: frozenset[str] = frozenset()


@dataclass(slots=True)
class Masker:
    """Placeholders for the values found so far. Two spellings of one value in capitals and small share one.

    A placeholder has the letters' case of what it stands for, so that a tool's `lower` or `upper` makes
    of it what it made of the value.
    """

    senses: Senses
    counts: Counter[str] = field(default_factory=Counter)
    #: Each value that was masked, with the places where it stood.
    found: dict[str, list[str]] = field(default_factory=dict)
    _placeholders: dict[str, str] = field(default_factory=dict)
    _whole: dict[str, str] = field(default_factory=dict)
    _within: dict[str, str] = field(default_factory=dict)
    _numbers: dict[int | float, int] = field(default_factory=dict)

    def learn(self, value: Any) -> None:
        """Note the values that a field's own name tells, so that they are known in every other text too."""
        for name, leaf in _leaves(value):
            kind = self._kind(name)
            if kind and type(leaf) is str and leaf.strip():
                self.learn_text(leaf, kind)
                if len(leaf.strip()) >= _SHORTEST_IN_TEXT:
                    self._within.setdefault(leaf.strip().casefold(), kind)

    def learn_text(self, text: str, kind: str) -> None:
        """Note a value that is masked wherever it is all of a text."""
        self._whole.setdefault(text.strip().casefold(), kind)

    def masked(self, value: Any, path: str, name: str = "") -> Any:
        """Return a copy of a JSON value with placeholders; flags and null stay."""
        if type(value) is dict:
            return self._object(value, path, name)
        if type(value) is list:
            return [self.masked(item, f"{path}[{place}]", name) for place, item in enumerate(value)]
        if type(value) is str:
            return self.text(value, path, name)
        if type(value) in (int, float) and self._kind(name) in _KINDS_OF_NUMBERS:
            return self._number(value, path, self._kind(name))
        return value

    def text(self, text: str, path: str, name: str = "") -> str:
        """Return a text with placeholders; one for all of it where its field's name says so."""
        bare = text.strip()
        if not bare or self._stays(bare):
            return text
        kind = self._kind(name) or self._whole.get(bare.casefold())
        if kind:
            return text.replace(bare, self._placeholder(bare, path, kind))
        made, end = [], 0
        for begin, stop, of_kind in _apart(self._spans(text, name)):
            if not self._stays(text[begin:stop]):
                made += [text[end:begin], self._placeholder(text[begin:stop], path, of_kind)]
                end = stop
        return "".join([*made, text[end:]])

    def _object(self, value: Mapping[str, Any], path: str, name: str) -> dict[str, Any]:
        is_whole = self._kind(name) in _KINDS_BELOW
        made = {
            self.text(key, f"{path} (key)"): self.masked(item, f"{path}.{key}", name if is_whole else key)
            for key, item in value.items()
        }
        if len(made) != len(value):
            raise MaskingRefused(f"{path}: two of its keys are one when they are masked.")
        return made

    def _spans(self, text: str, name: str) -> Iterator[Span]:
        yield from self.senses.secrets(text)
        yield from personal.spans(text, name)
        folded = text.casefold()
        if len(folded) == len(text):  # some letters fold to two, and places would not fit
            for value, kind in self._within.items():
                if value in folded:
                    for found in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", folded):
                        yield found.start(), found.end(), kind

    def _stays(self, bare: str) -> bool:
        return bare in self.senses.spared or _PLACEHOLDER.fullmatch(bare) is not None

    def _placeholder(self, bare: str, path: str, kind: str) -> str:
        key = bare.casefold()
        if key not in self._placeholders:
            self.counts[kind] += 1
            self._placeholders[key] = f"[{kind}-{self.counts[kind]}]"
        self.found.setdefault(bare, []).append(path)
        made = self._placeholders[key]
        return made.upper() if bare.isupper() else made

    def _number(self, value: int | float, path: str, kind: str) -> int | float:
        if str(value) in self.senses.spared:
            return value
        if value not in self._numbers:
            self.counts[kind] += 1
            self._numbers[value] = len(self._numbers) + 1
        self.found.setdefault(str(value), []).append(path)
        return type(value)(self._numbers[value])

    def _kind(self, name: str) -> str:
        if not name:
            return ""
        if name in self.senses.fields:
            return "field"
        return "secret" if self.senses.names_secret(name) else personal.kind_of_field(name)


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if type(value) is dict:
        for key, item in value.items():
            yield from _leaves(item, key)
    elif type(value) is list:
        for item in value:
            yield from _leaves(item, name)
    else:
        yield name, value


def _apart(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield spans that don't overlap, the first and longest ones; of equals the one that was named first."""
    end = 0
    for begin, stop, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if begin >= end and stop > begin:
            yield begin, stop, kind
            end = stop
