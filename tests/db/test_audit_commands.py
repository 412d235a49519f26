"""The commands around the seal: what they print, refuse, and leave behind."""

import io
import stat
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from assay_core import verify as offline
from assay_core.notes import SigningKey, Verifier
from assay_core.sealed import read_proofs
from audit import reading, tasks
from audit.keys import KeyUnusable, signing_key, verifiers
from audit.writing import write
from triage.local import signing
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
    committed_db: None, settings: Any, tmp_path: Path
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
