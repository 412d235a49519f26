"""The commands around the seal: what they print, refuse, and leave behind."""

import io
import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings as settings_of_the_project
from django.core.management import CommandError, call_command

from assay_core import verify as offline
from assay_core.notes import SigningKey, Verifier
from assay_core.sealed import read_proofs
from audit import reading, tasks
from audit.keys import KeyUnusable, signing_key, verifiers
from audit.writing import write
from tests.servers import Servers
from triage.local import signing
from triage.local.postgres import find_binaries
from triage.local.refusals import CannotStart


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=out)
    return out.getvalue()


def test_a_key_is_made_for_its_owner_alone_and_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "key"
    said = run("auditkey", str(file), "--name", "log.example/audit")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    key = SigningKey.read(file.read_text())
    assert f"AUDIT_VERIFIER={key.verifier.text} " in said
    assert key.text not in said
    with pytest.raises(CommandError, match="never overwritten"):
        run("auditkey", str(file), "--name", "log.example/audit")
    with pytest.raises(CommandError, match="can't name a log"):
        run("auditkey", str(tmp_path / "other"), "--name", "a b")
    with pytest.raises(CommandError, match="can't be made"):
        run("auditkey", str(tmp_path / "not" / "there"), "--name", "a")


def test_the_key_is_read_from_a_file_or_from_the_variable_itself(tmp_path: Path, settings: Any) -> None:
    key = SigningKey.make("log.example/audit")
    (tmp_path / "key").write_text(f"{key.text}\n")
    for value in (key.text, str(tmp_path / "key")):
        settings.AUDIT_SIGNING_KEY = value
        assert signing_key() == key
        assert verifiers() == (key.verifier,)


@pytest.mark.parametrize("value", ["/not/there", "PRIVATE+KEY+x", "/proc/version", "/"])
def test_a_key_that_cannot_be_used_is_said_without_repeating_it(settings: Any, value: str) -> None:
    settings.AUDIT_SIGNING_KEY = value
    with pytest.raises(KeyUnusable, match="AUDIT_SIGNING_KEY"):
        signing_key()


def test_without_a_key_the_task_does_nothing_and_the_command_says_so(
    committed_db: None, settings: Any
) -> None:
    settings.AUDIT_SIGNING_KEY = ""
    tasks.seal()
    with pytest.raises(CommandError, match="auditkey"):
        run("seal")


def test_seal_verify_and_export_from_the_command_line(
    committed_db: None, settings: Any, tmp_path: Path, superuser_dsn: str
) -> None:
    key = SigningKey.make("log.example/audit")
    settings.AUDIT_SIGNING_KEY, settings.AUDIT_PLACES = key.text, [f"file://{tmp_path}/copies"]
    numbers = [str(write("thing.done", {"n": n}, actor="system").id) for n in range(5)]
    said = run("seal", "--batch", "2")
    assert "5 entries sealed; every entry is sealed." in said
    assert "published at 5 entries" in said
    assert "INTACT" in run("verify_audit", "--record")
    tasks.seal()
    tasks.verify()
    tasks.publish()
    kinds = [entry.kind for n in range(6, 9) if (entry := reading.entry(n))]
    assert kinds == ["log.verified", "log.verified"]

    def exported(*arguments: str) -> str:
        out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
        run("exportaudit", *arguments, "--out", str(out))
        return out.read_text()

    keys = [key.verifier]
    checkpoint = exported("checkpoint", "--at", "4")
    assert offline.check_proofs(exported("entries", *numbers), keys).code == 0
    assert offline.check_export(exported("span", "1", "3", "--at", "4"), checkpoint, keys).code == 0
    assert offline.check_growth(checkpoint, exported("growth", "4", "5"), keys).code == 0
    (closed,) = read_proofs(exported("entries", numbers[0], "--no-payload"))
    assert closed.disclosed.payload is None

    half = tmp_path / "half"
    for _ in range(2):  # what a failed export leaves would stand in the way of the next
        with pytest.raises(CommandError, match=r"There is no entry 999\."):
            run("exportaudit", "entries", numbers[0], "999", "--out", str(half))
    assert not half.exists()
    late = write("thing.done", {}, actor="system").id
    with pytest.raises(CommandError, match=f"Entry {late} is not under the seal of"):
        run("exportaudit", "entries", str(late))
    with psycopg.connect(superuser_dsn) as link:
        link.execute("ALTER TABLE audit_entry DISABLE TRIGGER ALL")
        link.execute("DELETE FROM audit_entry WHERE id = %s", [numbers[1]])
    with pytest.raises(CommandError, match=f"Entry {numbers[1]} was sealed, and is gone.*verify_audit"):
        run("exportaudit", "entries", *numbers)


@pytest.mark.django_db
def test_the_role_of_the_docs_can_take_a_backup_and_the_owner_cannot(
    servers: Servers, superuser_dsn: str, tmp_path: Path
) -> None:
    page = (Path(settings_of_the_project.BASE_DIR) / "docs/howto/back-up-and-restore.md").read_text()
    (text,) = re.findall(r"```\n(CREATE ROLE .*?)```", page, re.DOTALL)

    def dumped(role: str) -> subprocess.CompletedProcess[str]:
        words = [str(find_binaries() / "pg_dump"), "--format=custom", f"--file={tmp_path / role}"]
        address = servers.postgres.dsn(servers.database, role)
        return subprocess.run([*words, address], capture_output=True, text=True, check=False)

    with psycopg.connect(superuser_dsn, autocommit=True) as link:
        link.execute(text.replace("DATABASE assay", f'DATABASE "{servers.database}"').encode())
        try:
            assert dumped("assay_backup").stderr == ""
            assert dumped("assay_owner").returncode != 0
        finally:
            link.execute("DROP OWNED BY assay_backup; DROP ROLE assay_backup")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["checkpoint"], "No checkpoint was signed yet"),
        (["growth", "1", "2"], "No checkpoint of size 2"),
        (["entries"], "entries take ids"),
        (["span", "1"], "span the first and last leaf"),
    ],
)
def test_an_export_of_what_is_not_there_says_why(
    committed_db: None, arguments: list[str], reason: str
) -> None:
    with pytest.raises(CommandError, match=reason):
        run("exportaudit", *arguments)


def test_the_roles_are_printed_for_somebodys_own_server() -> None:
    said = run("auditroles", "--database-name", "my-assay")
    assert "CREATE ROLE assay_audit NOLOGIN" in said
    assert 'CREATE DATABASE "my-assay" OWNER assay_owner' in said
    assert "\\connect my-assay" in said


def test_the_embedded_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    first = signing.variables(tmp_path)
    assert signing.variables(tmp_path) == first
    assert stat.S_IMODE((tmp_path / "audit-signing-key").stat().st_mode) == 0o600
    assert SigningKey.read(first["AUDIT_SIGNING_KEY"]).verifier == Verifier.read(first["AUDIT_VERIFIER"])
    (tmp_path / "audit-signing-key").write_text("damaged")
    with pytest.raises(CannotStart, match="demo-reset"):
        signing.variables(tmp_path)
