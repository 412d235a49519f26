"""One form sent twice at once, with certainty: both have read what they go by before either writes."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from django.apps import apps
from django.core import mail
from django.db import connection, connections

# What every request leaves, and what entries are made of.
_BESIDE = (
    "django_session", "usersessions_usersession", "audit_", "accounts_sentform", "incidents_staleincident",
    "incidents_tally", "incidents_ruletally", "incidents_spansum", "incidents_agentday",
)  # fmt: skip
_WRITES = ("INSERT", "UPDATE", "DELETE", "SELECT audit_append")


class Meeting:
    """Holds two requests before the first thing that each writes or locks, until both are there."""

    def __init__(self) -> None:
        self._barrier = threading.Barrier(2)

    @contextmanager
    def attended(self) -> Iterator[None]:
        """Wait in this thread before its first write. Whoever ends without one lets the other go on."""
        is_met = False

        def wait(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
            nonlocal is_met
            if not is_met and _writes(sql):
                is_met = True
                self._wait()
            return execute(sql, params, many, context)

        with connection.execute_wrapper(wait):
            try:
                yield
            finally:
                if not is_met:
                    self._barrier.abort()

    def _wait(self) -> None:
        with suppress(threading.BrokenBarrierError):  # the other has ended, and wrote nothing
            self._barrier.wait(20)


def _writes(sql: Any) -> bool:
    said = str(sql).lstrip()
    is_one = said.startswith(_WRITES) or " FOR UPDATE" in said or " FOR NO KEY UPDATE" in said
    return is_one and not any(f'"{table}' in said for table in _BESIDE[:2])


class Pair:
    """Two threads with a connection each, kept for all meetings."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(2)

    def at_once(self, *jobs: Callable[[], Any]) -> list[Any]:
        """Run both jobs as described; return what they return."""
        meeting = Meeting()

        def work(job: Callable[[], Any]) -> Any:
            with meeting.attended():
                return job()

        return [one.result(60) for one in [self._threads.submit(work, job) for job in jobs]]

    def close(self) -> None:
        """Give the connections back."""
        barrier = threading.Barrier(2)

        def end() -> None:
            barrier.wait(10)
            connections.close_all()

        for one in [self._threads.submit(end) for _ in range(2)]:
            one.result(20)
        self._threads.shutdown()


class Marks:
    """How many rows each table holds, which entries there are, and how many mails were sent."""

    def __init__(self) -> None:
        tables = sorted({model._meta.db_table for model in apps.get_models(include_auto_created=True)})
        self._tables = [table for table in tables if not table.startswith(_BESIDE)]
        counts = ", ".join(f'(SELECT count(*) FROM "{table}")' for table in self._tables)
        self._question = f"SELECT (SELECT coalesce(max(id), 0) FROM audit_entry), {counts}"
        self._now = self._read()

    def left(self) -> str:
        """Say what was left since this was asked last: kinds of entries, then tables that hold more rows."""
        before, self._now = self._now, self._read()
        grown: Mapping[str, int] = {
            name: self._now[name] - before[name] for name in before if name not in ("entry",)
        }
        kinds = Counter(self._kinds(before["entry"]))
        return ", ".join(
            _counted(sorted(kinds.items())) + _counted(each for each in grown.items() if each[1])
        )

    def _read(self) -> dict[str, int]:
        with connection.cursor() as cursor:
            cursor.execute(self._question)
            row = cursor.fetchone()
        return {"entry": row[0], **dict(zip(self._tables, row[1:], strict=True)), "mails": len(mail.outbox)}

    def _kinds(self, after: int) -> Sequence[str]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT kind FROM audit_entry WHERE id > %s ORDER BY id", [after])
            return [kind for (kind,) in cursor.fetchall()]


def _counted(found: Any) -> list[str]:
    return [name if count == 1 else f"{name} x{count}" for name, count in found]
