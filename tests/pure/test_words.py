"""Reasons that are put into words when they are read: they are the sentence, whenever that is."""

import pickle

from tests.pure.replayed import example, rulebook
from verdicts.outcomes import FactOutcome, Verdict
from verdicts.verdict import verdict
from verdicts.words import Told

READS = [(None, "job.state", "completed"), (None, "job.attempts", 2)]
SENTENCE = 'Entry 3: job.state is "completed", job.attempts is 2.'


def test_another_reason_is_another() -> None:
    assert Told(3, READS) != Told(4, READS)
    assert Told(3, READS) != Told(3, READS, "The job is done.")
    assert Told(3, READS) != (3, READS, "")
    assert Told(3, READS) != "Entry 3."


def test_a_reason_is_its_sentence() -> None:
    told = Told(3, READS)
    assert str(told) == SENTENCE
    assert told == SENTENCE
    assert told == SENTENCE
    assert hash(told) == hash(SENTENCE)
    assert repr(told) == repr(SENTENCE)
    assert pickle.loads(pickle.dumps(told)) == SENTENCE


def test_a_verdict_says_the_same_before_and_after_it_was_stored() -> None:
    for passes in (True, False):
        each = example(passes=passes)
        decided = verdict(each.case, each.subject, each.entries, rulebook())
        stored = Verdict.from_plain(decided.to_plain())
        assert stored == decided
        assert decided == stored
        assert all(type(fact.words) is str for fact in stored.facts)
        assert [fact.reason for fact in stored.facts] == [fact.reason for fact in decided.facts]
        assert type(decided.reason) is str


def test_outcomes_of_equal_words_are_equal_however_they_are_kept() -> None:
    kept = FactOutcome("done", "holds", Told(3, READS), "find_job", 3, {})  # type: ignore[arg-type]  # as stored
    assert kept == kept._replace(words=SENTENCE)
    assert kept != kept._replace(words="Entry 3.")
