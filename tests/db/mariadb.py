"""A MariaDB server of the tests' own, from Debian's package: a socket in a private folder, no network."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pymysql
from pymysql.connections import Connection

from tests.conftest import require_program
from tests.servers import made_folder
from triage.local import processes

DATABASE, READER, PASSWORD = "shop", "shop_reader", "reader-pw"

_WORLD = (
    f"CREATE DATABASE {DATABASE}",
    f"USE {DATABASE}",
    "CREATE TABLE customers(id BIGINT PRIMARY KEY, name VARCHAR(80), balance DECIMAL(12,2) NOT NULL)",
    """CREATE TABLE orders(id BIGINT AUTO_INCREMENT PRIMARY KEY, customer_id BIGINT, note VARCHAR(200),
    amount DECIMAL(12,2) NOT NULL, placed_at TIMESTAMP NOT NULL DEFAULT '2026-03-01 10:00:00')""",
    "INSERT INTO customers SELECT seq, CONCAT('customer ', seq), seq * 10 FROM seq_1_to_20",
    """INSERT INTO orders(customer_id, amount, note)
    SELECT 1 + seq % 20, seq, CONCAT('note ', seq) FROM seq_1_to_200""",
    "CREATE TABLE secrets(id BIGINT PRIMARY KEY, token VARCHAR(80))",
    "INSERT INTO secrets VALUES (1, 's3cret-word')",
    "CREATE SEQUENCE s1",
    """CREATE FUNCTION bump_total(n BIGINT) RETURNS BIGINT MODIFIES SQL DATA SQL SECURITY DEFINER
    BEGIN UPDATE customers SET balance = balance + 1 WHERE id = n; RETURN n; END""",
    "CREATE PROCEDURE purge_orders() SQL SECURITY DEFINER DELETE FROM orders",
    "CREATE VIEW sneaky AS SELECT id, bump_total(id) AS bumped FROM customers",
    """CREATE TABLE mixed(tiny TINYINT, big BIGINT UNSIGNED, price DECIMAL(12,4), half DOUBLE,
    word VARCHAR(40), raw VARBINARY(8), day DATE, moment DATETIME(3), at TIMESTAMP(6) NULL, span TIME,
    flags BIT(3), nothing INT, document JSON, face VARCHAR(10) CHARACTER SET utf8mb4)""",
    "SET time_zone = '+00:00'",
    """INSERT INTO mixed VALUES (1, 18446744073709551615, 12.5, 1.5, 'a', X'00FF', '2026-03-01',
    '2026-03-01 10:00:00.250', '2026-03-01 10:00:00.5', '-01:02:03', b'101', NULL, '{"a": 1}',
    _utf8mb4 X'F09F9880')""",
    f"CREATE USER {READER} IDENTIFIED BY '{PASSWORD}' WITH MAX_STATEMENT_TIME 5",
    f"CREATE USER {READER}@localhost IDENTIFIED BY '{PASSWORD}' WITH MAX_STATEMENT_TIME 5",
    *(
        f"GRANT SELECT ON {DATABASE}.{table} TO {READER}{host}"
        for table in ("customers", "orders", "mixed")
        for host in ("", "@localhost")
    ),
    "DROP DATABASE IF EXISTS test",
    "REVOKE ALL PRIVILEGES ON `test`.* FROM PUBLIC",
    r"REVOKE ALL PRIVILEGES ON `test\_%`.* FROM PUBLIC",
    "DROP USER IF EXISTS ''@'localhost'",
)
_MAY_FAIL = ("REVOKE", "DROP")


class MariadbServer:
    """One server; `account` gives addresses, `root` a superuser's connection."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._data = folder / "data"
        self.socket = folder / "s"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Make the data folder and start; return when it answers."""
        user = ["--user=nobody"] if os.geteuid() == 0 else []
        if not self._data.exists():
            subprocess.run(
                [require_program("mariadb-install-db"), "--no-defaults", *user, f"--datadir={self._data}",
                 "--auth-root-authentication-method=normal", f"--tmpdir={self.folder}"],
                check=True, capture_output=True, timeout=120,
            )  # fmt: skip
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(
            [require_program("mariadbd"), "--no-defaults", *user, f"--datadir={self._data}",
             f"--socket={self.socket}", f"--pid-file={self.folder / 'pid'}", "--skip-networking",
             "--innodb-buffer-pool-size=32M",
             "--innodb-flush-log-at-trx-commit=0", "--skip-log-bin", "--max-connections=60",
             f"--tmpdir={self.folder}"],
            stdout=log, stderr=log,
            preexec_fn=processes.dies_with_parent(signal.SIGKILL),
        )  # fmt: skip
        log.close()
        end = time.monotonic() + 60
        while True:
            with contextlib.suppress(pymysql.MySQLError):
                if self.socket.exists():
                    self.root().close()
                    return
            assert self._process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < end, "MariaDB does not answer within 60 s"
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop it."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(30)
            self._process = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def root(self, database: str | None = None) -> "Connection[Any]":
        return pymysql.connect(
            user="root", unix_socket=str(self.socket), database=database, autocommit=True, ssl_disabled=True
        )

    def address(self, user: str = READER, password: str = PASSWORD, database: str = DATABASE) -> str:
        return f"mysql://{user}:{password}@localhost/{database}?unix_socket={self.socket}"


@contextlib.contextmanager
def server() -> Iterator[MariadbServer]:
    """A running server with the world of the attempts in it; skips by name where MariaDB is not installed."""
    require_program("mariadbd")
    require_program("mariadb-install-db")
    folder = made_folder()
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
    made = MariadbServer(folder)
    try:
        made.start()
        with contextlib.closing(made.root()) as link:
            run(link, _WORLD)
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


def run(link: "Connection[Any]", statements: Sequence[str]) -> None:
    """Run statements; what takes away a thing that is not there may fail."""
    with link.cursor() as cursor:
        for statement in statements:
            try:
                cursor.execute(statement)
            except pymysql.MySQLError:
                if not statement.startswith(_MAY_FAIL):
                    raise


def rows(link: "Connection[Any]", query: str) -> Any:
    """Return all rows of a query."""
    with link.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()


_STATE = {
    "customers": "CHECKSUM TABLE shop.customers EXTENDED",
    "orders": "CHECKSUM TABLE shop.orders EXTENDED",
    "secrets": "CHECKSUM TABLE shop.secrets EXTENDED",
    "mixed": "CHECKSUM TABLE shop.mixed EXTENDED",
    "sequence": "SELECT * FROM shop.s1",
    "databases": "SELECT * FROM information_schema.schemata ORDER BY schema_name",
    "tables": "SELECT table_schema, table_name, table_type, engine, create_time, table_comment"
    " FROM information_schema.tables WHERE table_schema NOT IN ('information_schema', 'performance_schema')"
    " ORDER BY 1, 2",
    "columns": "SELECT table_schema, table_name, column_name, column_type, column_default"
    " FROM information_schema.columns WHERE table_schema = 'shop' ORDER BY 1, 2, 3",
    "indexes": "SELECT table_name, index_name, column_name FROM information_schema.statistics"
    " WHERE table_schema = 'shop' ORDER BY 1, 2, 3",
    "routines": "SELECT routine_schema, routine_name, routine_definition FROM information_schema.routines",
    "views": "SELECT table_schema, table_name, view_definition FROM information_schema.views ORDER BY 1, 2",
    "triggers": "SELECT trigger_name FROM information_schema.triggers ORDER BY 1",
    "events": "SELECT event_name FROM information_schema.events ORDER BY 1",
    "accounts": "SELECT * FROM mysql.global_priv ORDER BY host, user",
    "grants_of_tables": "SELECT * FROM mysql.tables_priv ORDER BY host, db, user, table_name",
    "grants_of_columns": "SELECT * FROM mysql.columns_priv ORDER BY host, db, user, table_name, column_name",
    "grants_of_databases": "SELECT * FROM mysql.db ORDER BY host, db, user",
    "grants_of_routines": "SELECT * FROM mysql.procs_priv ORDER BY host, db, user",
    "roles": "SELECT * FROM mysql.roles_mapping ORDER BY host, user, role",
    "plugins": "SELECT plugin_name, plugin_status FROM information_schema.plugins ORDER BY 1",
    "functions": "SELECT * FROM mysql.func ORDER BY 1",
    "settings": "SELECT variable_name, variable_value FROM information_schema.global_variables ORDER BY 1",
    "locks_held": "SELECT IS_USED_LOCK('pwn'), IS_USED_LOCK('jobs')",
    "transactions": "SELECT COUNT(*) FROM information_schema.innodb_trx",
}


def state(server: MariadbServer, link: "Connection[Any]") -> dict[str, Any]:
    """Return all that an attempt could change, seen by root, with files."""
    seen: dict[str, Any] = {name: rows(link, query) for name, query in _STATE.items()}
    seen["files"] = sorted(str(path) for path in server.folder.glob("mcp_pwned*"))
    return seen
