"""Whether a run goes in circles."""

import pytest

from investigations.repeats import Repeating, Repeats


def borne(pattern: str) -> int:
    """Return after how many calls of the pattern the run is ended; 0 where it is not."""
    repeats = Repeats()
    for count, letter in enumerate(pattern, start=1):
        try:
            repeats.note("find_job", {"job_id": letter})
        except Repeating:
            return count
    return 0


@pytest.mark.parametrize(
    ("pattern", "ends_at"),
    [("aaaa", 3), ("abab", 4), ("xyabab", 6), ("abcabc", 6), ("abbb", 4), ("abcaacb", 0), ("abcdefgh", 0)],
)
def test_the_same_again_and_again_ends_a_run(pattern: str, ends_at: int) -> None:
    assert borne(pattern) == ends_at


def test_arguments_that_can_not_be_read_count_as_they_were_sent() -> None:
    repeats = Repeats()
    repeats.note("find_job", '{"job')
    repeats.note("find_job", '{"job')
    with pytest.raises(Repeating, match="find_job"):
        repeats.note("find_job", '{"job')


def test_the_order_of_names_makes_no_other_question() -> None:
    repeats = Repeats()
    for arguments in ({"a": 1, "b": 2}, {"b": 2, "a": 1}):
        repeats.note("find_job", arguments)
    with pytest.raises(Repeating):
        repeats.note("find_job", {"a": 1, "b": 2})
