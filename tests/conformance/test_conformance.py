"""What the public conformance suite and the Inspector say of our server, by name: `make conformance`."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conformance import programs
from tests.conformance.proxy import adding_token
from tests.conftest import free_port
from tests.servers import Servers
from tests.web import mcp_process
from tests.web.mcp_world import a_token, committed_module

__all__ = ["committed_module"]
APPLICATION = "tests.conformance.asgi:application"

# What a revision requires and we pass: a scenario that starts to fail is missed by name. Prompts, resources
# to read, sampling, elicitation, tasks and logging are not offered by a server of tools that only read.
BOTH = {
    "dns-rebinding-protection", "json-schema-2020-12", "prompts-list", "resources-list", "tools-call-audio",
    "tools-call-embedded-resource", "tools-call-error", "tools-call-image", "tools-call-mixed-content",
    "tools-call-simple-text", "tools-call-with-progress", "tools-list",
}  # fmt: skip
PASSING = {
    "2025-11-25": BOTH | {"ping", "server-initialize", "server-session-lifecycle"},
    "2026-07-28": BOTH | {
        "caching", "http-custom-header-server-validation", "http-header-validation",
        "input-required-result-unsupported-methods", "input-required-result-validate-input",
        "server-sse-multiple-streams", "server-stateless",
    },
}  # fmt: skip
# Two of the 30 checks need tools that elicit and log.
NOT_OFFERED = {
    "server-stateless": {
        "sep-2575-http-server-no-independent-requests-on-stream",
        "sep-2575-server-no-log-without-loglevel",
    },
}
WINDOW = ("--tool-arg", "since=2026-03-01T00:00:00Z", "--tool-arg", "until=2026-03-02T00:00:00Z")


@dataclass(frozen=True, slots=True)
class Served:
    """A running server with the fixture tools, a token for it, and the address that adds the token."""

    address: str
    token: str
    opened: str


@pytest.fixture(scope="module")
def served(
    servers: Servers, committed_module: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server with one tool of ours and the suite's fixture tools."""
    _need_programs()
    direct, proxied = free_port(), free_port()
    more = {
        "DJANGO_SETTINGS_MODULE": "tests.conformance.settings",
        "MCP_ALLOWED_HOSTS": f"localhost:{direct},localhost:{proxied},127.0.0.1:{proxied}",
        "MCP_ALLOWED_ORIGINS": f"http://localhost:{proxied},http://127.0.0.1:{proxied}",
        **mcp_process.variables(tmp_path_factory.mktemp("conformance")),
    }
    with mcp_process.serving(servers, direct, application=APPLICATION, **more) as address:
        token = a_token("conformance", audience=address)
        with adding_token(direct, token, at=proxied):
            yield Served(f"{address}/mcp", token, f"http://127.0.0.1:{proxied}/mcp")


def _need_programs() -> None:
    if programs.is_installed():
        return
    sentence = "needs the suite that `make conformance` installs"
    if os.environ.get("REQUIRE_ALL") == "1":
        pytest.fail(f"{sentence} (REQUIRE_ALL=1 makes this a failure)")
    pytest.skip(sentence)


@pytest.mark.parametrize("revision", sorted(PASSING))
def test_the_suite_passes_what_we_say_it_passes(served: Served, revision: str, tmp_path: Path) -> None:
    failed = programs.run_suite(served.opened, revision, tmp_path / "results")
    assert sorted(PASSING[revision] - set(failed)) == [], "these did not run"
    missed = {
        scenario: sorted(failed[scenario] - NOT_OFFERED.get(scenario, set()))
        for scenario in PASSING[revision]
    }
    assert {scenario: checks for scenario, checks in missed.items() if checks} == {}


def test_the_inspector_lists_and_calls_a_tool_with_a_token(served: Served) -> None:
    listed = programs.inspect(served.address, "--method", "tools/list", "--strict", token=served.token)
    assert listed.returncode == 0, listed.stderr
    names = [tool["name"] for tool in json.loads(listed.stdout)["tools"]]
    assert "search_lines" in names
    called = programs.inspect(
        served.address, "--method", "tools/call", "--tool-name", "search_lines", "--tool-arg", "query=boom",
        *WINDOW, token=served.token,
    )  # fmt: skip
    assert called.returncode == 0, called.stderr
    assert json.loads(called.stdout)["structuredContent"]["status"] == "observed"


def test_the_inspector_ends_with_5_for_a_tool_error_and_for_an_unknown_tool(served: Served) -> None:
    call = ("--method", "tools/call", "--tool-name")
    refused = programs.inspect(
        served.address, *call, "search_lines", "--tool-arg", "query=a", token=served.token
    )
    unknown = programs.inspect(served.address, *call, "nonesuch", token=served.token)
    assert (refused.returncode, unknown.returncode) == (5, 5), refused.stderr + unknown.stderr


@pytest.mark.parametrize("token", ["", "assay_" + "A" * 43])
def test_the_inspector_ends_with_3_without_a_token_that_opens(served: Served, token: str) -> None:
    done = programs.inspect(served.address, "--method", "tools/list", token=token)
    assert done.returncode == 3, (done.returncode, done.stdout, done.stderr)
