"""What stands between running servers and a running application: migrations, and the example world."""

import hashlib
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from triage.local import children
from triage.local.passwords import shop_writer
from triage.local.progress import run_together
from triage.local.servers import Servers
from triage.local.supervisor import Supervisor
from triage.local.world import World, admin_dsn, told_from

Works = dict[str, "subprocess.Popen[bytes]"]


@dataclass(frozen=True, slots=True)
class Preparation:
    """One start's preparing: what is done already is left alone."""

    root: Path
    folder: Path
    servers: Servers
    keeper: Supervisor

    def run(self, variables: Mapping[str, str], *, passwords: Mapping[str, str], with_world: bool) -> None:
        """Migrate as the owner and load the example world, side by side. Raises CannotStart."""
        works: Works = {}
        fingerprint = self._fingerprint()
        stamp = self.folder / "migrated"
        if not fingerprint or not stamp.exists() or stamp.read_text(encoding="utf-8") != fingerprint:
            owner = children.environment_of("command", variables, connector_names=frozenset())
            works["migrate"] = self.keeper.spawn(
                children.Child("migrate", ("manage.py", "migrate", "--verbosity", "1"), owner)
            )
        if with_world:
            self._load_world(works, variables, passwords)
        if works:
            titles = {"migrate": "Migrating", "world": "loading the example shop"}
            run_together(", ".join(titles[name] for name in works), works, logs=self.folder)
        if fingerprint:
            stamp.write_text(fingerprint, encoding="utf-8")

    def _load_world(self, works: Works, variables: Mapping[str, str], passwords: Mapping[str, str]) -> None:
        world = World(self.folder)
        admin = admin_dsn(self.servers.postgres, variables)
        if not world.is_loaded(admin):
            kept = children.environment_of("beat", variables, connector_names=frozenset())
            secrets = {
                "SHOP_ADMIN_URL": admin,
                "SHOP_READER_PASSWORD": passwords["shop_reader"],
                "SHOP_WRITER_PASSWORD": shop_writer(passwords),
            }
            arguments = ("-m", "triage.local.world", str(self.folder))
            works["world"] = self.keeper.spawn(children.Child("world", arguments, {**kept, **secrets}))
        elif world.digest != told_from():
            print("  The example shop has changed since it was loaded: `make demo-reset` loads the new one.")

    def _fingerprint(self) -> str:
        """Return what tells that nothing has to be migrated; empty for a server that is not ours."""
        if self.servers.postgres is None:
            return ""
        migrations = sorted(
            file for file in self.root.glob("*/migrations/*.py") if not file.name.startswith("__")
        )
        packages = self.root / "requirements.txt"  # Django's own migrations come with its version
        return f"{digest_of([*migrations, packages])} {self.servers.postgres.data.stat().st_ino}"


def digest_of(files: list[Path]) -> str:
    """Return one digest over the names and contents of files."""
    whole = hashlib.sha256()
    for file in files:
        whole.update(str(file).encode() + b"\0" + file.read_bytes() + b"\0")
    return whole.hexdigest()
