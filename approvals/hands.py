"""The write credentials, opened. The execute worker alone has them in its environment; nothing else can."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

from approvals.actions.base import CouldNotCheck, Hands

_SECRET_FIELDS = frozenset({"dsn", "token", "secret", "password", "kubeconfig"})


@dataclass(frozen=True, slots=True)
class Credential:
    """One write credential: its name and its fields, which no repr and no message shows."""

    name: str
    fields: Mapping[str, str] = field(repr=False, hash=False, compare=False)

    def field(self, name: str) -> str:
        """Return one field, such as `dsn` or `token`; raise CouldNotCheck where it is missing."""
        value = self.fields.get(name)
        if not isinstance(value, str) or not value:
            raise CouldNotCheck(f"the write credential {self.name} has no {name}: add it to EXECUTOR_SECRETS")
        return value


def opened(name: str) -> Hands:
    """Return the write credential of this name; raise CouldNotCheck where this process holds none."""
    held = _held()
    fields = held.get(name)
    if not isinstance(fields, Mapping):
        raise CouldNotCheck(
            f"the write credential {name} is not here: the execute worker reads it from EXECUTOR_SECRETS"
        )
    return Credential(name, fields)


def shared_with(name: str) -> str:
    """Return the variable of this process that holds the same secret, which something reads with; else "".

    Raises CouldNotCheck where this process does not hold the credential.
    """
    opened(name)
    mine = {
        value for field, value in _held()[name].items() if field in _SECRET_FIELDS and isinstance(value, str)
    }
    return next((variable for variable, value in os.environ.items() if value and value in mine), "")


def names() -> frozenset[str]:
    """Return the names of the write credentials that this process holds; raise CouldNotCheck."""
    return frozenset(_held())


def _held() -> Mapping[str, Mapping[str, str]]:
    """Read EXECUTOR_SECRETS anew: JSON, or the path of a file with it. Its content is never quoted."""
    text = settings.EXECUTOR_SECRETS
    if not text:
        return {}
    try:
        held = json.loads(Path(text).read_text(encoding="utf-8") if text.startswith("/") else text)
    except (OSError, ValueError) as error:
        raise CouldNotCheck(f"EXECUTOR_SECRETS cannot be read ({type(error).__name__})") from None
    if not isinstance(held, dict):
        raise CouldNotCheck("EXECUTOR_SECRETS is not a JSON object of credentials by name")
    return held
