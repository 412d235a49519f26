"""One statement straight through libpq: the driver's cursor takes longer than the statement does.

What is sent and how values are written and read is the driver's own; only its layers in between are left out.
"""

import re
import select
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg import errors, pq
from psycopg.adapt import PyFormat, Transformer

Link = psycopg.Connection[Any]
Key = tuple[bytes, tuple[int, ...]]
_PLACE = re.compile(r"%(?:\((?P<name>\w+)\)s|(?P<next>s)|(?P<sign>%))")
_MOST_KEPT = 100
_numbers = count()
# What each connection has prepared, by the statement and the types of its values.
_kept: WeakKeyDictionary[Link, dict[Key, bytes]] = WeakKeyDictionary()


def can_go(link: Link) -> bool:
    """Whether nothing has to be sent first: outside of transactions, or inside one that has begun."""
    status = link.pgconn.transaction_status
    is_between = status == pq.TransactionStatus.IDLE and link.autocommit
    return is_between or status == pq.TransactionStatus.INTRANS


def rows(link: Link, statement: str, values: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run one statement; return its rows once it has ended and, outside of a transaction, is committed.

    The statement has the driver's placeholders. Raises psycopg.Error.
    """
    numbered, names = _numbered(statement)
    given = [values[name] for name in names] if isinstance(values, Mapping) else values
    form = Transformer(link)
    sent = form.dump_sequence(given, [PyFormat.AUTO] * len(given))
    result = _answered(link, (numbered, tuple(form.types or ())), sent, form.formats)
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


def _answered(link: Link, key: Key, values: Sequence[Any], formats: Sequence[int] | None) -> pq.abc.PGresult:
    pgconn = link.pgconn
    # A statement that is kept may be gone: where that ends no transaction, it is prepared anew.
    if link.prepare_threshold is None or pgconn.transaction_status != pq.TransactionStatus.IDLE:
        return _sent_alone(pgconn, key, values, formats)
    kept = _kept.setdefault(link, {})
    if key not in kept and len(kept) >= _MOST_KEPT:
        return _sent_alone(pgconn, key, values, formats)
    try:
        return _sent_by_name(pgconn, kept.get(key) or _prepared(pgconn, kept, key), values, formats)
    except errors.InvalidSqlStatementName:  # somebody forgot them all, as the driver does after a rollback
        kept.clear()
        return _sent_by_name(pgconn, _prepared(pgconn, kept, key), values, formats)


def _prepared(pgconn: pq.abc.PGconn, kept: dict[Key, bytes], key: Key) -> bytes:
    name = b"assay_%d" % next(_numbers)
    statement, types = key
    pgconn.send_prepare(name, statement, param_types=types)
    _read(pgconn)
    kept[key] = name
    return name


def _sent_by_name(
    pgconn: pq.abc.PGconn, name: bytes, values: Sequence[Any], formats: Sequence[int] | None
) -> pq.abc.PGresult:
    pgconn.send_query_prepared(name, values, param_formats=formats)
    return _read(pgconn)


def _sent_alone(
    pgconn: pq.abc.PGconn, key: Key, values: Sequence[Any], formats: Sequence[int] | None
) -> pq.abc.PGresult:
    statement, types = key
    pgconn.send_query_params(statement, values, param_types=types, param_formats=formats)
    return _read(pgconn)


def _read(pgconn: pq.abc.PGconn) -> pq.abc.PGresult:
    """Read to the end: what fails as a transaction is committed comes after the rows."""
    arrivals = select.poll()
    arrivals.register(pgconn.socket, select.POLLIN)
    while pgconn.flush():
        arrivals.modify(pgconn.socket, select.POLLIN | select.POLLOUT)
        arrivals.poll()
        pgconn.consume_input()
    arrivals.modify(pgconn.socket, select.POLLIN)
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
