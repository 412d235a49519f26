"""Checkpoints reach the places outside, are tried again, and another log there is said loudly."""

import logging
import subprocess
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from assay_core.merkle import EMPTY_ROOT
from assay_core.notes import SigningKey, checkpoint_body, split_notes
from audit import exporting, publishing, sealing
from audit.places import Place, PlaceFailed, PlaceUnknown, parsed
from audit.places.repository import BRANCH
from audit.publishing import Publication
from audit.writing import write
from tests.conftest import require_program

KEY = SigningKey.make("log.example/audit")


@pytest.fixture(autouse=True)
def _sealed(committed_db: None, settings: Any) -> None:
    settings.AUDIT_VERIFIER = [KEY.verifier.text]
    grow()


def grow() -> str:
    """Add an entry, seal it, return the note of the new checkpoint."""
    write("thing.done", {}, actor="system")
    sealing.seal_all(KEY)
    return exporting.newest_checkpoint().note


def publish(place: Place) -> Publication:
    """Publish as if every earlier attempt were long ago."""
    later = timezone.now() + timedelta(days=2)
    (done,) = publishing.publish_due(to=[place], verifiers=[KEY.verifier], now=later)
    return done


def forged(size: int) -> str:
    return KEY.sign(checkpoint_body(KEY.name, size, EMPTY_ROOT))


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize(
    "text",
    [
        "", "/var/log/x", "ftp://host/x", "http://example.com/x", "file://host/x", "file:relative",
        "git:relative", "mailto:nobody", "https://", "file:///x?every=soon", "file:///x?every=0",
        "https://[::1/x",
    ],
)  # fmt: skip
def test_a_text_that_names_no_place_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(PlaceUnknown, match="AUDIT_PLACES"):
        parsed(text)


def test_a_place_shows_no_password_and_no_query() -> None:
    place = parsed("https://user:secret@bucket.example/log?sig=abc&every=7", put_token="token")
    assert place.name == "https://bucket.example/log"
    assert "secret" not in repr(place)
    assert "token" not in repr(place)
    assert place.every == 7
    assert parsed("file:///x").every == 60


def test_a_file_is_appended_to_and_never_rewritten(tmp_path: Path) -> None:
    place = parsed(f"file://{tmp_path}/copies")
    first = exporting.newest_checkpoint().note
    assert publish(place).outcome == "published"
    second = grow()
    assert publish(place).outcome == "published"
    assert split_notes((tmp_path / "copies").read_text()) == (first, second)
    assert place.read() == (first, second)


def test_nothing_new_and_nothing_due_is_not_published_again(tmp_path: Path) -> None:
    place = parsed(f"file://{tmp_path}/copies")
    publish(place)
    assert publishing.publish_due(to=[place], verifiers=[KEY.verifier]) == []
    grow()
    assert publishing.publish_due(to=[place], verifiers=[KEY.verifier]) == [], "not within a minute"


def test_a_place_that_fails_is_recorded_and_tried_again(tmp_path: Path) -> None:
    place = parsed(f"file://{tmp_path}/not/there/copies")
    failed = publish(place)
    assert (failed.outcome, failed.said) == (
        "failed",
        f"{tmp_path}/not/there/copies can't be written: No such file or directory",
    )
    assert publishing.publish_due(to=[place], verifiers=[KEY.verifier]) == [], "not at once"
    (tmp_path / "not" / "there").mkdir(parents=True)
    assert publish(place).outcome == "published"
    last = publishing.latest_of(place.name)
    assert last is not None
    assert last.outcome == "published"


@pytest.mark.parametrize(
    ("size", "said"), [(1, "at size 1 it was another log"), (9, "a log of 9 entries was published there")]
)
def test_a_place_with_another_log_is_said_loudly_and_not_written_to(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, size: int, said: str
) -> None:
    file = tmp_path / "copies"
    file.write_text(forged(size))
    place = parsed(f"file://{file}")
    with caplog.at_level(logging.CRITICAL):
        done = publish(place)
    assert done.outcome == "diverged"
    assert said in done.said
    assert "ARE TWO LOGS" in caplog.text
    assert file.read_text() == forged(size)


def test_a_place_with_somebody_elses_checkpoint_has_diverged(tmp_path: Path) -> None:
    (tmp_path / "copies").write_text(SigningKey.make(KEY.name).sign(checkpoint_body(KEY.name, 1, EMPTY_ROOT)))
    assert publish(parsed(f"file://{tmp_path}/copies")).outcome == "diverged"


def test_a_file_that_ends_in_the_middle_fails_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "copies").write_text(exporting.newest_checkpoint().note[:-30])
    done = publish(parsed(f"file://{tmp_path}/copies"))
    assert done.outcome in ("failed", "diverged")


