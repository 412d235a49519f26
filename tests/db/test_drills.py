"""Drills: two scripted endpoints over one golden set, row by row, stopped and gone on with, read and decided."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.db.drilled import answering, golden_file, reply, two_endpoints
from trials.models import Drill, DrillRow, DrillRun

pytestmark = pytest.mark.django_db


def drill(golden: Path, **more: Any) -> str:
    out = io.StringIO()
    options = {"baseline": "default", "candidate": "candidate", "out": str(golden.parent), **more}
    call_command("drill", golden=str(golden), stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


def test_two_alike_are_promoted_and_each_run_leaves_a_csv_of_every_row(settings: Any, tmp_path: Path) -> None:
    golden = golden_file(tmp_path)
    with two_endpoints(settings, answering({}), answering({})):
        said = drill(golden, ci=True)
    assert "PROMOTE" in said
    files = sorted(tmp_path.glob("*.csv"))
    assert len(files) == 2
    for file in files:
        rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
        assert len({row["id"] for row in rows}) == len(rows) == 60
        assert {row["agrees"] for row in rows} == {"yes"}
    assert not list(tmp_path.glob("*.part"))
