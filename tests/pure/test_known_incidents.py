"""Incidents that have misled people and models end as they must; each trap passes once it is repaired."""

import json
from pathlib import Path
from typing import Any

from tests.pure.rules_for_tests._world import FOLDER
from tests.pure.shipped_rules import SHAPES, SHIPPED
from verdicts.cases import Example, read_cases
from verdicts.loading import LoadedRule, load_rule, rule_files
from verdicts.replay.tools import FILE, read_tools
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

KNOWN = FOLDER / "known"
TOOLS = {**SHAPES, **read_tools(KNOWN / FILE)}
RULES: dict[str, LoadedRule] = {
    **SHIPPED,
    **{path.stem: load_rule(path, TOOLS) for path in rule_files(KNOWN)},
}
RULEBOOK = Rulebook(rules={name: loaded.spec for name, loaded in RULES.items()}, shapes=TOOLS)
INCIDENTS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("known_incidents.json").read_text(encoding="utf-8")
)


def _examples(incident: dict[str, Any]) -> tuple[Example, ...]:
    return read_cases(json.dumps(incident["cases"]), RULES[incident["rule"]].spec, TOOLS)


EXAMPLES = [(incident["kind"], example) for incident in INCIDENTS for example in _examples(incident)]


def test_each_ends_as_it_must() -> None:
    ended = {
        (kind, example.name): (example, verdict(example.case, example.subject, example.entries, RULEBOOK))
        for kind, example in EXAMPLES
    }
    assert len(ended) == len(EXAMPLES) > 50
    complaints = {name: example.complaint(one) for name, (example, one) in ended.items()}
    assert {name: said for name, said in complaints.items() if said} == {}
    assert [name for name, (_, one) in ended.items() if one.rule_version is None] == []


def test_twelve_kinds_and_each_trap_is_repaired() -> None:
    assert len({incident["kind"] for incident in INCIDENTS}) == 12
    for incident in INCIDENTS:
        first, *rest = incident["cases"]
        assert first["name"] == "as it was"
        others = {each["expect"] for each in rest}
        assert ("fail" if first["expect"] == "pass" else "pass") in others, incident["kind"]
        repaired = [each for each in rest if each["name"].startswith("repaired: ")]
        assert bool(repaired) is (first["expect"] == "fail"), incident["kind"]


def test_what_fails_for_want_of_an_answer_is_told_from_what_is_refuted() -> None:
    """A trap that fails must fail for its own reason: the sentence names the field or what is wrong."""
    said = {
        (kind, example.name): verdict(example.case, example.subject, example.entries, RULEBOOK).reason
        for kind, example in EXAMPLES
    }
    for kind, name, words in (
        ("renamed field", "as it was", "report.counters.error_count is missing"),
        ("numbers as text", "as it was", 'found "1200"'),
        ("wrong tenant", "as it was", "asked for tenant"),
        ("timed-out shards", "only the later search ran out of time", "was cut by a limit"),
        ("stale cache", "as it was", "2026-07-01T02:10:00Z"),
        ("truncated group", "as it was", "truncated_alerts is 7"),
        ("a green job without a product", "as it was", "backup.bytes is 20"),
        ("healthy pods, dead service", "as it was", "probes_ok is 0"),
        ("heartbeat stopped", "as it was", "alerts"),
    ):
        assert words in said[kind, name], (kind, said[kind, name])
