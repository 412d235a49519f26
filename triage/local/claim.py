"""One launcher for one `.local`: a lock that the kernel gives back, however the launcher ends."""

import fcntl
import json
import os
import shutil
from pathlib import Path
from types import TracebackType

from triage.local.refusals import CannotStart, because

_LEAST_FREE_BYTES = 300 * 1024 * 1024


class Claim:
    """Holds `.local` for this launcher. Entering raises CannotStart while another one holds it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> "Claim":
        make_folder(self.folder)
        self._file = (self.folder / "launcher.lock").open("a+", encoding="utf-8")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CannotStart(self._held_by_another()) from None
        self.tell()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.truncate(0)
        self._file.close()

    def tell(self, address: str = "") -> None:
        """Leave our pid and address for a second launcher's sentence."""
        self._file.truncate(0)
        self._file.write(json.dumps({"pid": os.getpid(), "address": address}))
        self._file.flush()

    def _held_by_another(self) -> str:
        self._file.seek(0)
        try:
            other = json.loads(self._file.read())
        except ValueError:
            other = {"pid": "unknown", "address": ""}
        self._file.close()
        where = f" at {other['address']}" if other["address"] else ""
        return (
            f"Assay already runs from this folder{where} (process {other['pid']}): use that one, or stop it "
            f"with Ctrl-C or `kill {other['pid']}`."
        )


def make_folder(folder: Path) -> None:
    """Make `.local`, or say why it can't be used."""
    try:
        # 0711: the account that PostgreSQL steps down to has to walk through; what is secret is 0600 inside.
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        (folder / "static").mkdir(exist_ok=True)  # WhiteNoise warns where it is missing
        probe = folder / "launcher.lock"
        probe.touch()
    except OSError as error:
        raise because(
            str(error),
            where=folder,
            otherwise=f"{folder} cannot be written ({error.strerror}): run as the account that made it, or "
            "clone to a folder of your own.",
        ) from error
    free = shutil.disk_usage(folder).free
    if free < _LEAST_FREE_BYTES:
        raise CannotStart(
            f"The disk is nearly full: {free // 2**20} MB are free under {folder}, and 300 MB are needed. "
            "Free some space, then start again."
        )
