"""What the application asks and by whom it is used: connectors and their credentials, rules, people."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from django.conf import settings

from accounts.models import User
from investigations.rulebook import loaded_rulebook
from toolbox import proofs, registry
from toolbox.connectors.base import Connector
from toolbox.connectors.credential import ProofImpossible
from toolbox.connectors.httpconnector import HttpConnector
from toolbox.connectors.jsonlines import JsonLinesConnector
from toolbox.connectors.mysql import MysqlConnector
from toolbox.connectors.postgres import PostgresConnector
from toolbox.deadline import Deadline
from triage.doctor.line import Line, examined, failing, warning, well

_NO_TOOL = "which no connector here offers."


def connectors() -> Iterator[Line]:
    """Whether each connector answers, and whether its credential can only read."""
    toolbox = registry.current()
    if not toolbox.definitions:
        yield warning(
            "tools",
            "none are loaded: nothing can be asked, so nothing passes",
            "Set TRIAGE_TOOLS and TRIAGE_CONNECTORS (docs/howto/connect-your-database.md).",
        )
        return
    yield well("tools", f"{len(toolbox.definitions)} tools over {len(toolbox.connectors)} connectors")
    for name, connector in toolbox.connectors.items():
        yield from examined(
            f"connector {name}",
            partial(_connector, connector),
            cure="Correct its entry in TRIAGE_CONNECTORS.",
        )


def _connector(connector: Connector) -> Iterator[Line]:
    name = f"connector {connector.name}"
    if isinstance(connector, PostgresConnector | MysqlConnector):
        yield _database(name, connector)
    elif isinstance(connector, JsonLinesConnector):
        yield _folder(name, connector.folder_env)
    elif isinstance(connector, HttpConnector):
        yield _server(name, connector)


def _database(name: str, connector: PostgresConnector | MysqlConnector) -> Line:
    variable = connector.dsn_env
    if not connector.is_configured():
        return failing(name, f"{variable} is not set", f"Set {variable} to the reader's address.")
    try:
        proof = connector.prove(Deadline(10))
    except ProofImpossible as error:
        return failing(
            name, f"does not answer: {error}", f"Check {variable}, the server and who may sign in."
        )
    left = proofs.blocking(connector.name, proof)
    if left:
        return failing(
            name,
            f"it can do more than read ({len(left)} findings): {left[0].check}: {left[0].detail}",
            f"{left[0].cure} The rest stands on the page /connectors/{connector.name}/.",
        )
    return well(name, "answers, and its credential can only read")


def _server(name: str, connector: HttpConnector) -> Line:
    if reason := connector.reach():
        return failing(name, reason, "Correct its address, networks or credential (docs/reference/tools.md).")
    return well(name, f"answers ({connector.kind})")


def _folder(name: str, variable: str) -> Line:
    folder = os.environ.get(variable, "").strip()
    if not folder:
        return failing(name, f"{variable} is not set", f"Set {variable} to the folder of the log files.")
    path = Path(folder)
    if not path.is_dir() or not os.access(path, os.R_OK | os.X_OK):
        return failing(name, f"{folder} cannot be read", f"Correct {variable}, or let this account read it.")
    count = sum(1 for _ in path.glob("*.jsonl*"))
    if not count:
        return warning(name, f"{folder} holds no *.jsonl files", "Check that the logs are written there.")
    return well(name, f"{count} files in {folder}")


def rules() -> Iterator[Line]:
    """Whether every rule loads with its cases."""
    book = loaded_rulebook()
    toolless = sorted(name for name, sentence in book.broken.items() if sentence.endswith(_NO_TOOL))
    if toolless:
        yield warning(
            "rules without tools",
            f"{len(toolless)} earn nothing, no connector offers what they ask: {', '.join(toolless[:3])} …",
            "Nothing to do, unless they should apply here: then offer these tools.",
        )
    for name in sorted(set(book.broken) - set(toolless)):
        yield failing(f"rule {name}", book.broken[name], "Until then nothing passes under it.")
    yield well("rules", f"{len(book.rules)} in force, rulebook {book.digest[:12]}")


def people() -> Iterator[Line]:
    """Whether somebody can sign in and manage the rest."""
    if User.objects.filter(is_active=True, groups__name="administrator").exists():
        yield well("people", f"{User.objects.filter(is_active=True).count()} may sign in")
    else:
        yield warning(
            "people",
            "nobody is an administrator",
            "manage.py createsuperuser, then give the account the group administrator.",
        )


def addresses() -> Iterator[Line]:
    """Whether the address that people are told is one that is answered."""
    host = settings.BASE_URL.partition("://")[2].partition("/")[0].partition(":")[0]
    allowed = settings.ALLOWED_HOSTS
    if (
        "*" in allowed
        or host in allowed
        or any(one.startswith(".") and host.endswith(one) for one in allowed)
    ):
        yield well("address", settings.BASE_URL)
    else:
        yield failing("address", f"BASE_URL names {host}, which ALLOWED_HOSTS refuses", f"Add {host} to it.")
