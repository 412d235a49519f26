"""The example world: loaded once, with its *now* kept beside it. Run as a program to load it."""

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from triage.local.postgres import PostgresServer
from triage.local.refusals import CannotStart

SHOP = Path("examples") / "shop"


class World:
    """Where the world stands: `.local/world.json` holds its *now* and whether loading ended."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "world.json"
        self.logs = folder / "shop-logs"

    @property
    def now(self) -> datetime:
        """The world's *now*, fixed by the first call."""
        try:
            return datetime.fromisoformat(json.loads(self._file.read_text(encoding="utf-8"))["now"])
        except FileNotFoundError:
            moment = datetime.now(UTC).replace(microsecond=0)
            self._write(moment, is_loaded=False)
            return moment
        except (ValueError, KeyError, TypeError):
            raise CannotStart(f"{self._file} is damaged: `make demo-reset` starts over.") from None

    def is_loaded(self, admin_dsn: str) -> bool:
        """Whether loading ended, and the database is still there."""
        if not self._file.exists() or not self.logs.is_dir():
            return False
        if not json.loads(self._file.read_text(encoding="utf-8")).get("is_loaded"):
            return False
        with psycopg.connect(admin_dsn) as link:
            return link.execute("SELECT 1 FROM pg_database WHERE datname = 'shop'").fetchone() is not None

    def load(self, admin_dsn: str, reader_password: str, writer_password: str = "") -> None:
        """Load it; what a stopped loading left is made anew."""
        from examples.shop import world

        moment = self.now
        world.load(
            admin_dsn,
            reader_password=reader_password,
            writer_password=writer_password,
            now=moment,
            logs=self.logs,
        )
        self._write(moment, is_loaded=True)

    @property
    def digest(self) -> str:
        """The digest of the files that it was loaded from."""
        return str(json.loads(self._file.read_text(encoding="utf-8")).get("digest", ""))

    def variables(self, root: Path, reader_dsn: str, writer_dsn: str = "") -> dict[str, str]:
        """Return the settings with which the application asks this world."""
        return {
            "TRIAGE_TOOLS": str(root / SHOP / "tools"),
            "TRIAGE_CONNECTORS": str(root / SHOP / "connectors.yaml"),
            "TRIAGE_CITATIONS": str(root / SHOP / "citations.yaml"),
            "TRIAGE_ACTIONS": str(root / SHOP / "actions.yaml"),
            "SHOP_READER_URL": reader_dsn,
            "EXECUTOR_SECRETS": json.dumps({"shop_writer": {"dsn": writer_dsn}}) if writer_dsn else "",
            "SHOP_LOGS": str(self.logs),
        }

    def _write(self, moment: datetime, *, is_loaded: bool) -> None:
        half = self._file.with_suffix(".half-made")
        state = {"now": moment.isoformat(), "is_loaded": is_loaded, "digest": told_from()}
        half.write_text(json.dumps(state), encoding="utf-8")
        half.replace(self._file)


def told_from() -> str:
    """Return one digest over the files that tell the world."""
    whole = hashlib.sha256()
    for file in sorted((Path(__file__).resolve().parent.parent.parent / SHOP).glob("*.[ps][yq]*")):
        whole.update(file.name.encode() + b"\0" + file.read_bytes())
    return whole.hexdigest()


def admin_dsn(postgres: PostgresServer | None, environment: Mapping[str, str]) -> str:
    """Return a superuser's address to make the shop's database with; raise CannotStart without one."""
    if postgres is not None:
        return postgres.dsn("postgres")
    if environment.get("SHOP_ADMIN_URL"):
        return environment["SHOP_ADMIN_URL"]
    raise CannotStart(
        "DATABASE_URL names your own server, where the example shop needs a database of its own: set "
        "SHOP_ADMIN_URL to a superuser of a PostgreSQL for it, or unset DATABASE_URL for the embedded one."
    )


if __name__ == "__main__":
    World(Path(sys.argv[1])).load(
        os.environ["SHOP_ADMIN_URL"],
        os.environ["SHOP_READER_PASSWORD"],
        os.environ.get("SHOP_WRITER_PASSWORD", ""),
    )
