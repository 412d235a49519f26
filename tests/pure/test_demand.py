"""The right question: what a fact demands is exactly what the gateway would have recorded."""

from dataclasses import replace
from datetime import UTC, timedelta
from types import MappingProxyType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay_core.arguments import OPERATIONS, ToolShape, one_form
from assay_core.canonical import canonical
from investigations.demands import unasked
from tests.pure.rules_for_tests._world import BEGAN, JOB_ENTRY, SUBJECT
from verdicts.demand import Demand, demanded, is_question, json_ready, same
from verdicts.fact import Fact

TEXTS = st.text(max_size=4) | st.sampled_from(
    [" A ", "2026-07-01T12:00:00+02:00", "2026-07-01T10:00:00.000000Z"]
)
VALUES = TEXTS | st.integers() | st.booleans() | st.none() | st.datetimes(timezones=st.just(UTC))
NORMALISE = st.dictionaries(st.sampled_from("abc"), st.lists(st.sampled_from(OPERATIONS)).map(tuple))


@given(
    st.dictionaries(st.sampled_from("abcd"), VALUES | st.lists(VALUES, max_size=2)),
    st.dictionaries(st.sampled_from("abcd"), TEXTS | st.integers()),
    NORMALISE,
)
def test_what_is_demanded_is_what_the_gateway_would_have_recorded(
    asked: dict[str, Any], defaults: dict[str, Any], normalise: dict[str, tuple[str, ...]]
) -> None:
    shape = ToolShape("find_job", "d", defaults, normalise)
    recorded = one_form(json_ready(asked), shape)
    for each in (asked, MappingProxyType(asked)):
        fact = Fact(tool="find_job", ask=lambda _, it=each: it, holds=lambda *_: True)  # type: ignore[misc]  # a default
        made = demanded(fact, SUBJECT, shape)
        assert is_question(made, recorded)


def test_a_call_counts_from_when_it_may_be_asked_until_it_is_too_old() -> None:
    opens, hour = BEGAN + timedelta(minutes=10), timedelta(hours=1)
    demand = Demand("fact", "find_job", {}, not_before=opens, max_age=hour)
    instant = timedelta(microseconds=1)
    assert demand.counts(opens, opens + hour)
    assert not demand.counts(opens - instant, opens)
    assert not demand.counts(opens, opens + hour + instant)
    entry = replace(JOB_ENTRY, arguments={}, called_at=opens)
    for now, missing in ((opens - instant, []), (opens + hour, []), (opens + hour + instant, [demand])):
        assert unasked([demand], {entry.id: entry}, now) == missing
    early = replace(entry, called_at=opens - instant)
    assert unasked([demand], {early.id: early}, opens) == [demand]


@given(st.dictionaries(st.sampled_from("ab"), VALUES), st.dictionaries(st.sampled_from("ab"), VALUES))
def test_two_questions_are_one_exactly_if_they_have_one_text(
    left: dict[str, Any], right: dict[str, Any]
) -> None:
    ready = json_ready(left), json_ready(right)
    assert is_question(*ready) is same(*ready) is (canonical(ready[0]) == canonical(ready[1]))
    assert is_question(ready[0], json_ready(left))
