"""A drill between two real servers, each with the small model: all is wired, whatever it answers."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.db.drilled import golden_file
from tests.llm import places
from tests.llm.serving import served
from tests.scripted import endpoint_settings
from trials.models import Drill, DrillRow

pytestmark = [pytest.mark.timeout(1800), places.needs_both()]
ROWS = 2


def test_a_drill_between_two_servers_books_each_row_and_writes_both_files(
    settings: Any, tmp_path: Path, committed_db: None
) -> None:
    golden, out = golden_file(tmp_path, ROWS), io.StringIO()
    patient = {"seconds": 300, "total_seconds": 400, "tries": 1, "context": 8192, "max_tokens": 60}
    with served("old") as first, served("new") as second:
        settings.MODEL_ENDPOINTS = endpoint_settings(
            default={"base_url": first, "model": "old", "quirks": "llama-cpp-python", **patient},
            candidate={"base_url": second, "model": "new", "quirks": "llama-cpp-python", **patient},
        )
        call_command(
            "drill",
            golden=str(golden),
            baseline="default",
            candidate="candidate",
            out=str(tmp_path),
            stdout=out,
        )
    assert DrillRow.objects.count() == 2 * ROWS
    assert not DrillRow.objects.filter(status="endpoint_down").exists()
    assert len(list(tmp_path.glob("*.csv"))) == 2
    assert Drill.objects.get().decision in ("stop", "hold", "too few cases")
