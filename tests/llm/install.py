"""Install a small model and a server for it under .local/llm. The server is compiled: ten minutes or more."""

import os
import subprocess
import sys
import venv

from tests.llm import places


def main() -> int:
    """Install what is not there yet; return the exit code."""
    if places.is_installed():
        return 0
    print("  Compiling llama.cpp and fetching a small model: ten minutes or more …", flush=True)
    venv.create(places.FOLDER, with_pip=True, clear=True)
    for name, options in places.LOCKS.items():
        command = [
            str(places.PYTHON), "-m", "pip", "install", "--quiet", "--require-hashes", "--no-input",
            "--disable-pip-version-check", "--root-user-action=ignore", *options,
            "-r", str(places.HERE / name),
        ]  # fmt: skip
        # One job: more of them take all the memory of a small machine.
        environment = {**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": os.environ.get("JOBS", "1")}
        if subprocess.run(command, env=environment, check=False).returncode:
            print("assay: it could not be installed (it needs gcc, g++ and cmake); see pip's words above.")
            return 2
    places.note_installed()
    return 0


if __name__ == "__main__":
    sys.exit(main())
