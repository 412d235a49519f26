"""Facts and rules that could not mean anything are refused when they are declared."""

from datetime import timedelta
from typing import Any

import pytest

from tests.pure.rules_for_tests._world import job_fact
from verdicts.fact import Fact, Refutation, RuleMalformed
from verdicts.rule import Rule, snake_case, spec_of


@pytest.mark.parametrize(
    "changes",
    [
        {"tool": ""},
        {"tool": None},
        {"ask": {"job_id": "J-7"}},
        {"holds": True},
        {"accepts_empty": 1},
        {"accepts_empty": "no"},
        {"truncation_harmless_because": True},
        {"max_age": timedelta(0)},
        {"max_age": 60},
        {"not_before": timedelta(minutes=-5)},
        {"covers": {}},
        {"covers": {"since": "start"}},
    ],
)
def test_a_fact_that_means_nothing_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(RuleMalformed):
        job_fact(**changes)


def test_a_refutation_without_a_check_is_refused() -> None:
    with pytest.raises(RuleMalformed):
        Refutation(tool="find_job", when="failed")  # type: ignore[arg-type]  # on purpose
    with pytest.raises(RuleMalformed):
        Refutation(tool=" ", when=lambda answer, subject: True)


def declared(**attributes: Any) -> type[Rule]:
    whole = {"__doc__": "Says something.", "version": 1, "kinds": {"alert"}, "fact": job_fact(), **attributes}
    return type("SomeRule", (Rule,), {name: value for name, value in whole.items() if value is not ...})


@pytest.mark.parametrize(
    "attributes",
    [
        {"fact": ...},
        {"fact": "job_fact"},
        {"__doc__": None},
        {"__doc__": "  \n more"[:2]},
        {"version": ...},
        {"version": 0},
        {"version": True},
        {"version": "1"},
        {"kinds": ...},
        {"kinds": set()},
        {"kinds": "alert"},
        {"kinds": {"allert"}},
        {"needs": ["job_id"]},
        {"needs": "job_id"},
        {"needs": {""}},
        {"applies_to": {"about": "refund"}},
        {"applies_to": {"about": set()}},
        {"applies_to": {"about": {1}}},
        {"applies_to": {1: {"refund"}}},
        {"applies_to": ["about"]},
        {"retired": None},
    ],
)
def test_a_rule_that_means_nothing_is_refused(attributes: dict[str, Any]) -> None:
    with pytest.raises(RuleMalformed):
        spec_of(declared(**attributes))


def test_a_rule_without_facts_is_refused_because_it_would_earn_a_pass_for_nothing() -> None:
    with pytest.raises(RuleMalformed, match="declares no Fact"):
        spec_of(declared(fact=...))


def test_the_spec_holds_facts_in_their_order_and_the_first_line_of_the_docstring() -> None:
    spec = spec_of(
        declared(
            __doc__="First line.\n\nMore.",
            second=job_fact(),
            refuted=Refutation(tool="t", when=lambda answer, subject: True),
        )
    )
    assert list(spec.facts) == ["fact", "second"]
    assert list(spec.refutations) == ["refuted"]
    assert spec.sentence == "First line."
    assert spec.tools == ("find_job", "t")


def test_the_modules_docstring_stands_in_for_the_classes() -> None:
    assert spec_of(declared(__doc__=None), module_doc="Of the module.\n").sentence == "Of the module."


def test_a_fact_of_a_base_class_counts_and_can_be_replaced() -> None:
    base = declared()
    assert list(spec_of(type("Derived", (base,), {"__doc__": "Derived.", "other": job_fact()})).facts) == [
        "fact",
        "other",
    ]
    other = job_fact(sentence="another")
    assert spec_of(type("Derived", (base,), {"__doc__": "Derived.", "fact": other})).facts["fact"] is other


@pytest.mark.parametrize(
    ("written", "file"),
    [
        ("TransientUpstreamTimeout", "transient_upstream_timeout"),
        ("HTTPProbeOk", "http_probe_ok"),
        ("Rule2Go", "rule2_go"),
    ],
)
def test_a_rule_is_named_after_its_class(written: str, file: str) -> None:
    assert snake_case(written) == file


def test_facts_are_frozen() -> None:
    with pytest.raises(AttributeError):
        job_fact().tool = "other"  # type: ignore[misc]  # it is frozen
    assert isinstance(job_fact(), Fact)
