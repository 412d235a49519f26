"""One connection to MySQL or MariaDB for one call: metered, in a read-only transaction, never used again."""

import contextlib
import math
import socket
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pymysql
from pymysql.connections import Connection
from pymysql.cursors import SSCursor

from toolbox.connectors.fetched import Fetched, TooLarge
from toolbox.connectors.mysqlfailures import doubt, status_and_reason
from toolbox.connectors.mysqlvalues import DECODERS, plain
from toolbox.connectors.pgfailures import CannotConnect, SessionLost
from toolbox.deadline import Deadline, DeadlinePassed
from toolbox.values import ValueUnreadable

_SCHEMES = ("mysql", "mariadb")
_OPTIONS = frozenset({"unix_socket", "ssl_ca", "ssl_cert", "ssl_key"})
_MODE = "STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
_SETTINGS_BYTES = 4_194_304


class _Spent(Exception):
    """More bytes arrived than a call may take."""


class MeteredConnection(Connection):  # type: ignore[misc,unused-ignore]  # pymysql has no types
    """A connection whose every read ends with the call's deadline and counts against its allowance."""

    deadline: Deadline
    allowance: float = math.inf

    def _read_bytes(self, num_bytes: int) -> bytes:
        self.allowance -= num_bytes
        if self.allowance < 0:
            raise _Spent
        parts: list[bytes] = []
        while num_bytes:
            try:
                self._sock.settimeout(self.deadline.left())
                part = self._rfile.read1(num_bytes)
            except TimeoutError:
                self.deadline.left()
                raise SessionLost("timeout") from None
            except OSError as error:
                raise SessionLost(type(error).__name__) from None
            if not part:
                raise SessionLost("the end of the stream")
            parts.append(part)
            num_bytes -= len(part)
        return b"".join(parts)


class ReadLink:
    """A connection that reads within one transaction. Whatever it raises: it is closed afterwards."""

    def __init__(self, connection: MeteredConnection) -> None:
        self._connection = connection
        self._warned = 0
        self.is_mariadb = "mariadb" in str(connection.server_version).lower()
        self.opened = time.monotonic()

    @classmethod
    def open(cls, url: str, deadline: Deadline) -> "ReadLink":
        """Connect within the deadline; raise CannotConnect, which quotes nothing of the address."""
        connection = MeteredConnection(
            **_parts(url),
            defer_connect=True,
            charset="utf8mb4",
            sql_mode=_MODE,
            conv=DECODERS,
            cursorclass=SSCursor,
            autocommit=None,
            local_infile=False,
            connect_timeout=max(0.05, deadline.left()),
            write_timeout=max(0.05, deadline.left()),
            program_name="assay",
        )
        connection.deadline = deadline
        try:
            connection.connect(_socket(connection, deadline))
            return cls(connection)
        except pymysql.MySQLError as error:
            raise CannotConnect(status_and_reason(error)[1]) from None
        except (OSError, SessionLost, RuntimeError, ValueError) as error:
            deadline.left()
            raise CannotConnect(_why(error)) from None

    def begin(self, deadline: Deadline) -> None:
        """Set the session's limits and open the read-only transaction: one snapshot for the whole call."""
        # A little before the deadline, so that the server ends the question itself.
        seconds = deadline.left() * 0.95
        limit = (
            f"max_statement_time={seconds:.3f}"
            if self.is_mariadb
            else f"max_execution_time={max(1, int(seconds * 1000))}"
        )
        self.run("SET SESSION TRANSACTION READ ONLY", deadline)
        self.run(
            f"SET SESSION {limit}, time_zone='+00:00', lock_wait_timeout=1, innodb_lock_wait_timeout=1, "
            "group_concat_max_len=131072",
            deadline,
        )
        self.run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY", deadline)

    def run(self, statement: str, deadline: Deadline) -> list[tuple[Any, ...]]:
        """Run a statement of the connector's own and return all its rows."""
        return self.fetch(statement, 10_000, _SETTINGS_BYTES, deadline).rows

    def fetch(self, statement: str, rows: int, most_bytes: int, deadline: Deadline) -> Fetched:
        """Read at most `rows` rows; raise TooLarge when more than `most_bytes` arrive.

        Raises pymysql.MySQLError, SessionLost and DeadlinePassed.
        """
        fetched = Fetched()
        self._connection.deadline, self._connection.allowance = deadline, most_bytes
        cursor = self._connection.cursor(SSCursor)
        try:
            cursor.execute(statement)
            fetched.columns = tuple(column[0] for column in cursor.description or ())
            while cursor.description and len(fetched.rows) < rows and (row := cursor.fetchone()) is not None:
                fetched.rows.append(plain(row))
        except _Spent:
            raise TooLarge(fetched) from None
        except UnicodeDecodeError:
            raise ValueUnreadable("a text of the answer is not in UTF-8") from None
        except (RuntimeError, AssertionError, IndexError) as error:
            raise SessionLost(type(error).__name__) from None
        else:
            self._warned = 0 if len(fetched.rows) == rows else _warning_count(self._connection)
        finally:
            cursor.connection = None  # or it would read the rest of the answer when it is collected
        return fetched

    def doubts(self, deadline: Deadline) -> tuple[str, ...]:
        """Return what the server warned of in the answer that was just fetched to its end, each once."""
        if not self._warned:
            return ()
        found = [doubt(int(row[1])) for row in self.run("SHOW WARNINGS", deadline) if row[0] != "Note"]
        return tuple(dict.fromkeys(filter(None, found)))

    def roll_back(self, deadline: Deadline) -> None:
        """End the transaction; never raises: closing the connection ends it as well."""
        with contextlib.suppress(pymysql.MySQLError, SessionLost, DeadlinePassed, TooLarge):
            self.run("ROLLBACK", deadline)

    def close(self) -> None:
        """Close the socket without reading what still arrives; never raises."""
        result = self._connection._result
        if result is not None:
            result.unbuffered_active = False
        with contextlib.suppress(OSError):
            if self._connection._sock is not None:
                self._connection._sock.shutdown(socket.SHUT_RDWR)
        self._connection._force_close()


