"""Install each example agent's packages into a virtual environment of its own, under .local/agents."""

import subprocess
import sys
import venv

from tests.agents import places


def main() -> int:
    """Install what is not there yet; return the exit code."""
    for name in places.NAMES:
        if places.is_installed(name):
            continue
        print(f"  Installing {name} …", flush=True)
        venv.create(places.FOLDER / name, with_pip=True, clear=True)
        command = [
            str(places.python(name)), "-m", "pip", "install", "--quiet", "--require-hashes",
            "--disable-pip-version-check", "--no-input", "--root-user-action=ignore",
            "-r", str(places.lock(name)),
        ]  # fmt: skip
        if subprocess.run(command, check=False).returncode:
            print(f"assay: the packages of {name} could not be installed; see pip's words above.")
            return 2
        places.stamp(name).write_text(places.digest(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
