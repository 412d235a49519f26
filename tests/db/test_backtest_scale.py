"""Backtest over many stored incidents: all of them, in time, beside how they ended."""

import os
import time
from collections import Counter

import pytest
from django.db import connection

from benchmarks.replay_verdicts import prepared
from benchmarks.stored_incidents import OTHERWISE, patterns, write
from incidents.backtesting import backtest
from verdicts.comparison import Ending

FULL = os.environ.get("FULL") == "1"
COUNT = 100_000 if FULL else 1_500
SECONDS = 60


@pytest.mark.full
@pytest.mark.timeout(900)
def test_every_stored_incident_is_judged_again_and_each_contradiction_found(
    committed_db: None, owner_dsn: str
) -> None:
    bench = prepared()
    write(owner_dsn, patterns(bench.examples, bench.rulebook), COUNT)
    began = time.monotonic()
    counts: Counter[str] = Counter()
    wrong = []
    for part in backtest(bench.rulebook, processes=2):
        counts += part.counts
        wrong += [each.incident for each in part.shown]
        assert part.unreadable == []
    took = time.monotonic() - began
    contradicted = COUNT // OTHERWISE
    assert counts["judged"] == COUNT
    assert counts[Ending.FALSE_PASS] + counts[Ending.FALSE_FAIL] == contradicted
    assert wrong == sorted(wrong)
    assert all(number % OTHERWISE == 0 for number in wrong)
    assert len(wrong) == counts[Ending.FALSE_PASS]
    assert took < SECONDS
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM investigations_verdict")
        assert cursor.fetchone() == (COUNT,)
