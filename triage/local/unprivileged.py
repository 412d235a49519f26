"""PostgreSQL refuses to run as root. Here is decided as whom it runs, and from where."""

import contextlib
import hashlib
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from triage.local.refusals import CannotStart

_NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Footing:
    """As whom and from where a server runs: binaries, data, uid (None: ours), a command before it."""

    binaries: Path
    data: Path
    uid: int | None = None
    gid: int | None = None
    before: tuple[str, ...] = ()

    def give(self, folder: Path) -> None:
        """Hand a folder and all it holds to the server's account."""
        uid = os.geteuid() if self.uid is None else self.uid
        gid = os.getegid() if self.gid is None else self.gid
        if folder.stat().st_uid == uid:
            return
        for path in (folder, *folder.rglob("*")):
            os.chown(path, uid, gid, follow_symlinks=False)


def footing(binaries: Path, data: Path) -> Footing:
    """Choose, in this order: ourselves; `nobody`; a user namespace; `nobody` from a place that all may read.

    `binaries` is the folder `.../pginstall/bin`. Raises CannotStart when root has no way to step down.
    """
    if os.geteuid() != 0:
        return Footing(binaries, data)
    try:
        account = pwd.getpwnam(_NOBODY)
    except KeyError:
        raise CannotStart(
            "PostgreSQL does not run as root, and this machine has no account `nobody` to run it: "
            "start as an ordinary user."
        ) from None
    if _may_pass(binaries, account.pw_uid) and _may_pass(data.parent, account.pw_uid):
        return Footing(binaries, data, account.pw_uid, account.pw_gid)
    before = (
        "unshare", "-U", f"--map-user={account.pw_uid}", f"--map-group={account.pw_gid}", "--",
    )  # fmt: skip
    if _works(before):
        return Footing(binaries, data, before=before)
    apart = elsewhere(data)
    return Footing(_copied(binaries, apart), apart / "data", account.pw_uid, account.pw_gid)


def elsewhere(data: Path) -> Path:
    """Return the folder that stands in for a data folder which `nobody` could not reach."""
    return Path("/var/tmp") / f"assay-{hashlib.sha256(str(data).encode()).hexdigest()[:12]}"


def _may_pass(folder: Path, uid: int) -> bool:
    """Whether the account can walk to the folder; asked of the kernel by a child that has stepped down."""
    try:
        return (
            subprocess.run(
                ["test", "-x", str(folder)], user=uid, group=uid, extra_groups=[], cwd="/"
            ).returncode
            == 0
        )
    except OSError:
        return False


def _works(before: tuple[str, ...]) -> bool:
    try:
        return subprocess.run([*before, "true"], capture_output=True, check=False, timeout=10).returncode == 0
    except OSError:
        return False


def _copied(binaries: Path, apart: Path) -> Path:
    """Copy pginstall and its `.libs` sibling (same relative places) to where all may read; return the bin."""
    package = binaries.parent.parent
    target = apart / package.name
    _make_our_own(apart)
    if not (target / "complete").exists():
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(target)
        shutil.copytree(binaries.parent, target / binaries.parent.name, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, apart / libraries.name, symlinks=True, dirs_exist_ok=True)
        (target / "complete").touch()
    return target / binaries.relative_to(package)


def _make_our_own(folder: Path) -> None:
    """Make the folder, or accept it only when it is ours: the parent is writable for everybody."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o755)
    found = folder.lstat()
    if folder.is_symlink() or found.st_uid != os.geteuid():
        raise CannotStart(f"{folder} belongs to somebody else: delete it, or start as an ordinary user.")
    folder.chmod(0o755)
