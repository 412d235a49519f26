"""`manage.py tools` and `manage.py readerrole`: what they print, what they refuse."""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from psycopg.conninfo import make_conninfo

from accounts.models import User
from accounts.roles import Role
from tests.db import attempted
from tests.servers import Postgres
from toolbox import acknowledgements, checking, proofs, registry
from toolbox.connectors.postgres import PostgresConnector
from toolbox.deadline import Deadline
from toolbox.proofrows import ToolAcknowledgement

pytestmark = pytest.mark.django_db
CONNECTORS = "connectors: {shop: {kind: postgres, title: Shop, dsn_env: COMMAND_READER_URL}}\n"
TOOL = """
  - name: {name}
    title: {name}
    description: For tests.
    input: {{type: object, additionalProperties: false, properties: {{order_id: {{type: {type}}}}}}}
    output: {{type: object}}
    shape: one
    key: order
    sql: {sql}
    control: SELECT true AS holds
"""
FIND = "SELECT id, note FROM app.orders WHERE id::text = %(order_id)s::text"


@pytest.fixture(scope="module")
def reader_dsn(postgres_server: Postgres) -> Iterator[str]:
    with attempted.database(postgres_server) as dsn:
        yield dsn


@pytest.fixture
def load(
    reader_dsn: str, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., None]]:
    monkeypatch.setenv("COMMAND_READER_URL", reader_dsn)
    (tmp_path / "connectors.yaml").write_text(CONNECTORS)
    settings.TRIAGE_TOOLS = [tmp_path / "tools.yaml"]
    settings.TRIAGE_CONNECTORS = str(tmp_path / "connectors.yaml")

    def write(**questions: str) -> None:
        tools = [
            TOOL.format(name=name, sql=sql, type="integer" if "bigint" in sql else "string")
            for name, sql in questions.items()
        ]
        if (tmp_path / "tools.yaml").exists():
            registry.current().close()
        (tmp_path / "tools.yaml").write_text("connector: shop\ntools:\n" + "".join(tools))
        registry.current.cache_clear()
        acknowledgements.forget()
        proofs.forget()

    write(find_order=FIND)
    yield write
    registry.current().close()
    registry.current.cache_clear()
    proofs.forget()
    acknowledgements.forget()


def run(*words: str, command: str = "tools", **options: Any) -> str:
    out = io.StringIO()
    call_command(command, *words, stdout=out, **options)
    return out.getvalue()


def test_a_tool_is_tried_with_its_result_type_time_and_entry(load: Callable[..., None]) -> None:
    printed = run("try", "find_order", "--arg", "order_id=7")
    assert '"note": "note 7"' in printed
    assert "type     observed" in printed
    assert " ms" in printed
    number = int(printed.partition("entry    ")[2])
    from audit import reading

    stored = reading.entry(number)
    assert stored is not None
    assert stored.actor == "command:tools try"


def test_an_argument_that_is_no_text_is_read_as_json(load: Callable[..., None]) -> None:
    load(find_order="SELECT id FROM app.orders WHERE id = %(order_id)s::bigint")
    assert '"id": 7' in run("try", "find_order", "--arg", "order_id=7")
    assert "type     empty" in run("try", "find_order", "--arg", "order_id=12345")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["try", "nonesuch"], "There is no tool named 'nonesuch'"),
        (["try", "find_order", "--arg", "order_id"], "write it as KEY=VALUE"),
        (["acknowledge", "find_order", "--by", "nobody"], "There is no person 'nobody'"),
        (["acknowledge", "find_order", "--by", "grace"], "acknowledged by administrators"),
        (["acknowledge", "nonesuch", "--by", "ada"], "There is no tool named 'nonesuch'"),
        (["acknowledge", "--by", "ada"], "Name the tools, or give --all"),
        (["acknowledge", "find_order", "--by", "ada"], "was never asked"),
        (["check", "nonesuch"], "1 of the above"),
    ],
)
def test_what_cannot_be_done_is_said(
    load: Callable[..., None], make_user: Callable[..., User], words: list[str], said: str
) -> None:
    make_user("ada", role=Role.ADMINISTRATOR)
    make_user("grace", role=Role.MANAGER)
    with pytest.raises(CommandError, match=said):
        run(*words)


