"""Rows as they came from a database, before they have a tool's shape."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Fetched:
    """The rows of one answer; `types` are the server's numbers for the columns' types, where read."""

    columns: tuple[str, ...] = ()
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    types: tuple[int, ...] = ()


class TooLarge(Exception):
    """An answer took more bytes than its call may take; `fetched` holds what had arrived whole.

    `before` are the answers to the questions that were put before it in the same call.
    """

    def __init__(self, fetched: Fetched, before: Sequence[Fetched] = ()) -> None:
        super().__init__("the answer is too large")
        self.fetched, self.before = fetched, tuple(before)
