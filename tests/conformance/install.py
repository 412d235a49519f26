"""Install the conformance suite and the Inspector, with a Node that runs them, under .local/mcp."""

import shutil
import subprocess
import sys

from tests.conformance.programs import FOLDER, HERE, is_installed


def main() -> int:
    """Install what is not there yet; return the exit code."""
    if is_installed():
        return 0
    npm = shutil.which("npm")
    if npm is None:
        print("assay: make conformance needs npm (any version): install Debian's npm, then start again.")
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "package.json", FOLDER / "package.json")
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock"]
    done = subprocess.run(command, cwd=FOLDER, check=False)
    if done.returncode or not is_installed():
        print("assay: npm could not install the conformance suite; see its words above.")
        return done.returncode or 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