def test_check_proves_the_credential_and_has_every_question_read_by_the_server(
    load: Callable[..., None],
) -> None:
    printed = run("check")
    assert "ok      shop" in printed
    assert "its credential is proven to only read in " in printed
    assert "its question was read by the server" in printed


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT nonesuch FROM app.orders", 'column "nonesuch" does not exist'),
        ("DELETE FROM app.orders RETURNING id", "syntax error"),
        ("SELECT 1 AS a; DROP TABLE app.orders", "cannot insert multiple commands"),
        (
            "WITH d AS (DELETE FROM app.orders RETURNING id) SELECT id FROM d",
            "DECLARE CURSOR must not contain",
        ),
        ("SELECT * FROM app.mv WHERE %(order_id)s::text = ''", "may not read this"),
        ("SELECT 1 AS n", "a placeholder stands where the database sees none"),
    ],
)
def test_check_refuses_what_the_server_would_not_run(load: Callable[..., None], sql: str, said: str) -> None:
    load(find_order=f"{FIND} AND EXISTS (SELECT 1)", odd=f'"{sql} /* %(order_id)s::text */"')
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 of the above cannot be asked as they are"):
        call_command("tools", "check", stdout=out)
    line = next(line for line in out.getvalue().splitlines() if line.startswith("FAILING odd"))
    assert said in line


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("SELECT id, note", "SELECT id, id, note", "two columns of the answer have the same name"),
        ("SELECT true AS holds", "SELECT 1 AS holds", "no boolean column `holds`"),
        ("SELECT true AS holds", "SELECT true", "no boolean column `holds`"),
        ("{type: object}", "{type: object, properties: {order: {required: [total]}}}", "requires 'total'"),
        ("shape: one", "shape: one\n    redact: [order.nota]", "'order.nota'.*nothing would be hidden"),
        ("shape: one", "shape: one\n    redact: [note, order.id, order_id, order]", ""),
    ],
)
def test_check_names_what_every_answer_would_lack(
    load: Callable[..., None], tmp_path: Path, old: str, new: str, said: str
) -> None:
    text = (tmp_path / "tools.yaml").read_text()
    assert old in text
    (tmp_path / "tools.yaml").write_text(text.replace(old, new))
    registry.current().close()
    registry.current.cache_clear()
    lines = list(checking.checked(registry.current(), ["find_order"]))
    assert lines[-1].is_well is not bool(said)
    assert re.search(said, lines[-1].seen)


def test_what_lies_inside_a_column_of_json_may_be_redacted(load: Callable[..., None], tmp_path: Path) -> None:
    load(find_order=FIND.replace("note", "to_jsonb(orders) AS kept"))
    text = (tmp_path / "tools.yaml").read_text()
    (tmp_path / "tools.yaml").write_text(text.replace("shape: one", "shape: one\n    redact: [kept.note]"))
    registry.current().close()
    registry.current.cache_clear()
    assert all(line.is_well for line in checking.checked(registry.current()))


def test_a_changed_tool_is_shown_and_acknowledged(
    load: Callable[..., None], make_user: Callable[..., User]
) -> None:
    make_user("ada", role=Role.ADMINISTRATOR)
    run("try", "find_order", "--arg", "order_id=7")
    assert "may be asked" in run("list")
    load(find_order=f"{FIND} AND true")
    assert "changed, waits" in run("list")
    shown = run("check")
    assert '+ "sql": "SELECT id, note FROM app.orders WHERE id::text = %(order_id)s::text AND true"' in shown
    assert "type     refused" in run("try", "find_order", "--arg", "order_id=7")
    assert "find_order may be asked as it stands" in run("acknowledge", "--all", "--by", "ada")
    assert "Nothing waits" in run("acknowledge", "--all", "--by", "ada")
    assert "type     observed" in run("try", "find_order", "--arg", "order_id=7")
    assert ToolAcknowledgement.objects.latest("pk").acknowledged_by == "person:ada"


