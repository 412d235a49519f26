"""docs/howto/write-a-rule.md, followed to the letter in a folder outside, against running processes."""

import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

from accounts.roles import Role
from incidents.models import Incident
from investigations.models import Verdict
from tests.conftest import require_program, wait_until
from tests.db import shop
from tests.servers import ROOT

PAGE = (ROOT / "docs" / "howto" / "write-a-rule.md").read_text(encoding="utf-8")
PASSWORD = "a long test password"


def blocks(language: str) -> list[str]:
    """Return the page's fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


class Reader:
    """Somebody who does what the page says, with a home folder of their own."""

    def __init__(self, home: Path, environment: dict[str, str]) -> None:
        self.pack = home / "assay-rules"
        self._environment = {**environment, "HOME": str(home)}

    def runs(self, words: str, *, code: int = 0, **variables: str) -> str:
        """Run the one shell block that holds these words; return what it said."""
        (script,) = (block for block in blocks("sh") if words in block)
        script = script.replace(".venv/bin/python", sys.executable)
        done = subprocess.run(
            ["bash", "-euc", script],
            cwd=ROOT,
            env={**self._environment, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def writes(self) -> None:
        """Write the rule and its cases as they stand on the page."""
        (rule,), (cases,) = blocks("python"), blocks("json")
        (self.pack / "job_finished_late.py").write_text(rule, encoding="utf-8")
        (self.pack / "job_finished_late.cases.json").write_text(cases, encoding="utf-8")


@pytest.fixture
def shop_variables(superuser_dsn: str, committed_db: None, tmp_path: Path) -> dict[str, str]:
    """What lets processes ask the example shop."""
    logs = tmp_path / "logs"
    shop.load(superuser_dsn, logs, now=datetime.now(UTC).replace(microsecond=0))
    return {
        "SHOP_READER_URL": shop.reader_dsn(superuser_dsn),
        "SHOP_LOGS": str(logs),
        "TRIAGE_TOOLS": str(shop.SHOP / "tools"),
        "TRIAGE_CONNECTORS": str(shop.SHOP / "connectors.yaml"),
    }


@pytest.fixture
def reader(process_environment: dict[str, str], shop_variables: dict[str, str], tmp_path: Path) -> Reader:
    return Reader(tmp_path, {**process_environment, **shop_variables})


def rules_page(address: str) -> str:
    """Sign in over HTTP as ada, and return the page of the rules."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    form = browser.open(f"{address}/sign-in/?next=/rules/", timeout=20).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)
    assert token
    values = {"csrfmiddlewaretoken": token[1], "username": "ada", "password": PASSWORD}
    request = urllib.request.Request(
        f"{address}/sign-in/?next=/rules/", urllib.parse.urlencode(values).encode(), {"Referer": address}
    )
    page: str = browser.open(request, timeout=20).read().decode()
    return page


def test_the_page_alone_is_enough_to_write_prove_and_load_a_rule(
    reader: Reader,
    shop_variables: dict[str, str],
    start_web: Callable[..., str],
    start_worker: Callable[..., Any],
    make_user: Callable[..., Any],
) -> None:
    make_user("ada", role=Role.SUPPORT, password=PASSWORD)
    assert "Until it is finished it earns nothing." in reader.runs("newrule")
    assert "NOT PROVEN" in reader.runs("proverules ~/assay-rules\n", code=1)
    reader.writes()
    assert "1 rule, 1 proven." in reader.runs("proverules ~/assay-rules\n")
    assert "1 rule, 1 proven." in reader.runs("--write-tools")
    assert "no issues" in reader.runs("export TRIAGE_RULES")

    loaded = {**shop_variables, "TRIAGE_RULES": str(reader.pack)}
    start_worker("upkeep", "investigate", **loaded)
    address = start_web(**loaded)
    secret = re.search(r"shown this once:\n(\S+)", reader.runs("addsource"))
    assert secret
    answer = posts(address, secret[1])
    assert answer["delivery"]
    wait_until(lambda: Incident.objects.filter(state="review").exists(), seconds=60)
    judged = Verdict.objects.get()
    assert (judged.passed, judged.hypothesis) == (True, "job_finished_late")
    assert "job finished late" in rules_page(address).lower()

    source = reader.pack / "job_finished_late.py"
    source.write_text(source.read_text(encoding="utf-8").replace('completed"', "completed"), encoding="utf-8")
    said = reader.runs("export TRIAGE_RULES")
    assert "(verdicts.W001) The rule job_finished_late is not loaded" in said
    broken = start_web(**loaded)
    page = rules_page(broken)
    assert "job_finished_late.py is not Python" in page
    assert "Transient upstream timeout" in page


def posts(address: str, secret: str) -> dict[str, Any]:
    """Post the page's alert, to the address at which this web process answers."""
    require_program("curl")
    (script,) = (block for block in blocks("sh") if "curl" in block)
    done = subprocess.run(
        ["bash", "-euc", script.replace("http://localhost:8000", address)],
        env={**os.environ, "SECRET": secret},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
