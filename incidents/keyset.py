"""Pages by key: a page starts after a row's own values, so rows that come or go do not shift it."""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db.models import Exists, Model, Q, QuerySet

from assay_core.instants import NotAnInstant, as_text, from_text

M = TypeVar("M", bound=Model)
# Column and whether it descends; the last one is unique.
Order = tuple[tuple[str, bool], ...]
_MAX_INTEGER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Page(Generic[M]):
    """One page of rows with the keys of its neighbours; an empty key means there is none."""

    rows: Sequence[M]
    next_key: str
    previous_key: str


@dataclass(frozen=True, slots=True)
class Seen:
    """Which rows a person may see, and how many are looked at for them: they may see few of very many."""

    condition: Q | Exists
    looked_at: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page begins: after one key, or before another, and how many rows it has."""

    after: str
    before: str
    size: int


def page(rows: QuerySet[M], order: Order, *, after: str, before: str, size: int) -> Page[M]:
    """Return the rows after one key, or before another. An unreadable key gives the first page."""
    beyond = _Beyond.read(order, after=after, before=before)
    found = list(beyond.begun(rows)[: size + 1])
    return beyond.paged(found, size)


def page_of(parts: Sequence[QuerySet[M]], order: Order, whole: QuerySet[M], place: Place) -> Page[M]:
    """Return the page of rows that stand in any of several parts, which share none.

    Each part is asked for its first rows' keys alone, so that an index in this order answers; only the rows
    of the page are then read, as `whole` says.
    """
    beyond = _Beyond.read(order, after=place.after, before=place.before)
    first = [beyond.begun(part).values_list(*(name for name, _ in order))[: place.size + 1] for part in parts]
    keys = first[0] if len(first) == 1 else beyond.ordered(first[0].union(*first[1:], all=True))
    numbers = [key[-1] for key in keys[: place.size + 1]]
    rows = whole.in_bulk(numbers)
    return beyond.paged([rows[number] for number in numbers if number in rows], place.size)


def page_seen(
    parts: Sequence[QuerySet[M]], order: Order, whole: QuerySet[M], place: Place, seen: Seen
) -> Page[M]:
    """Return the page of those rows that a person may see, among the next that stand in the parts.

    A page may be short, even empty, and have a next one: so far nobody has looked.
    """
    beyond = _Beyond.read(order, after=place.after, before=place.before)
    names = [name for name, _ in order]
    first = [
        beyond.begun(part.annotate(is_seen=seen.condition)).values_list(*names, "is_seen")[: seen.looked_at]
        for part in parts
    ]
    keys = first[0] if len(first) == 1 else beyond.ordered(first[0].union(*first[1:], all=True))
    looked = list(keys[: seen.looked_at])
    numbers = [key[-2] for key in looked if key[-1]][: place.size + 1]
    rows = whole.in_bulk(numbers)
    page = beyond.paged([rows[number] for number in numbers if number in rows], place.size)
    if len(looked) < seen.looked_at or len(numbers) > place.size:
        return page
    last = text_of(looked[-1][:-1])
    return replace(page, previous_key=last) if beyond.is_backwards else replace(page, next_key=last)


@dataclass(frozen=True, slots=True)
class Near(Generic[M]):
    """The next rows of some parts, as far as was looked: `edge` is the last one's key, or empty."""

    parts: Sequence[QuerySet[M]]
    edge: str
    is_backwards: bool

    def ended(self, page: Page[M]) -> Page[M]:
        """Return a page that goes on at the edge, where what was asked for did not fill it before."""
        if not self.edge or (page.previous_key if self.is_backwards else page.next_key):
            return page
        edge = self.edge
        return replace(page, previous_key=edge) if self.is_backwards else replace(page, next_key=edge)


def near(parts: Sequence[QuerySet[M]], order: Order, place: Place, looked_at: int) -> Near[M]:
    """Return parts that end where so many rows were looked at, for a condition that no index has.

    The order is of one column. What comes rarely is then found in pieces, and no piece reads all there is.
    """
    ((name, _),) = order
    beyond = _Beyond.read(order, after=place.after, before=place.before)
    ends = [beyond.begun(part).values_list(name, flat=True)[looked_at - 1 : looked_at] for part in parts]
    edges = [value for end in ends for value in end]
    if not edges:
        return Near(parts, "", beyond.is_backwards)
    descends = beyond.turned[0][1]
    edge = max(edges) if descends else min(edges)
    within = {f"{name}__{'gte' if descends else 'lte'}": edge}
    return Near([part.filter(**within) for part in parts], text_of([edge]), beyond.is_backwards)


@dataclass(frozen=True, slots=True)
class _Beyond:
    """A place that an address named, and the order as it is asked from there."""

    order: Order
    turned: Order
    values: Sequence[Any] | None
    is_backwards: bool

    @classmethod
    def read(cls, order: Order, *, after: str, before: str) -> "_Beyond":
        values = read_key(before or after, order)
        backwards = bool(before) and values is not None
        turned = tuple((name, descends != backwards) for name, descends in order)
        return cls(order, turned, values, backwards)

    def ordered(self, rows: QuerySet[M, Any]) -> QuerySet[M, Any]:
        return rows.order_by(*(f"-{name}" if descends else name for name, descends in self.turned))

    def begun(self, rows: QuerySet[M]) -> QuerySet[M]:
        if self.values is not None:
            rows = rows.filter(_beyond(self.turned, self.values))
        return self.ordered(rows)

    def paged(self, found: list[M], size: int) -> Page[M]:
        has_more, found = len(found) > size, found[:size]
        if not found:
            return Page([], "", "")
        if self.is_backwards:
            found.reverse()
        has_next, has_previous = (
            (True, has_more) if self.is_backwards else (has_more, self.values is not None)
        )
        return Page(
            found,
            key_of(found[-1], self.order) if has_next else "",
            key_of(found[0], self.order) if has_previous else "",
        )


def key_of(row: Model, order: Order) -> str:
    """Return a row's place as short text for an address."""
    return text_of([getattr(row, name) for name, _ in order])


def text_of(values: Sequence[Any]) -> str:
    """Return the values of a place as `key_of` has them."""
    plain = [as_text(value) if isinstance(value, datetime) else value for value in values]
    return base64.urlsafe_b64encode(json.dumps(plain).encode()).decode().rstrip("=")


def read_key(text: str, order: Order) -> list[Any] | None:
    """Read `key_of`'s text back; None for anything else, an address is anybody's to change."""
    if not text or len(text) > 400:
        return None
    try:
        plain = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, ValueError):
        return None
    if not isinstance(plain, list) or len(plain) != len(order):
        return None
    values = [_read_value(value, name) for value, (name, _) in zip(plain, order, strict=True)]
    return None if None in values else values


def _read_value(value: object, name: str) -> datetime | int | None:
    if name.endswith("_at"):
        try:
            return from_text(value) if isinstance(value, str) else None
        except NotAnInstant:
            return None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MAX_INTEGER:
        return value
    return None


def _beyond(order: Order, values: Sequence[Any]) -> Q:
    (name, descends), *rest = order
    further = Q(**{f"{name}__{'lt' if descends else 'gt'}": values[0]})
    if not rest:
        return further
    # The bound is said twice: an alternative alone tells no index where to begin.
    bound = Q(**{f"{name}__{'lte' if descends else 'gte'}": values[0]})
    return bound & (further | (Q(**{name: values[0]}) & _beyond(tuple(rest), values[1:])))
