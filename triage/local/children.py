"""What runs: the web process, one worker for each queue, beat; and which secret each of them is given."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

QUEUES = ("investigate", "execute", "upkeep")
# One for each named model endpoint, as triage/modelenv.py reads them; a test holds the two together.
MODEL_PREFIXES = ("", "CANDIDATE_", "CRITIC_", "GRADER_", "ASK_")
_MODEL_KEYS = frozenset(f"{prefix}LLM_API_KEY" for prefix in MODEL_PREFIXES)
# What a receiver of spans asks for stands in its headers.
_TRACE_HEADERS = frozenset({"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"})
# Evaluations and spans go there, from whoever makes them.
_LANGFUSE = frozenset({"LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"})
# Single sign-on, and the mails that carry an invitation.
_SIGN_IN = frozenset({"SSO_CLIENT_SECRET", "EMAIL_HOST_PASSWORD"})
# The table in the design, "Who holds which secret". "+" stands for the connectors' read-only credentials.
SECRETS: Mapping[str, frozenset[str]] = {
    "web": frozenset(
        {
            "DATABASE_URL",
            "REDIS_URL",
            "SECRET_KEY",
            "NOTICE_KEY",
            "HOOK_KEY",
            *_SIGN_IN,
            *_TRACE_HEADERS,
            *_LANGFUSE,
            "+",
        }
    ),
    "investigate": frozenset({"DATABASE_URL", "REDIS_URL", *_MODEL_KEYS, *_TRACE_HEADERS, *_LANGFUSE, "+"}),
    "execute": frozenset({"DATABASE_URL", "REDIS_URL", "EXECUTOR_SECRETS", "+"}),
    "upkeep": frozenset(
        {
            "DATABASE_URL",
            "REDIS_URL",
            "AUDIT_SIGNING_KEY",
            "AUDIT_PUT_TOKEN",
            "EMAIL_HOST_PASSWORD",
            "NOTICE_KEY",
        }
    ),
    "beat": frozenset({"REDIS_URL"}),
    "demo": frozenset({"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DEMO_SECRET"}),
    "command": frozenset(
        {"DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "SECRET_KEY", "HOOK_KEY", *_LANGFUSE, "+"}
    ),
}
_SECRET_ENDINGS = (
    "_URL",
    "_DSN",
    "_KEY",
    "_SECRET",
    "_SECRETS",
    "_TOKEN",
    "_PASSWORD",
    "_PASSWD",
    "_HEADERS",
)
_NO_SECRETS = frozenset({"BASE_URL", *(f"{prefix}LLM_BASE_URL" for prefix in MODEL_PREFIXES)})


@dataclass(frozen=True, slots=True)
class Child:
    """One process to keep running: its name, what follows `python`, its whole environment."""

    name: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]


def is_secret(name: str) -> bool:
    """Whether a variable may only go to the processes that are named for it."""
    return name not in _NO_SECRETS and name.endswith(_SECRET_ENDINGS)


def environment_of(
    process: str, everything: Mapping[str, str], *, connector_names: frozenset[str]
) -> dict[str, str]:
    """Return the part of `everything` that a process may see; secrets only as the table allows."""
    allowed = SECRETS[process]
    seen = {
        name: value
        for name, value in everything.items()
        if name in allowed
        or ("+" in allowed and name in connector_names)
        or not (is_secret(name) or name in connector_names)
    }
    if "SECRET_KEY" not in allowed:  # nothing is signed there, yet production settings want one
        seen["SECRET_KEY"] = secrets.token_urlsafe(50)
    return seen


def web_arguments(host: str, port: int) -> tuple[str, ...]:
    """Return what follows `python` to serve the pages, the API and the webhooks."""
    return (
        "-m", "uvicorn", "triage.asgi:application", "--host", host, "--port", str(port),
        "--lifespan", "on", "--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", "5",
    )  # fmt: skip


def worker_arguments(queues: str, *, concurrency: int = 1) -> tuple[str, ...]:
    """Return what follows `python` to start a worker for the comma-separated queues."""
    name = queues.replace(",", "-")
    return (
        "-m", "celery", "--app", "triage", "worker", "--queues", queues, "--hostname", f"{name}@%h",
        "--concurrency", str(concurrency), "--loglevel", "WARNING", "--without-gossip", "--without-mingle",
    )  # fmt: skip


def beat_arguments(folder: Path) -> tuple[str, ...]:
    """Return what follows `python` to start the scheduler."""
    return (
        "-m", "celery", "--app", "triage", "beat", "--loglevel", "WARNING",
        "--schedule", str(folder / "beat"), "--pidfile", "",
    )  # fmt: skip


def application(
    everything: Mapping[str, str], *, connector_names: frozenset[str], address: tuple[str, int], folder: Path
) -> tuple[Child, ...]:
    """Return all processes of the application, each with only the secrets it may hold."""
    # Two for upkeep: the daily verification of a long log must not hold up the sealer and the sweeper.
    wide = {"investigate": 2, "execute": 1, "upkeep": 2}

    def child(name: str, arguments: tuple[str, ...]) -> Child:
        return Child(name, arguments, environment_of(name, everything, connector_names=connector_names))

    return (
        child("web", web_arguments(*address)),
        *(child(queue, worker_arguments(queue, concurrency=wide[queue])) for queue in QUEUES),
        child("beat", beat_arguments(folder)),
    )
