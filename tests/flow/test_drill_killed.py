"""The drill to try, killed in the middle with -9 and started again: complete, and no row booked twice."""

import csv
import io
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.conftest import wait_until
from trials.models import Drill, DrillRow, DrillRun

ROWS = 66


def test_killed_in_the_middle_and_started_again_each_row_is_booked_once_and_the_decision_is_right(
    start_process: Callable[..., "subprocess.Popen[bytes]"], tmp_path: Path
) -> None:
    def start() -> "subprocess.Popen[bytes]":
        return start_process("manage.py", "drilldemo", "--seconds", "0.01", DRILLS_FOLDER=str(tmp_path))

    first = start()
    wait_until(lambda: DrillRow.objects.count() >= 20, seconds=60)
    first.kill()
    first.wait(10)
    booked = set(DrillRow.objects.values_list("pk", flat=True))
    assert 20 <= len(booked) < ROWS
    assert not list(tmp_path.glob("*.csv"))
    assert start().wait(120) == 0
    assert booked <= set(DrillRow.objects.values_list("pk", flat=True))
    assert Counter(DrillRow.objects.values_list("run__endpoint", flat=True)) == {
        "default": ROWS,
        "candidate": ROWS,
    }
    assert DrillRun.objects.count() == 2
    for file in tmp_path.glob("*.csv"):
        rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
        assert len({row["id"] for row in rows}) == len(rows) == ROWS
    assert len(list(tmp_path.glob("*.csv"))) == 2
    assert not list(tmp_path.glob("*.part"))
    assert Drill.objects.get().decision == "stop"
