"""The cap of a drill. Rows asked at once each have a connection of their own, so commits are real."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.db.models import Sum

from tests.db.drilled import answering, two_endpoints
from tests.db.test_drills import SMALL, drill, golden
from trials.drills.spending import Spending
from trials.models import DrillRow

__all__ = ["golden"]


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_drill_ends_before_the_exchange_that_could_pass_its_cap_and_goes_on_with_a_higher_one(
    committed_db: None, settings: Any, golden: Path, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    most: list[int] = []
    take = Spending.take

    def taken(one: Spending, worst: int) -> None:
        most.append(worst)
        take(one, worst)

    monkeypatch.setattr(Spending, "take", taken)
    with two_endpoints(settings, answering({}), answering({})) as (old, new):
        refused(golden, "the next exchange could pass 0.001; 0.000 is spent, 0 of 6 at default", cap="0.001")
        assert not old.requests
        assert not new.requests
        cost = 350  # of a row: 100 tokens read and 10 written
        refused(
            golden, "at default are booked and stay", at_once=at_once, cap=f"{(max(most) + 2 * cost) / 1e6}"
        )
        spent = DrillRow.objects.aggregate(of=Sum("micros"))["of"]
        assert 0 < len(old.requests) == spent / cost <= 3, "an answer that was paid for is lost"
        drill(golden, cap="1")
        assert (len(old.requests), len(new.requests)) == (SMALL, SMALL)
    refused(golden, "no amount of money", cap="much")


def refused(golden: Path, words: str, **more: Any) -> None:
    with pytest.raises(CommandError) as told:
        drill(golden, **more)
    assert words in str(told.value)
