"""One statement straight through libpq: the driver's cursor takes longer than the statement does.

What is sent and how values are written and read is the driver's own; only its layers in between are left out.
"""

import re
import select
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg import errors, pq
from psycopg.adapt import PyFormat, Transformer

Link = psycopg.Connection[Any]
Key = tuple[bytes, tuple[int, ...]]
Meanwhile = Callable[[], None]
_PLACE = re.compile(r"%(?:\((?P<name>\w+)\)s|(?P<next>s)|(?P<sign>%))")
_MOST_KEPT = 100
_numbers = count()
# What each connection has prepared, by the statement and the types of its values.
_kept: WeakKeyDictionary[Link, dict[Key, bytes]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class _Asked:
    """One statement as it is sent."""

    statement: bytes
    types: tuple[int, ...]
    values: Sequence[Any]
    formats: Sequence[int] | None

    @property
    def key(self) -> Key:
        """By what a connection knows it once it is prepared."""
        return self.statement, self.types

    def send_by_name(self, pgconn: pq.abc.PGconn, kept: dict[Key, bytes]) -> None:
        """Send it by the name that it is kept under; prepare it where it is not."""
        name = kept.get(self.key)
        if name is None:
            name = b"assay_%d" % next(_numbers)
            pgconn.send_prepare(name, self.statement, param_types=self.types)
            _flush(pgconn)
            _read(pgconn)
            kept[self.key] = name
        pgconn.send_query_prepared(name, self.values, param_formats=self.formats)


def can_go(link: Link) -> bool:
    """Whether nothing has to be sent first: outside of transactions, or inside one that has begun."""
    status = link.pgconn.transaction_status
    is_between = status == pq.TransactionStatus.IDLE and link.autocommit
    return is_between or status == pq.TransactionStatus.INTRANS


def rows(
    link: Link,
    statement: str,
    values: Sequence[Any] | Mapping[str, Any],
    *,
    meanwhile: Meanwhile | None = None,
) -> list[tuple[Any, ...]]:
    """Run one statement; return its rows once it has ended and, outside of a transaction, is committed.

    The statement has the driver's placeholders. `meanwhile` runs while the server is at work. Raises
    psycopg.Error, and what `meanwhile` raises once the statement has ended.
    """
    numbered, names = _numbered(statement)
    given = [values[name] for name in names] if isinstance(values, Mapping) else values
    form = Transformer(link)
    sent = form.dump_sequence(given, [PyFormat.AUTO] * len(given))
    asked = _Asked(numbered, tuple(form.types or ()), sent, form.formats)
    result = _answered(link, asked, meanwhile)
    form.set_pgresult(result)
    return form.load_rows(0, result.ntuples, tuple)


@lru_cache(maxsize=256)
def _numbered(statement: str) -> tuple[bytes, tuple[str, ...]]:
    """Return the statement as the server numbers its places, and the names in the order of the numbers."""
    names: dict[str, int] = {}
    numbers = count(1)

    def number(place: re.Match[str]) -> str:
        if place["sign"]:
            return "%"
        return f"${names.setdefault(place['name'], len(names) + 1) if place['name'] else next(numbers)}"

    return _PLACE.sub(number, statement).encode(), tuple(names)


def _answered(link: Link, asked: _Asked, meanwhile: Meanwhile | None) -> pq.abc.PGresult:
    pgconn, kept = link.pgconn, _kept_by(link)
    if kept is None or (asked.key not in kept and len(kept) >= _MOST_KEPT):
        pgconn.send_query_params(
            asked.statement, asked.values, param_types=asked.types, param_formats=asked.formats
        )
        return _awaited(pgconn, meanwhile)
    try:
        asked.send_by_name(pgconn, kept)
        return _awaited(pgconn, meanwhile)
    except errors.InvalidSqlStatementName:  # somebody forgot them all, as the driver does after a rollback
        kept.clear()
        asked.send_by_name(pgconn, kept)
        return _awaited(pgconn, None)


def _kept_by(link: Link) -> dict[Key, bytes] | None:
    """Return what a connection has prepared, or None where nothing is to be prepared.

    A statement that is kept may be gone: where that ends no transaction, it is prepared anew.
    """
    if link.prepare_threshold is None or link.pgconn.transaction_status != pq.TransactionStatus.IDLE:
        return None
    return _kept.setdefault(link, {})


def _awaited(pgconn: pq.abc.PGconn, meanwhile: Meanwhile | None) -> pq.abc.PGresult:
    _flush(pgconn)
    try:
        if meanwhile is not None:
            meanwhile()
    finally:  # what is sent is read, or the next answer would be taken for another's
        result = _read(pgconn)
    return result


def _flush(pgconn: pq.abc.PGconn) -> None:
    while pgconn.flush():
        arrivals = select.poll()
        arrivals.register(pgconn.socket, select.POLLIN | select.POLLOUT)
        arrivals.poll()
        pgconn.consume_input()


def _read(pgconn: pq.abc.PGconn) -> pq.abc.PGresult:
    """Read to the end: what fails as a transaction is committed comes after the rows."""
    arrivals = select.poll()
    arrivals.register(pgconn.socket, select.POLLIN)
    found: list[pq.abc.PGresult] = []
    while True:
        while pgconn.is_busy():
            arrivals.poll()
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:
            break
        found.append(result)
    for result in found:
        if result.status == pq.ExecStatus.FATAL_ERROR:
            raise errors.error_from_result(result)
    return found[-1]
