"""The proofs that rules are put to, which run their checks in a process apart."""

from tests.pure.test_known_incidents import KNOWN, TOOLS
from verdicts.loading import rule_files
from verdicts.prove.whole import prove


def test_the_rules_of_these_tests_are_as_strict_as_the_shipped_ones() -> None:
    proofs = prove(rule_files(KNOWN), TOOLS)
    assert [each.sentence for proof in proofs for each in proof.weaknesses] == []
    assert len(proofs) == 7
