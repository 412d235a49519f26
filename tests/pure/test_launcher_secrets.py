"""Each process is given the secrets that the design allows it, and no other."""

import re
from pathlib import Path

import pytest

from triage import modelenv
from triage.local import children
from triage.local.children import QUEUES, SECRETS, environment_of

ROOT = Path(__file__).resolve().parent.parent.parent
CONNECTORS = frozenset({"SHOP_READER_URL", "SHOP_LOGS"})
EVERYTHING = {
    "PATH": "/bin",
    "BASE_URL": "http://localhost:8000",
    "LEASE_SECONDS": "60",
    "DATABASE_URL": "app",
    "DATABASE_OWNER_URL": "owner",
    "REDIS_URL": "broker",
    "SECRET_KEY": "key",
    "LLM_API_KEY": "model",
    "CRITIC_LLM_API_KEY": "model",
    "LLM_BASE_URL": "http://localhost:8080/v1",
    "ASK_LLM_BASE_URL": "http://localhost:8081/v1",
    "AUDIT_SIGNING_KEY": "sign",
    "EXECUTOR_SECRETS": "write",
    "SHOP_READER_URL": "reader",
    "SHOP_LOGS": "/logs",
    "SHOP_ADMIN_URL": "superuser",
    "SOMEBODYS_TOKEN": "theirs",
    "DEMO_SECRET": "demo",
    "OTEL_EXPORTER_OTLP_HEADERS": "x-key=spans",
    "LANGFUSE_HOST": "https://langfuse.example",
    "LANGFUSE_PUBLIC_KEY": "public",
    "LANGFUSE_SECRET_KEY": "secret",
}
SPANS = {"OTEL_EXPORTER_OTLP_HEADERS", "LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"}
OPEN = {"PATH", "BASE_URL", "LEASE_SECONDS", "LLM_BASE_URL", "ASK_LLM_BASE_URL", "LANGFUSE_HOST"}


@pytest.mark.parametrize(
    ("process", "given"),
    [
        ("web", {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", *SPANS, *CONNECTORS}),
        (
            "investigate",
            {"DATABASE_URL", "REDIS_URL", "LLM_API_KEY", "CRITIC_LLM_API_KEY", *SPANS, *CONNECTORS},
        ),
        ("execute", {"DATABASE_URL", "REDIS_URL", "EXECUTOR_SECRETS", *CONNECTORS}),
        ("upkeep", {"DATABASE_URL", "REDIS_URL", "AUDIT_SIGNING_KEY"}),
        ("beat", {"REDIS_URL"}),
    ],
)
def test_a_process_sees_its_own_secrets_only(process: str, given: set[str]) -> None:
    seen = environment_of(process, EVERYTHING, connector_names=CONNECTORS)
    assert set(seen) - {"SECRET_KEY"} == OPEN | given - {"SECRET_KEY"}


@pytest.mark.parametrize("process", sorted(set(SECRETS) - {"web", "demo", "command"}))
def test_the_key_that_signs_sessions_reaches_the_web_process_alone(process: str) -> None:
    assert environment_of(process, EVERYTHING, connector_names=CONNECTORS)["SECRET_KEY"] != "key"


def test_every_named_endpoint_of_models_has_its_key_kept_apart() -> None:
    assert set(children.MODEL_PREFIXES) == set(modelenv.PREFIXES.values())


def test_only_commands_are_given_the_role_that_migrates() -> None:
    assert [name for name, given in SECRETS.items() if "DATABASE_OWNER_URL" in given] == ["command"]


def test_there_is_a_worker_for_each_queue_and_each_is_its_own_process(tmp_path: Path) -> None:
    found = children.application(
        EVERYTHING, connector_names=CONNECTORS, address=("127.0.0.1", 8000), folder=tmp_path
    )
    assert [child.name for child in found] == ["web", *QUEUES, "beat"]


def test_every_target_of_the_makefile_lists_itself() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = set(re.findall(r"^\.PHONY: (.*)$", text, flags=re.MULTILINE)[0].split())
    listed = set(re.findall(r"^([a-z-]+):.* ## .+$", text, flags=re.MULTILINE))
    assert phony - {"python"} == listed