def _warning_count(connection: MeteredConnection) -> int:
    """How often the server warned of the answer that was just read to its end."""
    return int(getattr(connection._result, "warning_count", 0) or 0)


def _why(error: Exception) -> str:
    if isinstance(error, socket.gaierror):
        return "the database's host name is unknown"
    if isinstance(error, ConnectionRefusedError | FileNotFoundError | TimeoutError):
        return "nothing answers at the database's address"
    return f"no connection to the database could be made ({type(error).__name__})"


def _socket(connection: MeteredConnection, deadline: Deadline) -> socket.socket:
    """Connect here: the driver leaves a socket open that could not connect."""
    if connection.unix_socket is None:
        made = socket.create_connection((connection.host, connection.port), deadline.left())
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.settimeout(deadline.left())
        made.connect(connection.unix_socket)
    except BaseException:
        made.close()
        raise
    connection._secure = True
    return made


def _parts(url: str) -> Mapping[str, Any]:
    """Read mysql://user:password@host:3306/database?ssl_ca=FILE; raise CannotConnect."""
    try:
        split = urlsplit(url)
        port = split.port or 3306
        options: dict[str, Any] = dict(parse_qsl(split.query, strict_parsing=bool(split.query)))
    except ValueError:
        raise CannotConnect("its connection string cannot be read") from None
    if split.scheme not in _SCHEMES or not split.username or not set(options) <= _OPTIONS:
        raise CannotConnect(
            "its connection string cannot be read: write mysql://USER:PASSWORD@HOST:3306/DATABASE, and "
            f"behind a ? only {', '.join(sorted(_OPTIONS))}"
        )
    if "ssl_ca" in options:
        options |= {"ssl_verify_cert": True, "ssl_verify_identity": True}
    return {
        "user": unquote(split.username),
        "password": unquote(split.password or ""),
        "host": split.hostname or "localhost",
        "port": port,
        "database": unquote(split.path.lstrip("/")) or None,
        **options,
    }
