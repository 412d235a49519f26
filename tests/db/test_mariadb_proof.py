"""What a MariaDB account could do beyond reading is found by name: its tools are gone until it is revoked."""

import contextlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pymysql
import pytest
from pymysql.connections import Connection

from assay_core.results import Status
from tests.db import mariadb
from tests.db.test_readonly_attempts import tool
from toolbox import proofs
from toolbox.connectors.credential import Finding
from toolbox.connectors.mysql import MysqlConnector
from toolbox.connectors.mysqlproof import granted
from toolbox.deadline import Deadline

pytestmark = pytest.mark.django_db
ME = f"{mariadb.READER}@localhost"
NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def server() -> Iterator[mariadb.MariadbServer]:
    with mariadb.server() as made:
        yield made


@pytest.fixture
def root(server: mariadb.MariadbServer) -> "Iterator[Connection[Any]]":
    with contextlib.closing(server.root("shop")) as link:
        yield link


@pytest.fixture
def connector(server: mariadb.MariadbServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[MysqlConnector]:
    monkeypatch.setenv("PROOF_MARIADB_URL", server.address())
    proofs.forget()
    yield MysqlConnector("planted", "Planted", "PROOF_MARIADB_URL")
    proofs.forget()


def findings(connector: MysqlConnector) -> list[Finding]:
    return [finding for finding in connector.prove(Deadline(5)).findings if not finding.warning]


PLANTED = [
    ("INSERT ON shop.orders", "privilege", "INSERT"),
    ("UPDATE (note) ON shop.orders", "privilege", "UPDATE (`note`)"),
    ("REFERENCES (id) ON shop.orders", "privilege", "REFERENCES (`id`)"),
    ("DELETE ON shop.*", "privilege", "DELETE"),
    ("CREATE ON shop.*", "privilege", "CREATE"),
    ("DROP ON shop.orders", "privilege", "DROP"),
    ("ALTER ON shop.orders", "privilege", "ALTER"),
    ("INDEX ON shop.orders", "privilege", "INDEX"),
    ("TRIGGER ON shop.orders", "privilege", "TRIGGER"),
    ("CREATE VIEW ON shop.*", "privilege", "CREATE VIEW"),
    ("CREATE ROUTINE ON shop.*", "privilege", "CREATE ROUTINE"),
    ("ALTER ROUTINE ON PROCEDURE shop.purge_orders", "privilege", "ALTER ROUTINE"),
    ("EXECUTE ON FUNCTION shop.bump_total", "privilege", "EXECUTE"),
    ("EXECUTE ON shop.*", "privilege", "EXECUTE"),
    ("EVENT ON shop.*", "privilege", "EVENT"),
    ("LOCK TABLES ON shop.*", "privilege", "LOCK TABLES"),
    ("CREATE TEMPORARY TABLES ON shop.*", "privilege", "CREATE TEMPORARY TABLES"),
    ("DELETE HISTORY ON shop.*", "privilege", "DELETE HISTORY"),
    ("FILE ON *.*", "privilege", "FILE"),
    ("PROCESS ON *.*", "privilege", "PROCESS"),
    ("RELOAD ON *.*", "privilege", "RELOAD"),
    ("SUPER ON *.*", "privilege", "SUPER"),
    ("SHUTDOWN ON *.*", "privilege", "SHUTDOWN"),
    ("CREATE USER ON *.*", "privilege", "CREATE USER"),
    ("SET USER ON *.*", "privilege", "SET USER"),
    ("BINLOG ADMIN ON *.*", "privilege", "BINLOG ADMIN"),
    ("READ_ONLY ADMIN ON *.*", "privilege", "READ_ONLY ADMIN"),
    ("ALL PRIVILEGES ON shop.orders", "privilege", "ALL PRIVILEGES"),
    ("ALL PRIVILEGES ON *.*", "privilege", "ALL PRIVILEGES"),
    ("SELECT ON *.*", "wide_select", "SELECT"),
    ("SELECT ON mysql.*", "wide_select", "SELECT"),
    ("SELECT ON mysql.global_priv", "wide_select", "SELECT"),
    ("SELECT ON `my%`.*", "wide_select", "SELECT"),
    ("SELECT ON `m_sql`.*", "wide_select", "SELECT"),
]


@pytest.mark.parametrize(("grant", "check", "privilege"), PLANTED, ids=[grant for grant, _, _ in PLANTED])
def test_a_planted_grant_is_found_by_name_and_takes_the_tools_away_until_it_is_revoked(
    grant: str, check: str, privilege: str, connector: MysqlConnector, root: "Connection[Any]"
) -> None:
    assert proofs.obstacle(connector) == ""
    mariadb.run(root, [f"GRANT {grant} TO {ME}"])
    try:
        proofs.forget()
        reason = proofs.obstacle(connector)
        asked = connector.ask(tool("SELECT 1 AS n"), {}, datetime.now(UTC))
        found = [finding for finding in findings(connector) if finding.check == check]
    finally:
        mariadb.run(root, [f"REVOKE {grant.replace(' ON ', ' ON ', 1)} FROM {ME}"])
    assert privilege in {finding.privilege for finding in found}
    cure = next(finding.cure for finding in found if finding.privilege == privilege)
    assert cure.startswith(f"REVOKE {privilege} ON ")
    assert f"{check}: {privilege} on" in reason
    assert asked.status is Status.REFUSED
    assert asked.reason == reason
    assert proofs.obstacle(connector) == ""


@pytest.mark.parametrize(
    ("plant", "uproot", "check"),
    [
        (f"GRANT SELECT ON shop.orders TO {ME} WITH GRANT OPTION",
         f"REVOKE GRANT OPTION ON shop.orders FROM {ME}",
         "grant_option"),
        (f"GRANT writers TO {ME}", f"REVOKE writers FROM {ME}", "membership"),
        (f"GRANT writers TO {ME} WITH ADMIN OPTION", f"REVOKE writers FROM {ME}", "membership"),
        (f"GRANT PROXY ON other TO {ME}", f"REVOKE PROXY ON other FROM {ME}", "proxy"),
        ("GRANT INSERT ON shop.orders TO PUBLIC", "REVOKE INSERT ON shop.orders FROM PUBLIC", "privilege"),
        (r"GRANT ALL PRIVILEGES ON `test\_%`.* TO PUBLIC",
         r"REVOKE ALL PRIVILEGES ON `test\_%`.* FROM PUBLIC", "privilege"),
        (f"ALTER USER {ME} WITH MAX_STATEMENT_TIME 0", f"ALTER USER {ME} WITH MAX_STATEMENT_TIME 5",
         "setting"),
    ],
)  # fmt: skip
def test_what_is_no_plain_grant_is_found_as_well(
    plant: str, uproot: str, check: str, connector: MysqlConnector, root: "Connection[Any]"
) -> None:
    mariadb.run(root, ["CREATE ROLE IF NOT EXISTS writers", "CREATE USER IF NOT EXISTS other"])
    mariadb.run(root, [plant])
    try:
        found = {finding.check for finding in findings(connector)}
        reason = proofs.obstacle(connector)
    finally:
        mariadb.run(root, [uproot])
    assert check in found
    assert f"{check}: " in reason
    assert findings(connector) == []
    assert proofs.obstacle(connector) == ""


def test_a_default_role_is_found(connector: MysqlConnector, root: "Connection[Any]") -> None:
    mariadb.run(root, ["CREATE ROLE IF NOT EXISTS writers", f"GRANT writers TO {ME}"])
    mariadb.run(root, [f"SET DEFAULT ROLE writers FOR {ME}"])
    found = findings(connector)
    mariadb.run(root, [f"SET DEFAULT ROLE NONE FOR {ME}", f"REVOKE writers FROM {ME}"])
    assert {"ROLE", "DEFAULT ROLE"} <= {finding.privilege for finding in found}


def test_somebody_who_signs_in_as_nobody_is_found(
    connector: MysqlConnector,
    server: mariadb.MariadbServer,
    root: "Connection[Any]",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mariadb.run(root, ["CREATE USER ''@'localhost' WITH MAX_STATEMENT_TIME 5"])
    monkeypatch.setenv("PROOF_MARIADB_URL", server.address("anybody", "", ""))
    found = {finding.check for finding in findings(connector)}
    mariadb.run(root, ["DROP USER ''@'localhost'"])
    assert "anonymous" in found


def test_the_clean_account_passes_quickly_and_a_view_that_reads_as_another_is_shown(
    connector: MysqlConnector, root: "Connection[Any]"
) -> None:
    assert findings(connector) == []
    mariadb.run(root, ["CREATE VIEW shop.names AS SELECT id, UPPER(name) AS name FROM shop.customers"])
    mariadb.run(root, [f"GRANT SELECT, SHOW VIEW ON shop.names TO {ME}"])
    shown = connector.prove(Deadline(5)).findings
    mariadb.run(root, ["DROP VIEW shop.names"])
    assert [(finding.check, finding.object, finding.warning) for finding in shown] == [
        ("definer_view", "shop.names", True)
    ]
    took = sorted(connector.prove(Deadline(5)).milliseconds for _ in range(9))
    assert took[4] < 100


@pytest.mark.parametrize(
    ("rights", "text", "privilege"),
    [
        ("SELECT, SHOW VIEW", "SELECT shop.put_out() AS n", "CALLS AS root@localhost"),
        ("SELECT, SHOW VIEW", "SELECT GET_LOCK('pwn', 0) AS n", "CALLS AS root@localhost"),
        (
            "SELECT, SHOW VIEW",
            "SELECT id, shop.bump_total(id) AS n FROM shop.customers",
            "CALLS AS root@localhost",
        ),
        ("SELECT", "SELECT id FROM shop.customers", "UNSEEN AS root@localhost"),
    ],
)
def test_a_view_that_calls_as_another_or_that_nobody_can_read_takes_the_tools_away(
    rights: str,
    text: str,
    privilege: str,
    connector: MysqlConnector,
    server: mariadb.MariadbServer,
    root: "Connection[Any]",
) -> None:
    put_out = f"SELECT 'x' INTO OUTFILE '{server.folder}/mcp_pwned_view'"
    mariadb.run(root, [
        f"CREATE OR REPLACE FUNCTION shop.put_out() RETURNS INT BEGIN {put_out}; RETURN 1; END",
        f"CREATE VIEW shop.posing AS {text}",
        f"GRANT {rights} ON shop.posing TO {ME}",
    ])  # fmt: skip
    try:
        (found,) = findings(connector)
        reason = proofs.obstacle(connector)
        asked = connector.ask(tool("SELECT * FROM posing"), {}, datetime.now(UTC))
    finally:
        mariadb.run(root, [f"REVOKE {rights} ON shop.posing FROM {ME}", "DROP VIEW shop.posing"])
    assert (found.check, found.object, found.privilege) == ("definer_view", "shop.posing", privilege)
    assert (asked.status, asked.reason) == (Status.REFUSED, reason)
    assert not list(server.folder.glob("mcp_pwned*"))
    proofs.forget()
    assert proofs.obstacle(connector) == ""


OUTFILE = "SELECT 'x' INTO OUTFILE '{folder}/mcp_pwned_deep'"


POSING = "CREATE VIEW shop.posing AS"
FAR = "OPTIONS (USER 'root', HOST 'localhost', DATABASE 'shop', SOCKET '{socket}')"


@pytest.mark.parametrize(
    ("made", "granted", "found"),
    [
        (
            [
                f"CREATE OR REPLACE FUNCTION shop.put_out() RETURNS INT BEGIN {OUTFILE}; RETURN 1; END",
                "CREATE VIEW shop.posing_below AS SELECT shop.put_out() AS n",
                f"{POSING} SELECT n FROM shop.posing_below",
            ],
            "shop.posing",
            ("definer_view", "shop.posing", "READS shop.posing_below UNSEEN AS root@localhost"),
        ),
        (
            [f"{POSING} WITH t AS (SELECT o.id FROM (shop.orders o JOIN mysql.user u)) SELECT id FROM t"],
            "shop.posing",
            ("definer_view", "shop.posing", "READS mysql.user UNSEEN AS root@localhost"),
        ),
        (
            [POSING.replace("VIEW", "SQL SECURITY INVOKER VIEW") + " SELECT GET_LOCK('pwn', 1) AS n"],
            "shop.posing",
            ("view", "shop.posing", "CALLS GET_LOCK"),
        ),
        (
            [
                f"CREATE OR REPLACE SERVER far FOREIGN DATA WRAPPER mysql {FAR}",
                "CREATE TABLE shop.posing_table(id BIGINT) ENGINE=FEDERATED CONNECTION='far/orders'",
            ],
            "shop.posing_table",
            ("foreign", "shop.posing_table", "SELECT THROUGH FEDERATED"),
        ),
    ],
    ids=["a view behind a view", "a table of the server's own", "a lock as the caller", "another server"],
)
def test_a_relation_that_does_more_than_give_its_rows_is_found(
    made: list[str],
    granted: str,
    found: tuple[str, str, str],
    connector: MysqlConnector,
    server: mariadb.MariadbServer,
    root: "Connection[Any]",
) -> None:
    with contextlib.suppress(pymysql.MySQLError):
        mariadb.run(root, ["INSTALL SONAME 'ha_federatedx'"])
    mariadb.run(root, [each.format(folder=server.folder, socket=server.socket) for each in made])
    mariadb.run(root, [f"GRANT SELECT, SHOW VIEW ON {granted} TO {ME}"])
    try:
        seen = findings(connector)
        reason = proofs.obstacle(connector)
        asked = connector.ask(tool(f"SELECT * FROM {granted}"), {}, NOW)
    finally:
        mariadb.run(root, [
            f"REVOKE ALL PRIVILEGES ON {granted} FROM {ME}",
            "DROP VIEW IF EXISTS shop.posing, shop.posing_below",
            "DROP TABLE IF EXISTS shop.posing_table",
        ])  # fmt: skip
    assert found in {(finding.check, finding.object, finding.privilege) for finding in seen}
    assert (asked.status, asked.reason) == (Status.REFUSED, reason)
    assert not list(server.folder.glob("mcp_pwned*"))
    proofs.forget()
    assert proofs.obstacle(connector) == ""


def test_a_view_that_was_unseen_is_read_once_its_cure_is_run(
    connector: MysqlConnector, root: "Connection[Any]"
) -> None:
    mariadb.run(root, [
        "CREATE VIEW shop.posing_below AS SELECT TRIM(LEADING 'n' FROM o.note) AS n FROM shop.orders o",
        "CREATE VIEW shop.posing AS SELECT n FROM shop.posing_below",
        f"GRANT SELECT, SHOW VIEW ON shop.posing TO {ME}",
    ])  # fmt: skip
    try:
        for _ in range(2):  # what it is, and then what it says
            (finding,) = findings(connector)
            mariadb.run(root, [finding.cure.partition(";")[0]])
        left = connector.prove(Deadline(5)).findings
    finally:
        mariadb.run(root, [
            f"REVOKE ALL PRIVILEGES ON shop.{name} FROM {ME}" for name in ("posing", "posing_below")
        ])  # fmt: skip
        mariadb.run(root, ["DROP VIEW shop.posing, shop.posing_below"])
    assert {(one.check, one.privilege, one.warning) for one in left} == {
        ("definer_view", "READS AS root@localhost", True)
    }


def test_no_part_of_a_password_hash_gets_into_a_finding(
    connector: MysqlConnector, root: "Connection[Any]"
) -> None:
    (row,) = mariadb.rows(root, f"SHOW GRANTS FOR {ME}")[0]
    assert "IDENTIFIED BY PASSWORD '*" in row
    mariadb.run(root, [f"GRANT FILE ON *.* TO {ME}"])
    said = f"{connector.prove(Deadline(5)).findings} {proofs.obstacle(connector)}"
    mariadb.run(root, [f"REVOKE FILE ON *.* FROM {ME}"])
    assert "*" + row.partition("'*")[2][:20] not in said
    assert "IDENTIFIED" not in said


def test_a_proof_that_cannot_be_run_makes_the_tools_unavailable(
    connector: MysqlConnector, server: mariadb.MariadbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for address, words in (
        (server.address(password="wrong"), "refuses the reader's sign-in"),
        (
            "mysql://u:s3cret-word@localhost/x?unix_socket=/nowhere",
            "nothing answers at the database's address",
        ),
        ("postgres://u:s3cret-word@h/x", "its connection string cannot be read"),
        ("mysql://u:s3cret-word@h:port/x", "its connection string cannot be read"),
        ("mysql://u:s3cret-word@h/x?local_infile=1", "behind a ? only"),
        ("", "PROOF_MARIADB_URL is not set"),
    ):
        monkeypatch.setenv("PROOF_MARIADB_URL", address)
        proofs.forget()
        began = time.monotonic()
        reason = proofs.obstacle(connector)
        assert words in reason
        assert "s3cret-word" not in reason
        assert not proofs.is_refused(connector)
        assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("GRANT USAGE ON *.* TO `r`@`%` IDENTIFIED BY PASSWORD '*ABC' WITH MAX_STATEMENT_TIME 5.000000", []),
        ("GRANT USAGE ON *.* TO `r`@`%` REQUIRE SSL WITH MAX_USER_CONNECTIONS 8 MAX_STATEMENT_TIME 5.0", []),
        ("GRANT SELECT, SHOW VIEW ON `shop`.`orders` TO `r`@`%`", []),
        ("GRANT SELECT (`id`, `note`) ON `shop`.`orders` TO `r`@`%`", []),
        (r"GRANT SELECT ON `my\_app`.* TO `r`@`%`", []),
        ("GRANT SELECT (`id`), INSERT (`id`, `note`) ON `shop`.`orders` TO `r`@`%`", ["privilege"]),
        ("GRANT BACKUP_ADMIN,CLONE_ADMIN ON *.* TO `r`@`%`", ["privilege", "privilege"]),
        ("GRANT `app_write`@`%` TO `r`@`%`", ["membership"]),
        ("GRANT USAGE ON *.* TO `r`@`%` WITH GRANT OPTION", ["grant_option"]),
        ("GRANT USAGE ON *.* TO `r`@`%` WITH SURPRISE", ["unreadable_grant"]),
        ("REVOKE INSERT ON `mysql`.* FROM `r`@`%`", ["unreadable_grant"]),
        ("GRANT PROXY ON ''@'' TO 'r'@'localhost' WITH GRANT OPTION", ["proxy", "grant_option"]),
        ("SOMETHING ELSE", ["unreadable_grant"]),
        ("GRANT SELECT ON FUNCTION `shop`.`f` TO `r`@`%`", ["privilege"]),
    ],
)
def test_each_form_of_a_row_is_read_or_refused(row: str, found: list[str]) -> None:
    assert [finding.check for finding in granted(row)] == found