def test_readerrole_prints_a_role_that_is_proven(
    postgres_server: Postgres, reader_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    common = ("app.orders", "app.customers", "--database", attempted.DATABASE, "--owner", attempted.OWNER)
    printed = run(*common, "--role", "printed_reader", command="readerrole")
    assert 'GRANT SELECT ON "app"."orders", "app"."customers" TO "printed_reader"' in printed
    monkeypatch.setenv("OWNER_ADDRESS", postgres_server.dsn(attempted.DATABASE))
    monkeypatch.setenv("READER_WORD", "a 'quoted' word")
    try:
        said = run(
            *common, "--role", "printed_reader", "--apply", "OWNER_ADDRESS", "--password", "READER_WORD",
            command="readerrole",
        )  # fmt: skip
        assert said.startswith("printed_reader may read 2 tables")
        dsn = make_conninfo(
            postgres_server.dsn(attempted.DATABASE), user="printed_reader", password="a 'quoted' word"
        )
        monkeypatch.setenv("PRINTED_READER_URL", dsn)
        made = PostgresConnector("printed", "Printed", "PRINTED_READER_URL")
        found = [one for one in made.prove(Deadline(10)).findings if not one.warning]
        made.close()
        with psycopg.connect(dsn) as reading:
            (row,) = reading.execute("SELECT current_schemas(true)::text[]")
    finally:
        with psycopg.connect(postgres_server.dsn(attempted.DATABASE), autocommit=True) as link:
            link.execute("DROP OWNED BY printed_reader")
            link.execute("DROP ROLE printed_reader")
    assert found == []
    assert row == (["pg_catalog", "app"],), "what others write in a schema may stand for the server's own"


def test_readerrole_on_a_managed_server_leaves_what_can_only_be_acknowledged(
    postgres_server: Postgres, reader_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = make_conninfo(postgres_server.dsn("managed_shop"), user="managed_admin")
    with psycopg.connect(postgres_server.dsn("postgres"), autocommit=True) as link:
        link.execute("CREATE ROLE managed_admin LOGIN CREATEDB CREATEROLE")
        link.execute("CREATE DATABASE managed_shop OWNER managed_admin")
    try:
        with psycopg.connect(admin, autocommit=True) as link:
            link.execute("CREATE SCHEMA app; CREATE TABLE app.orders(id int)")
        monkeypatch.setenv("OWNER_ADDRESS", admin)
        run(
            "app.orders", "--database", "managed_shop", "--owner", "managed_admin", "--role",
            "managed_reader",
            "--managed", "--apply", "OWNER_ADDRESS", command="readerrole",
        )  # fmt: skip
        dsn = make_conninfo(postgres_server.dsn("managed_shop"), user="managed_reader")
        monkeypatch.setenv("MANAGED_READER_URL", dsn)
        made = PostgresConnector("managed", "Managed", "MANAGED_READER_URL")
        found = [one for one in made.prove(Deadline(10)).findings if not one.warning]
        made.close()
    finally:
        with psycopg.connect(postgres_server.dsn("postgres"), autocommit=True) as link:
            link.execute("DROP DATABASE managed_shop WITH (FORCE)")
            link.execute("DROP ROLE managed_reader")
            link.execute("DROP ROLE managed_admin")
    assert [one for one in found if not one.residual and one.check != "schema_create"] == []
    assert {one.residual for one in found if one.residual} >= {
        "advisory_locks", "notify", "own_settings", "large_objects", "temporary_files",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["orders", "--database", "d", "--owner", "o"], "'orders' names no schema"),
        (["app.o'rders", "--database", "d", "--owner", "o"], "is no name for a role, schema or table"),
        (["app.orders", "--database", "d"], "Name the role that owns the tables"),
        (["app.orders", "--database", "d", "--owner", "o", "--apply", "NOT_SET"], "NOT_SET is not set"),
        (["app.orders", "--database", "d", "--owner", "o", "--password", "X"], "with --apply only"),
        (["o`", "--database", "d", "--engine", "mariadb"], "is no name for an account"),
    ],
)
def test_readerrole_refuses_what_it_cannot_do(words: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        run(*words, command="readerrole")


def test_readerrole_says_nothing_of_the_owners_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWNER_ADDRESS", "postgresql://o:s3cret-word@/x?host=/nonexistent")
    with pytest.raises(CommandError) as refusal:
        run("app.orders", "--database", "d", "--owner", "o", "--apply", "OWNER_ADDRESS", command="readerrole")
    assert "s3cret-word" not in str(refusal.value)


def test_readerrole_changes_no_other_database_than_the_one_that_is_named(
    postgres_server: Postgres, reader_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWNER_ADDRESS", postgres_server.dsn(attempted.DATABASE))
    words = ("app.orders", "--database", "postgres", "--owner", attempted.OWNER, "--role", "strayed_reader")
    with pytest.raises(
        CommandError, match=f"leads to the database {attempted.DATABASE}.*nothing was changed"
    ):
        run(*words, "--apply", "OWNER_ADDRESS", command="readerrole")
    with psycopg.connect(postgres_server.dsn(attempted.DATABASE)) as link:
        found = link.execute("SELECT 1 FROM pg_roles WHERE rolname = 'strayed_reader'").fetchall()
    assert found == []


def test_readerrole_prints_an_account_for_mariadb() -> None:
    printed = run(
        "orders", "billing.invoices", "--database", "shop", "--engine", "mariadb", command="readerrole"
    )
    assert "GRANT SELECT ON `billing`.`invoices` TO `assay_reader`@'%';" in printed
    assert "GRANT SELECT ON `shop`.`orders` TO" in printed
    assert "MAX_STATEMENT_TIME 5" in printed
