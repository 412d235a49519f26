"""`manage.py drilldemo`: a whole drill on the shipped golden set, between two scripted local endpoints."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from accounts.roles import Role
from investigations.classification import contract
from trials.demo.scripts import SCRIPTS
from trials.demo.serving import Said, serving
from trials.golden import opening
from trials.models import Drill

GOLDEN = Path("examples") / "golden" / "issues.jsonl"
_READER = "drill-demo"


class Command(BaseCommand):
    """Killed in the middle and started again it goes on where it was."""

    help = "Run a drill on the shipped golden set between two scripted endpoints on this machine"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("--candidate", default="worse", choices=sorted(SCRIPTS.keys() - {"old"}))
        parser.add_argument("--seconds", type=float, default=0.02, help="how long each answer takes")

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve both, run the drill, read out each row that differs, then show what it comes to."""
        golden = settings.BASE_DIR / GOLDEN
        rows = opening.opened(str(golden), contract().labels).rows
        with ExitStack() as open_ones:
            urls = {
                name: open_ones.enter_context(
                    serving(
                        Said(f"scripted-{name}", rows, SCRIPTS[name], options["seconds"]),
                        port=_ports().get(name, 0),
                    )
                )
                for name in ("old", options["candidate"])
            }
            _keep_ports(urls)
            _name_endpoints(urls["old"], urls[options["candidate"]], options["candidate"])
            self._drill(golden)

    def _drill(self, golden: Path) -> None:
        said = {"stdout": self.stdout, "stderr": self.stderr}
        call_command(
            "drill", golden=str(golden), baseline="default", candidate="candidate", by=_READER, **said
        )
        drill = Drill.objects.order_by("-created_at", "-pk").first()
        if drill is None:
            raise CommandError("No drill was stored.")
        self.stdout.write("\nIn this demo each row that differs is read out, and counted as read.")
        call_command("drillreview", drill.pk, by=_reader().username, all=True, **said)
        self.stdout.write(f"\nThe CSVs: {settings.DRILLS_FOLDER}")


def _name_endpoints(old: str, new: str, name: str) -> None:
    """Let this process, and it alone, know the two as its endpoints."""
    given = settings.MODEL_ENDPOINTS
    more = {"quirks": "", "key": "", "tries": 2, "backoff_ms": 50}
    settings.MODEL_ENDPOINTS = {
        **given,
        "default": {**given["default"], "base_url": old, "model": "scripted-old", **more},
        "candidate": {**given["candidate"], "base_url": new, "model": f"scripted-{name}", **more},
    }


def _reader() -> User:
    """Return the demo's reader, a manager who cannot sign in."""
    person, is_new = User.objects.get_or_create(username=_READER)
    if is_new:
        person.set_unusable_password()
        person.save(update_fields=["password"])
        person.groups.add(Group.objects.get(name=Role.MANAGER))
    return person


def _file() -> Path:
    return Path(settings.DRILLS_FOLDER) / "drilldemo-ports.json"


def _ports() -> Mapping[str, int]:
    """Return where the endpoints were the last time: a run is gone on with at the same address."""
    try:
        return {str(name): int(port) for name, port in json.loads(_file().read_text()).items()}
    except (OSError, ValueError, AttributeError):
        return {}


def _keep_ports(urls: Mapping[str, str]) -> None:
    ports = {**_ports(), **{name: urlsplit(url).port or 0 for name, url in urls.items()}}
    _file().parent.mkdir(parents=True, exist_ok=True)
    _file().write_text(json.dumps(ports))
