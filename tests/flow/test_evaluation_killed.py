"""An evaluation that is killed in the middle, here or over the workers: it is complete in the end, once."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests import scripted
from tests.conftest import wait_until
from tests.scripted import Request, Scripted, slow
from tests.scripted.agents import asks_what_is_told
from tests.servers import ROOT
from trials import queries
from trials.models import Evaluation, EvaluationRun, EvaluationTranscript

REPLAYS = ("alert-over-by-itself", "charge-shown-twice", "disk-still-fills", "announced-work")
RUNS = 3
ALL = len(REPLAYS) * RUNS


def test_killed_in_the_middle_the_same_command_completes_it_and_doubles_nothing(
    quick: dict[str, str],
    process_environment: dict[str, str],
    start_process: Callable[..., "subprocess.Popen[bytes]"],
    start_worker: Callable[..., "subprocess.Popen[bytes]"],
    tmp_path: Path,
) -> None:
    folder = tmp_path / "cases"
    folder.mkdir()
    for name in REPLAYS:
        shutil.copy(ROOT / "replays" / f"{name}.json", folder)
    (folder / "broken.json").write_text("{", encoding="utf-8")
    with scripted.endpoint(_takes_its_time) as server:
        variables = {**quick, **server.variables, "CRITIC_KINDS": "", "DATABASE_POOL": ""}
        arguments = ("manage.py", "evaluate", str(folder), "-n", str(RUNS), "-j", "2")
        killed = start_process(*arguments, "--here", **variables)
        runs = EvaluationRun.objects.all()
        wait_until(lambda: runs.filter(state="done").count() >= 2, every=0.02)
        wait_until(runs.filter(state="running").exists, every=0.02)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait(10)
        assert EvaluationRun.objects.filter(state="done").count() < ALL
        # The second half is made by a worker, for which the command only waits.
        server.script = asks_what_is_told
        start_worker("investigate", **{**variables, "DATABASE_POOL": "1"})
        again = [sys.executable, *arguments]
        environment = {**process_environment, **variables}
        done = subprocess.run(again, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "going on with" in done.stdout
    assert "broken.json: does not load" in done.stdout
    row = Evaluation.objects.get()
    assert row.finished_at is not None
    runs = EvaluationRun.objects.all()  # read anew
    assert len({(run.case_id, run.number) for run in runs}) == runs.count() == ALL
    assert {run.state for run in runs} == {"done"}
    assert EvaluationTranscript.objects.count() == ALL
    assert max(run.attempt for run in runs) == 2
    assert queries.measured(row.pk).totals.not_recorded == 0


def _takes_its_time(request: Request) -> Scripted:
    return slow(0.2, asks_what_is_told(request))
