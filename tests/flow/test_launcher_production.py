"""The production profile, started as it is: strict about its key, clean under Django's deployment check."""

import os
import subprocess
import sys

from tests.servers import ROOT

GOOD = {
    "PROFILE": "production",
    "SECRET_KEY": "0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOP",
    "BASE_URL": "https://assay.example.org",
    "ALLOWED_HOSTS": "assay.example.org",
    "DATABASE_URL": "postgres://assay_app@127.0.0.1:1/assay",
    "DATABASE_OWNER_URL": "postgres://assay_owner@127.0.0.1:1/assay",
}


def _check(**variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_production_refuses_the_default_key_and_says_how_to_make_one() -> None:
    done = _check(**{name: value for name, value in GOOD.items() if name != "SECRET_KEY"})
    assert done.returncode != 0
    assert "SECRET_KEY" in done.stderr
    assert "secrets.token_urlsafe" in done.stderr


def test_production_does_not_run_with_debug() -> None:
    assert "DEBUG" in _check(**GOOD, DEBUG="1").stderr


def test_the_production_profile_passes_the_deployment_check() -> None:
    done = _check(**GOOD)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout
