"""Fixtures of all tests. Nothing here starts a server before a test asks for one."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.servers import ROOT, NamedPostgres, Servers
from triage.local import processes, roles
from triage.local.postgres import PostgresServer

# The processes take files in this order: long ones first, so that none ends alone with one.
LONG_ONES_FIRST = ("conformance", "agents", "llm", "flow", "browser", "commands", "web", "house", "db")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the folders of long files before those of short ones; inside a folder nothing moves."""
    places = {ROOT / "tests" / name: place for place, name in enumerate(LONG_ONES_FIRST)}
    items.sort(key=lambda item: places.get(item.path.parent, len(places)))


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """The session's PostgreSQL and Valkey, not started yet."""
    made = Servers()
    yield made
    made.close()


@pytest.fixture(scope="session")
def postgres_server(servers: Servers) -> PostgresServer | NamedPostgres:
    """The running server, with `.dsn(dbname, user)`, `.start()` and `.stop()`."""
    return servers.postgres


@pytest.fixture(scope="session")
def redis_url(servers: Servers) -> str:
    """The running broker's address; Django's cache and Celery in this process use it from here on."""
    from django.conf import settings
    from django.core.cache import caches

    from triage.celery import app
    from triage.settings import _broker_url

    url = servers.redis_url
    settings.REDIS_URL = url
    # One caller of many tests would reach it; a test of the limit sets its own.
    settings.CALLER_CALLS_A_MINUTE = settings.TOOL_CALLS_A_MINUTE = 100_000
    settings.CACHES["default"]["LOCATION"] = url
    with contextlib.suppress(AttributeError):
        del caches["default"]  # made with the old address, when a test module that imports it was collected
    settings.CELERY_BROKER_URL = app.conf["broker_url"] = _broker_url(url)
    return url


@pytest.fixture(scope="session")
def django_db_setup(servers: Servers, redis_url: str, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Point `default` at a clone of the migrated template, as the application's role."""
    import dj_database_url
    from django.conf import settings
    from django.db import connections

    settings.PASSWORD_HASHERS = ["tests.passwords.QuickHasher"]
    servers.clone()
    parsed = dj_database_url.parse(servers.postgres.dsn(servers.database, roles.APP))
    options = {**connections["default"].settings_dict.get("OPTIONS", {})}
    role_option = parsed.get("OPTIONS", {}).get("options", "")
    options["options"] = f"{options.get('options', '')} {role_option}".strip()
    with django_db_blocker.unblock():
        connections["default"].close()
    connections["default"].settings_dict.update(
        {key: parsed[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")}, OPTIONS=options
    )
    yield
    with django_db_blocker.unblock():
        connections.close_all()


@pytest.fixture
def committed_db(
    servers: Servers, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """A database in which commits are real. Afterwards it is cloned anew and the broker emptied.

    Never a flush: the audit log refuses TRUNCATE.
    """
    import redis
    from django.core.cache import cache
    from django.db import connections

    with django_db_blocker.unblock():
        yield
        connections.close_all()
    servers.postgres.start()
    servers.clone()
    with contextlib.closing(redis.from_url(servers.redis_url)) as broker:
        broker.flushall()
    cache.close()


@pytest.fixture
def superuser_dsn(servers: Servers, django_db_setup: None) -> str:
    """The test database as its superuser."""
    return servers.postgres.dsn(servers.database)


@pytest.fixture
def owner_dsn(servers: Servers, django_db_setup: None) -> str:
    """The test database as the role that migrates."""
    return servers.postgres.dsn(servers.database, roles.OWNER)


@pytest.fixture
def app_dsn(servers: Servers, django_db_setup: None) -> str:
    """The test database as the application's role."""
    return servers.postgres.dsn(servers.database, roles.APP)


@pytest.fixture
def make_user() -> Callable[..., Any]:
    """Make a person: `make_user("ada", role=Role.SUPPORT)`. Ask for `db` or `committed_db` too."""
    from django.contrib.auth.models import Group

    from accounts.models import User

    def make(
        username: str = "ada", *, role: str = "", teams: Any = (), password: str = "a long test password"
    ) -> User:
        person = User.objects.create_user(username, password=password)
        if role:
            person.groups.add(Group.objects.get(name=str(role)))
        person.teams.set(teams)
        return person

    return make


@pytest.fixture
def process_environment(servers: Servers, committed_db: None) -> dict[str, str]:
    """The environment in which a process of its own (web, worker, command) uses the test's servers."""
    return servers.environment()


@pytest.fixture
def start_process(process_environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a program on the test's servers; it is ended with the test. Output goes to the test's own."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str, **variables: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env={**process_environment, **variables},
            start_new_session=True,
            preexec_fn=processes.dies_with_parent(signal.SIGKILL),
        )
        started.append(process)
        return process

    yield start
    # By force: nothing of theirs outlives the test, and a worker takes a second to end gently.
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    for process in started:
        process.wait(10)


@pytest.fixture
def start_worker(
    start_process: Callable[..., subprocess.Popen[bytes]],
) -> Callable[..., subprocess.Popen[bytes]]:
    """Start a Celery worker for these queues: `start_worker("investigate", LEASE_SECONDS="2")`."""

    def start(*queues: str, **variables: str) -> subprocess.Popen[bytes]:
        from triage.local.children import worker_arguments

        return start_process(*worker_arguments(",".join(queues)), **variables)

    return start


@pytest.fixture
def start_web(start_process: Callable[..., subprocess.Popen[bytes]]) -> Callable[..., str]:
    """Start the web process on a free port; returns its address once /healthz or / answers."""

    def start(application: str = "triage.asgi:application", port: int = 0, **variables: str) -> str:
        port = port or free_port()
        address = f"http://localhost:{port}"
        process = start_process(
            "-m", "uvicorn", application, "--host", "127.0.0.1", "--port", str(port),
            "--log-level", "warning", "--lifespan", "on",
            **{"BASE_URL": address, **variables},
        )  # fmt: skip
        wait_until(lambda: process.poll() is not None or _answers(address), seconds=30)
        assert process.poll() is None, "the web process ended at once; see its output above"
        return address

    return start


def free_port() -> int:
    """Return a port of this machine that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(is_so: Callable[[], bool], *, seconds: float = 60, every: float = 0.05) -> None:
    """Return once it is so; fail the test when it is not within that many seconds."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"not so within {seconds} s"
        time.sleep(every)


@pytest.fixture
def chromium() -> str:
    """The path of a Chromium; a named skip (a failure under REQUIRE_ALL=1) where there is none."""
    return require_program("chromium", "chromium-browser", "google-chrome")


def require_program(*names: str) -> str:
    """Return the first program found, else skip by name; with REQUIRE_ALL=1 fail.

    Servers are found too where only an administrator's shell looks for them.
    """
    places = os.pathsep.join([*os.get_exec_path(), "/usr/local/sbin", "/usr/sbin", "/sbin"])
    for name in names:
        if found := shutil.which(name, path=places):
            return found
    sentence = f"needs {names[0]}, which .ci/run installs on Debian as root"
    if os.environ.get("REQUIRE_ALL") == "1":
        pytest.fail(f"{sentence} (REQUIRE_ALL=1 makes this a failure)")
    pytest.skip(sentence)


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(f"{address}/healthz", timeout=2).close()
    except urllib.error.HTTPError as answer:
        answer.close()
    except OSError:
        return False
    return True
