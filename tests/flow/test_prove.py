"""The proofs of a rule find each carelessness by fact and name, and each condition that no case tests.

They are here and not among the pure tests because they start sealed processes.
"""

import json
import textwrap
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from assay_core.arguments import ToolShape
from tests.pure.rules_for_tests._world import CARELESS, SHAPES
from verdicts.prove.command import IMPOSSIBLE, WEAK, main
from verdicts.prove.weakness import Proof, RuleProof
from verdicts.prove.whole import prove
from verdicts.replay.tools import write_tools

TOOLS: Mapping[str, ToolShape] = {
    **SHAPES,
    **{
        name: ToolShape(name, "d")
        for name in ("list_retries", "find_end", "count_attempts", "list_stops", "look")
    },
}
#: Checks on the answer of `look`, in which `n` is above 0 in the cases that earn.
CLOCK = """
        def clock(kind):
            match kind:
                case object(now=read):
                    return read()
"""
CHECKS = {
    "careful": "answer.integer('n') > 0",
    "reads_a_file": "answer.integer('n') > 0 and len(open('/etc/hostname').read()) > 0",
    "reads_the_zone": "answer.integer('n') > 0 and answer.instant('at').astimezone().hour >= 0 and "
    "answer.instant('at').astimezone().hour == 10",
    "reads_in_any_order": "all(answer.integer(each) > 0 for each in {'n', 'b', 'c', 'd', 'e', 'f', 'g'})",
    "remembers": "(SEEN.append(1) or len(SEEN) % 2 == 1) and answer.integer('n') > 0",
    "sees_past_the_answer": "answer._result['n'] > 0 and answer.integer('n') > 0",
    "matches_a_clock": "answer.integer('n') > 0 and clock(datetime) is not None",
}


@pytest.fixture(scope="module")
def proofs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RuleProof]:
    """Every careless rule, proven at once."""
    folder = tmp_path_factory.mktemp("rules")
    paths = [CARELESS / "every_carelessness.py", *(written(folder, *item) for item in CHECKS.items())]
    alone = written(folder, "alone", CHECKS["careful"])
    alone.with_name("alone.cases.json").unlink()
    wrong = written(folder, "wrong", "answer.integer('n') > 2")
    broken = written(folder, "broken", "answer.integer('n') >")
    return {each.rule: each for each in prove([*paths, alone, wrong, broken], TOOLS)}


def written(folder: Path, name: str, check: str, *, numbers: tuple[int, ...] = (3, 0, 1, -1)) -> Path:
    """Write a rule with one fact and this check, and cases on these numbers: those above 0 earn."""
    camel = "".join(word.capitalize() for word in name.split("_"))
    source = f'''
        """A rule of the tests."""
        from datetime import datetime
        from verdicts.fact import Fact
        from verdicts.rule import Rule

        SEEN = []

        {CLOCK if "clock(" in check else ""}

        class {camel}(Rule):
            """A rule of the tests."""
            version = 1
            kinds = {{"alert"}}
            fact = Fact(tool="look", ask=lambda subject: {{}}, holds=lambda answer, subject: {check})
    '''
    cases = [_case(f"case {index}", number) for index, number in enumerate(numbers)]
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(source))
    path.with_name(f"{name}.cases.json").write_text(json.dumps(cases))
    return path


def _case(name: str, number: int) -> dict[str, Any]:
    result = {"n": number, "at": "2026-07-01T10:12:00Z", **dict.fromkeys("bcdefg", 1)}
    entry = {"tool": "look", "arguments": {}, "result": result, "called_at": "2026-07-01T10:20:00Z"}
    return {
        "name": name,
        "expect": "pass" if number > 0 else "fail",
        "because": "A case of the tests.",
        "subject": {"started_at": "2026-07-01T10:00:00Z"},
        "entries": [entry],
        "judged_at": "2026-07-01T10:20:05Z",
    }


def found(proof: RuleProof, kind: Proof, fact: str) -> set[str]:
    return {each.mutant for each in proof.weaknesses if each.proof is kind and each.fact == fact}


def test_a_careful_rule_is_proven(proofs: dict[str, RuleProof]) -> None:
    assert proofs["careful"].weaknesses == ()
    assert all(proofs["careful"].tried[each] for each in Proof)


