"""A git repository: one commit a checkpoint on a branch of its own, pushed where there is a remote."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from audit.places.base import PlaceDiverged, PlaceFailed

BRANCH = "refs/heads/audit-checkpoints"
_REMOTE = "refs/assay/audit-checkpoints"
_FILE = "checkpoint"
_SECONDS = 60
_KEPT = ("PATH", "HOME", "SSH_AUTH_SOCK", "GIT_SSH_COMMAND")


@dataclass(frozen=True, slots=True)
class GitPlace:
    """Writes objects and one branch; whatever is checked out is not touched."""

    path: Path
    every: int = 300
    can_be_read: bool = True

    @property
    def name(self) -> str:
        """The repository's address."""
        return f"git:{self.path}"

    def last(self) -> str | None:
        """Return the newest checkpoint, the remote's where there is one. Raises PlaceFailed."""
        tip = self._tip()
        return self._git("cat-file", "blob", f"{tip}:{_FILE}") if tip else None

    def read(self) -> Sequence[str]:
        """Return the checkpoint of every commit. Raises PlaceFailed."""
        tip = self._tip()
        if not tip:
            raise PlaceFailed(f"{self.path} has no branch audit-checkpoints")
        commits = self._git("rev-list", tip).split()
        blobs = {self._git("rev-parse", f"{commit}:{_FILE}").strip() for commit in commits}
        return [self._git("cat-file", "blob", blob) for blob in sorted(blobs)]

    def publish(self, note: str) -> str:
        """Commit the checkpoint on top of what is there, and push it. Raises PlaceFailed, PlaceDiverged."""
        tip, local = self._tip(), self._commit(BRANCH)
        blob = self._git("hash-object", "-w", "--stdin", said=note).strip()
        tree = self._git("mktree", said=f"100644 blob {blob}\t{_FILE}\n").strip()
        size = note.split("\n")[1]
        parent = ["-p", tip] if tip else []
        commit = self._git("commit-tree", tree, *parent, "-m", f"Audit log at {size} entries").strip()
        self._git("update-ref", BRANCH, commit, local or "0" * 40)
        if not self._has_remote():
            return f"commit {commit[:12]}"
        try:
            self._git("push", "--quiet", "origin", f"{commit}:{BRANCH}")
        except PlaceFailed as error:
            if "rejected" in str(error) or "non-fast-forward" in str(error):
                raise PlaceDiverged(
                    f"the remote of {self.path} would not take the next commit: {error}"
                ) from None
            raise
        return f"commit {commit[:12]}, pushed"

    def _tip(self) -> str:
        """Return the commit to build on: the remote's newest, else ours; empty where there is none."""
        local = self._commit(BRANCH)
        if not self._has_remote() or not self._git("ls-remote", "origin", BRANCH).strip():
            return local
        self._git("fetch", "--quiet", "origin", f"+{BRANCH}:{_REMOTE}")
        return self._commit(_REMOTE)

    def _has_remote(self) -> bool:
        return "origin" in self._git("remote").split()

    def _commit(self, reference: str) -> str:
        return self._git("for-each-ref", "--format=%(objectname)", reference).strip()

    def _git(self, *arguments: str, said: str = "") -> str:
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        identity = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "Assay"), ("EMAIL", "assay@localhost"))
        }
        try:
            done = subprocess.run(
                ["git", "-C", str(self.path), *arguments],
                input=said.encode(),
                capture_output=True,
                timeout=_SECONDS,
                check=False,
                env={**kept, **identity, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            )
        except FileNotFoundError:
            raise PlaceFailed("git is not installed on this machine") from None
        except subprocess.TimeoutExpired:
            raise PlaceFailed(f"git {arguments[0]} took more than {_SECONDS} s") from None
        if done.returncode:
            said_back = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise PlaceFailed(f"git {arguments[0]} in {self.path}: {' '.join(said_back)[:400]}")
        return done.stdout.decode("utf-8", "replace")