def test_a_repository_gets_a_commit_for_each_and_its_remote_too(tmp_path: Path) -> None:
    require_program("git")
    remote, local = tmp_path / "remote.git", tmp_path / "local"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    subprocess.run(["git", "init", "-q", str(local)], check=True)
    git(local, "remote", "add", "origin", str(remote))
    place = parsed(f"git:{local}")
    first = exporting.newest_checkpoint().note
    done = publish(place)
    assert done.outcome == "published", done.said
    assert "pushed" in done.said
    second = grow()
    assert publish(place).outcome == "published"
    assert git(remote, "show", f"{BRANCH}:checkpoint") == second
    assert git(remote, "rev-list", "--count", BRANCH).strip() == "2"
    assert set(place.read()) == {first, second}
    assert git(local, "status", "--porcelain").strip() == ""


def test_a_remote_that_holds_another_log_has_diverged(tmp_path: Path) -> None:
    require_program("git")
    remote, local, other = tmp_path / "remote.git", tmp_path / "local", tmp_path / "other"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    for folder in (local, other):
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        git(folder, "remote", "add", "origin", str(remote))
    parsed(f"git:{other}").publish(forged(7))
    before = git(remote, "rev-parse", BRANCH)
    done = publish(parsed(f"git:{local}"))
    assert done.outcome == "diverged"
    assert "a log of 7 entries" in done.said
    assert git(remote, "rev-parse", BRANCH) == before


def test_what_is_no_repository_fails_with_gits_own_words(tmp_path: Path) -> None:
    require_program("git")
    done = publish(parsed(f"git:{tmp_path}"))
    assert done.outcome == "failed"
    assert "not a git repository" in done.said


@pytest.fixture
def bucket() -> Iterator[tuple[str, dict[str, Any]]]:
    """A server that keeps what is PUT; `kept["status"]` makes it answer otherwise."""
    kept: dict[str, Any] = {"status": 201, "bodies": {}, "tokens": []}

    class Bucket(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            kept["tokens"].append(self.headers.get("Authorization"))
            if kept["status"] < 300:
                kept["bodies"][self.path] = body
            self._answer(kept["status"], b"")

        def do_GET(self) -> None:
            body = kept["bodies"].get(self.path)
            self._answer(404 if body is None else 200, (body or "").encode())

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if status == 302:
                self.send_header("Location", "/elsewhere")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", kept
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_bucket_is_put_to_with_its_token_and_read_back(bucket: tuple[str, dict[str, Any]]) -> None:
    address, kept = bucket
    place = parsed(f"{address}/log", put_token="secret")
    note = exporting.newest_checkpoint().note
    assert publish(place).outcome == "published"
    assert kept["bodies"] == {"/log": note}
    assert kept["tokens"] == ["Bearer secret"]
    assert place.read() == [note]
    kept["bodies"]["/log"] = forged(5)
    grow()
    assert publish(place).outcome == "diverged"


def test_each_checkpoint_may_have_an_address_of_its_own(bucket: tuple[str, dict[str, Any]]) -> None:
    address, kept = bucket
    place = parsed(f"{address}/log/{{size}}")
    publish(place)
    grow()
    publish(place)
    assert sorted(kept["bodies"]) == ["/log/1", "/log/2"]
    assert not place.can_be_read


@pytest.mark.parametrize("status", [302, 403, 500])
def test_a_bucket_that_refuses_is_a_failure(bucket: tuple[str, dict[str, Any]], status: int) -> None:
    address, kept = bucket
    kept["status"] = status
    done = publish(parsed(f"{address}/log"))
    assert (done.outcome, done.said) == ("failed", f"PUT was answered {status}")
    assert kept["bodies"] == {}


def test_a_bucket_that_is_down_is_a_failure_without_its_address() -> None:
    done = publish(parsed("http://127.0.0.1:9/log?sig=secret"))
    assert done.outcome == "failed"
    assert "secret" not in done.said


def test_a_mailbox_gets_the_checkpoint_as_words_and_as_a_file() -> None:
    note = exporting.newest_checkpoint().note
    assert publish(parsed("mailto:auditor@example.com")).outcome == "published"
    (sent,) = mail.outbox
    assert sent.to == ["auditor@example.com"]
    assert note in sent.body
    assert sent.attachments[0][1] == note


def test_a_mail_server_that_is_down_is_a_failure(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    done = publish(parsed("mailto:auditor@example.com"))
    assert done.outcome == "failed"
    assert "mail server" in done.said


def test_a_place_that_is_gone_can_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(PlaceFailed, match="is not there"):
        parsed(f"file://{tmp_path}/gone").read()
