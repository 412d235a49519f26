"""What a closing outcome says about the verdict."""

import pytest

from incidents.states import Outcome
from verdicts.closings import TABLE, Actual, NoSuchOutcome, actual, contradicts


def test_an_unknown_outcome_is_refused_with_the_accepted_ones() -> None:
    with pytest.raises(NoSuchOutcome, match="harmless"):
        actual("alert", "fine")


def test_a_claims_outcome_does_not_close_an_alert() -> None:
    with pytest.raises(NoSuchOutcome):
        actual("alert", Outcome.CLAIM_UPHELD)


def test_every_outcome_that_a_page_offers_is_in_the_table() -> None:
    assert set(TABLE["claim"]) == {outcome.value for outcome in Outcome}


def test_not_reproducible_is_never_a_pass() -> None:
    assert all(row["not reproducible"] is Actual.NOT_COMPARABLE for row in TABLE.values())


@pytest.mark.parametrize(
    ("kind", "outcome", "passed", "expected"),
    [
        ("alert", "harmless", True, False),
        ("alert", "harmless", False, True),
        ("alert", "harmless", None, False),
        ("alert", "real and fixed", True, True),
        ("alert", "real and handed over", True, True),
        ("alert", "real and fixed", False, False),
        ("alert", "duplicate of", True, False),
        ("alert", "not reproducible", True, False),
        ("claim", "claim upheld", True, True),
        ("claim", "claim refused", False, True),
        ("claim", "claim refused", True, False),
        ("claim", "claim upheld", False, False),
    ],
)
def test_an_outcome_contradicts_only_the_opposite_verdict(
    kind: str, outcome: str, passed: bool | None, expected: bool
) -> None:
    assert contradicts(kind, outcome, passed) is expected
