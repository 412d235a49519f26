"""`assay-verify` in a process of its own, which has no Django."""

import subprocess
import sys
from pathlib import Path

from tests.pure.test_assay_verify import BODIES, KEY, TEXTS, proof


def test_it_runs_without_django(tmp_path: Path) -> None:
    file = tmp_path / "one.tlog-proof"
    file.write_text(proof(4).render())
    code = (
        "import sys; sys.modules['django'] = None; from assay_core.verify import main;"
        f"raise SystemExit(main(['proof', {str(file)!r}, '--show', '--key', {KEY.verifier.text!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert TEXTS[4] in done.stdout
    assert BODIES[4] in done.stdout
