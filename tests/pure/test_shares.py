"""When a share of unusable runs counts as risen: by more than chance explains, of enough runs."""

import pytest

from investigations.shares import Tally, is_rising


def tally(runs: int, unusable: int) -> Tally:
    return Tally({"first_pass": runs - unusable, "fallback": unusable})


@pytest.mark.parametrize(
    ("now", "before", "rises"),
    [
        ((0, 0), (0, 0), False),
        ((9, 9), (400, 0), False),  # too few runs to say anything
        ((400, 300), (9, 0), False),
        ((20, 2), (100, 8), False),  # within chance
        ((100, 8), (100, 8), False),
        ((100, 2), (100, 30), False),  # falls
        ((50, 50), (50, 50), False),
        ((100, 20), (400, 20), True),
        ((10, 9), (100, 5), True),
    ],
)
def test_a_share_has_risen_only_by_more_than_chance(
    now: tuple[int, int], before: tuple[int, int], rises: bool
) -> None:
    assert is_rising(tally(*now), tally(*before)) is rises


def test_a_model_out_of_reach_is_no_unusable_answer() -> None:
    mixed = Tally({"first_pass": 6, "endpoint_down": 2, "fallback": 1, "refused": 1})
    assert (mixed.runs, mixed.unusable, mixed.share) == (10, 2, 0.2)
