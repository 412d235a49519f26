"""What a person types into the search becomes a question that stays quick at a million incidents."""

import pytest

from incidents.queue_words import tsquery


@pytest.mark.parametrize(
    ("typed", "common", "asked"),
    [
        ("", ("job",), ""),
        ("&|!:*()", ("job",), ""),
        ("refund", (), "'refund':*"),
        ("job-4811", ("job",), "('job') & '4811':*"),
        ("Job fin", ("job", "jobs", "final"), "('job' | 'jobs') & 'fin':*"),
        ("it's", (), "'it':* & 's':*"),
    ],
)
def test_a_common_word_is_asked_for_as_it_is_and_a_rare_one_by_its_beginning(
    typed: str, common: tuple[str, ...], asked: str
) -> None:
    assert tsquery(typed, common) == asked
