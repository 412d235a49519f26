"""What the how-to pages show can be loaded as it stands."""

import re
from pathlib import Path

import pytest

from approvals.actions import registry as actions
from toolbox import registry
from triage.local.start import connector_names

DOCS = Path(__file__).resolve().parent.parent.parent / "docs" / "howto"
PAGES = ["connect-your-metrics", "connect-your-logs", "connect-your-traces", "connect-an-http-api"]


def blocks(page: str) -> list[str]:
    found = re.findall(r"```yaml\n(.*?)```", (DOCS / f"{page}.md").read_text(), flags=re.DOTALL)
    return [re.sub(r"\A#[^\n]*\n", "", block) for block in found]


@pytest.mark.parametrize("page", PAGES)
def test_the_connectors_and_tools_of_a_page_load(page: str, tmp_path: Path) -> None:
    connectors = [block for block in blocks(page) if block.startswith("connectors:")]
    tools = [block for block in blocks(page) if block.startswith("connector:")]
    assert connectors
    assert tools
    (tmp_path / "c.yaml").write_text(
        "connectors:\n" + "".join(block.partition("\n")[2] for block in connectors)
    )
    for index, block in enumerate(tools):
        (tmp_path / f"tools-{index}.yaml").write_text(block)
    loaded = registry.load(sorted(tmp_path.glob("tools-*.yaml")), tmp_path / "c.yaml")
    assert loaded.definitions


def test_the_connectors_of_the_clusters_page_load(tmp_path: Path) -> None:
    shown = [block for block in blocks("connect-your-cluster") if block.startswith("connectors:")]
    assert shown
    for block in shown:
        (tmp_path / "c.yaml").write_text(block)
        assert registry.load([], tmp_path / "c.yaml").connectors["cluster"].kind == "kubernetes"


def test_the_launcher_hands_on_every_variable_that_a_connector_names() -> None:
    file = Path(registry.__file__).parent / "definitions_shipped" / "connectors.example.yaml"
    names = connector_names({"TRIAGE_CONNECTORS": str(file)})
    assert {"GITHUB_READER_TOKEN", "PROMETHEUS_URL", "CLUSTER_CA_FILE", "CLUSTER_READER_TOKEN"} <= names


def test_the_writes_to_a_cluster_that_a_page_shows_load(tmp_path: Path) -> None:
    (shown,) = [block for block in blocks("declare-writes") if "kubernetes:" in block]
    (tmp_path / "actions.yaml").write_text(shown)
    declared = actions.load(str(tmp_path / "actions.yaml"))
    assert sorted(declared.actions) == [
        "kubernetes.rollout_restart", "kubernetes.rollout_undo", "kubernetes.scale",
    ]  # fmt: skip
    assert declared.policy.namespaces == ("shop",)
