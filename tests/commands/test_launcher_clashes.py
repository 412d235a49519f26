"""What stands in the way of a start is answered with a sentence that says what to do."""

import socket
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from triage.local import bootstrap, passwords, ports
from triage.local.claim import Claim, make_folder
from triage.local.refusals import CannotStart, because
from triage.local.servers import Servers
from triage.local.start import connector_names
from triage.local.world import World, admin_dsn


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_port_that_was_asked_for_and_is_taken_is_named(taken_port: int) -> None:
    with pytest.raises(CannotStart, match=rf"Port {taken_port} is taken .* PORT="):
        ports.choose({"PORT": str(taken_port)})


@pytest.mark.parametrize("word", ["http", "0", "65536", "-1", "80 80"])
def test_what_is_no_port_is_refused(word: str) -> None:
    with pytest.raises(CannotStart, match="use a number from 1 to 65535"):
        ports.choose({"PORT": word})


def test_without_a_wish_a_free_port_is_found() -> None:
    port = ports.choose({})
    assert ports.is_free(port)


def test_a_second_launcher_is_told_where_the_first_one_answers(tmp_path: Path) -> None:
    with Claim(tmp_path) as first:
        first.tell("http://localhost:8123")
        with (
            pytest.raises(CannotStart, match=r"already runs .* at http://localhost:8123 .*kill \d+"),
            Claim(tmp_path),
        ):
            pass
    with Claim(tmp_path):
        pass


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotStart, match=r"cannot be written .* clone to a folder of your own"):
        make_folder(tmp_path / "file" / "local")


def test_a_disk_that_is_nearly_full_is_noticed_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=5 * 2**20))
    with pytest.raises(CannotStart, match=r"5 MB are free .* 300 MB are needed"):
        make_folder(tmp_path)


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("initdb: could not write: No space left on device", "The disk is full: free some space under /data"),
        ("FATAL: database files are incompatible with server", "make demo-reset"),
        ("could not create shared memory segment: Invalid argument", "raise kernel.shmmax"),
        ("mkdir: Read-only file system", "read-only file system: clone"),
    ],
)
def test_what_a_server_says_becomes_what_to_do(output: str, sentence: str) -> None:
    assert sentence in str(because(output, where=Path("/data"), otherwise="It ended."))


def test_what_nobody_foresaw_is_shown_with_its_last_words() -> None:
    assert str(because("a\nb\nPANIC: odd", where=Path("/data"), otherwise="It ended.")).endswith("PANIC: odd")


def test_passwords_are_random_and_for_their_owner_only(tmp_path: Path) -> None:
    first = passwords.keep(tmp_path / "one.json")
    assert stat.S_IMODE((tmp_path / "one.json").stat().st_mode) == 0o600
    assert passwords.keep(tmp_path / "one.json") == first
    assert not set(first.values()) & set(passwords.keep(tmp_path / "two.json").values())


@pytest.mark.parametrize("content", ["", "{", "[]", '{"owner": "x"}'])
def test_a_damaged_file_of_passwords_says_how_to_go_on(tmp_path: Path, content: str) -> None:
    (tmp_path / "secrets.json").write_text(content)
    with pytest.raises(CannotStart, match=r"damaged.*make demo-reset"):
        passwords.keep(tmp_path / "secrets.json")


def test_an_owner_without_an_application_role_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="DATABASE_OWNER_URL is set and DATABASE_URL is not"):
        Servers(tmp_path, {}, {"DATABASE_OWNER_URL": "postgres://x/y"})


def test_a_server_of_ones_own_needs_a_place_for_the_example_shop() -> None:
    with pytest.raises(CannotStart, match="set SHOP_ADMIN_URL"):
        admin_dsn(None, {"DATABASE_URL": "postgres://x/y"})


def test_a_damaged_note_of_the_worlds_now_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "world.json").write_text("{}")
    with pytest.raises(CannotStart, match="make demo-reset"):
        _ = World(tmp_path).now


def test_the_worlds_now_is_fixed_by_the_first_look(tmp_path: Path) -> None:
    assert World(tmp_path).now == World(tmp_path).now


def test_connectors_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "connectors.yaml").write_text("connectors: [")
    with pytest.raises(CannotStart, match=r"TRIAGE_CONNECTORS=.*connectors\.yaml cannot be read"):
        connector_names({"TRIAGE_CONNECTORS": str(tmp_path / "connectors.yaml")})


def _refusal(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().err.split())


def test_an_old_python_is_told_which_one_is_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    with pytest.raises(SystemExit):
        bootstrap._require_python()
    assert "This is Python 3.9, and 3.11 or later is needed" in _refusal(capsys)


def test_a_missing_venv_module_names_the_package_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(SystemExit):
        bootstrap._require_python()
    assert "apt install python3-venv" in _refusal(capsys)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("error: command 'gcc' failed: No such file or directory", "build-essential"),
        ("OSError: [Errno 28] No space left on device", "The disk is full"),
        ("THESE PACKAGES DO NOT MATCH: do not match the hashes", "another file than the locked"),
        ("ERROR: No matching distribution found for x", "lacks a locked version"),
        ("NewConnectionError: Connection refused", "The registry cannot be reached"),
        ("something else", "could not be installed"),
    ],
)
def test_what_pip_says_becomes_what_to_do(
    words: str,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pip = tmp_path / "python"
    pip.write_text(f'#!/bin/sh\necho "{words}"\nexit 1\n')
    pip.chmod(0o755)
    (tmp_path / ".local").mkdir()
    (tmp_path / "requirements.txt").write_text("a==1\n")
    for name, value in (("ROOT", tmp_path), ("VENV", tmp_path), ("PYTHON", pip)):
        monkeypatch.setattr(bootstrap, name, value)
    with pytest.raises(SystemExit):
        bootstrap._install("runtime")
    assert sentence in _refusal(capsys)
    assert not (tmp_path / "installed-runtime").exists()