@pytest.mark.parametrize(
    ("fact", "proof", "mutants"),
    [
        ("missing_counts_as_zero", Proof.DRIFT, {"match_count is null"}),
        (
            "not_in_a_list_that_may_be_cut",
            Proof.DRIFT,
            {
                "runs is emptied",
                "runs.0.state is emptied",
                "runs.1.state is emptied",
                "runs is cut after 0 of 2",
                "runs is cut after 1 of 2",
            },
        ),
        ("not_in_a_list_that_may_be_cut", Proof.CONDITIONS, {"truncation_harmless_because is dropped"}),
        ("broad_except", Proof.DRIFT, {"job.state is dropped", "job.state is renamed"}),
        (
            "broad_except",
            Proof.SOURCE,
            {"except LookupError hides a field that can't be read: let it be raised, it fails closed"},
        ),
        ("default", Proof.DRIFT, {"runs is emptied"}),
        ("default", Proof.SOURCE, {"next() with a default turns what is missing into a default"}),
        ("clock", Proof.PURITY, {"it reaches for datetime.now"}),
        (
            "clock",
            Proof.SOURCE,
            {"now reads the clock: a verdict knows no time but the incident's and the answers'"},
        ),
        (
            "untested_bound",
            Proof.CONDITIONS,
            {
                "`answer.integer('attempts') > 2` in place of `answer.integer('attempts') >= 2`",
                "3 in place of 2 in `answer.integer('attempts') >= 2`",
                "1 in place of 2 in `answer.integer('attempts') >= 2`",
            },
        ),
    ],
)
def test_each_fault_of_a_careless_rule_is_found_by_its_fact_and_mutant(
    proofs: dict[str, RuleProof], fact: str, proof: Proof, mutants: set[str]
) -> None:
    assert found(proofs["every_carelessness"], proof, fact) == mutants


def test_a_refutation_that_no_case_raises_is_not_tested(proofs: dict[str, RuleProof]) -> None:
    words = found(proofs["every_carelessness"], Proof.CONDITIONS, "untested_refutation")
    assert "the refutation is dropped" in words
    assert "`answer.count('stops') > 0` counts as false" in words


@pytest.mark.parametrize(
    ("rule", "proof", "words"),
    [
        ("reads_a_file", Proof.SOURCE, "open has no place in a rule"),
        ("reads_a_file", Proof.PURITY, "it reaches for open '/etc/hostname'"),
        ("reads_the_zone", Proof.PURITY, "two processes (of another hash seed, time zone and folder)"),
        ("reads_in_any_order", Proof.PURITY, "two processes (of another hash seed, time zone and folder)"),
        ("remembers", Proof.PURITY, "judged twice it gives two verdicts"),
        ("sees_past_the_answer", Proof.SOURCE, "_result is private"),
        ("matches_a_clock", Proof.SOURCE, "a pattern reads attributes past the typed reads of Answer"),
        ("matches_a_clock", Proof.PURITY, "it reaches for datetime.now"),
    ],
)
def test_what_is_not_pure_is_found(proofs: dict[str, RuleProof], rule: str, proof: Proof, words: str) -> None:
    assert any(each.mutant.startswith(words) for each in proofs[rule].weaknesses if each.proof is proof)


def test_a_rule_that_reaches_outside_is_run_behind_the_seal_only(proofs: dict[str, RuleProof]) -> None:
    assert set(proofs["reads_a_file"].tried) == {Proof.SOURCE, Proof.PURITY}


def test_the_command_says_what_it_found_and_ends_with_its_code(tmp_path: Path) -> None:
    written(tmp_path, "careful", CHECKS["careful"])
    written(tmp_path, "hasty", CHECKS["careful"], numbers=(3, -1, 2, -2))
    write_tools(tmp_path / "tools.json", {"look": TOOLS["look"]})
    said = StringIO()
    assert main([str(tmp_path)], said) == WEAK
    lines = said.getvalue().splitlines()
    assert lines[0].startswith("proven      careful: 4 cases, ")
    assert lines[1].startswith("NOT PROVEN  hasty: 4 cases, ")
    assert (
        "  conditions hasty.fact, line 15: `answer.integer('n') >= 0` in place of `answer.integer('n') > 0`. "
        "This condition is not tested: no case ends otherwise." in lines
    )
    assert lines[-1].startswith("2 rules, 1 proven.")


def test_what_can_not_be_proven_at_all_has_a_code_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = StringIO()
    assert main([str(tmp_path / "gone.py")], said) == IMPOSSIBLE
    assert main(["no.such.pack"], said) == IMPOSSIBLE
    assert main([str(tmp_path)], said) == IMPOSSIBLE
    assert main([str(tmp_path), "--tools", str(tmp_path / "none.json")], said) == IMPOSSIBLE
    assert "there is no file" in said.getvalue()
    assert "a package no.such.pack" in said.getvalue()
    assert "holds no rule: write one with `manage.py newrule NAME`" in said.getvalue()
    assert "none.json" in capsys.readouterr().err


def test_a_rule_whose_cases_are_missing_or_wrong_is_not_proven(proofs: dict[str, RuleProof]) -> None:
    said = {name: proofs[name].weaknesses[0].mutant for name in ("alone", "wrong", "broken")}
    assert "its cases are missing" in said["alone"]
    assert "must end as a pass and ends as a fail" in said["wrong"]
    assert "invalid syntax" in said["broken"]
