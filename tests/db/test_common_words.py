"""Words that stand in very many incidents are known from PostgreSQL's statistics, and still found."""

import time

import pytest

from incidents import commonwords, queue
from incidents.queue import Sight
from incidents.queue_wants import Wanted
from tests.db.sources import make_source
from tests.web.test_queue import incident

pytestmark = pytest.mark.django_db


def found(words: str) -> int:
    return queue.rows(Sight(1, (), True, ()), Wanted(words=words)).count()


def test_a_common_word_is_taken_as_it_is_and_finds_its_longer_ones_that_are_common(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(commonwords, "_last", None)
    source = make_source()
    for number in range(30):
        incident(source, number, title="refunded twice" if number % 2 else "refund late")
    incident(source, 31, title="refunds of the old shop")
    assert commonwords.common_words() == ()
    assert (found("refund"), found("ref")) == (31, 31)
    # As the statistics have it once there are thousands.
    monkeypatch.setattr(commonwords, "_last", (time.monotonic(), ("refund", "refunded", "late")))
    assert (found("refund"), found("REFUND"), found("refund late"), found("ref")) == (30, 30, 15, 31)
    assert found("refund old") == 0
    assert found("refunds old") == 1
