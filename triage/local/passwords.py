"""The random passwords of the embedded servers, kept in one file that only its owner reads."""

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from triage.local.refusals import CannotStart

NAMES = ("superuser", "owner", "app", "shop_reader", "secret_key", "demo")


def keep(file: Path) -> dict[str, str]:
    """Return the passwords, made on the first call; raise CannotStart when the file can't be read."""
    if file.exists():
        return _read(file)
    made = {name: secrets.token_urlsafe(50 if name == "secret_key" else 24) for name in NAMES}
    half = file.with_suffix(".half-made")
    descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        json.dump(made, out)
        out.flush()
        os.fsync(out.fileno())
    half.replace(file)
    return made


def shop_writer(kept: Mapping[str, str]) -> str:
    """Return the password of the shop's writer: made of one that no process of the application is given."""
    return hashlib.sha256(f"shop_writer {kept['superuser']}".encode()).hexdigest()


def _read(file: Path) -> dict[str, str]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return {name: str(found[name]) for name in NAMES}
    except PermissionError:
        raise CannotStart(
            f"{file} belongs to another account: run as that one, or delete {file.parent} as that one."
        ) from None
    except (ValueError, KeyError, TypeError):
        raise CannotStart(
            f"{file} is damaged, and the local database opens only with what it held: "
            "`make demo-reset` starts over."
        ) from None
