"""Beginning a rule: what newrule writes and refuses, and that a beginning earns nothing."""

import ast
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from investigations.rulebook import loaded_rulebook
from tests.pure.rules_for_tests._world import SHAPES
from tests.pure.shipped_rules import SHOP
from toolbox import registry
from verdicts.loading import RuleUnusable, load_rule
from verdicts.scrutiny import complaints
from verdicts.skeleton import About, Asked, NameRefused, class_name, skeleton

ABOUT = About(
    "alert",
    "2026-07-01T10:00:00Z",
    "2026-07-01T10:20:05Z",
    identifiers={"job_id": "J-7"},
    labels={"alertname": "A"},
)


@pytest.fixture(scope="module", autouse=True)
def shop_tools() -> Iterator[None]:
    """The example shop's tools, as though TRIAGE_TOOLS named them."""
    with override_settings(
        TRIAGE_TOOLS=[SHOP / "tools" / "shop_machines.yaml"], TRIAGE_CONNECTORS=str(SHOP / "connectors.yaml")
    ):
        _forget()
        yield
    _forget()


def _forget() -> None:
    registry.current.cache_clear()
    loaded_rulebook.cache_clear()


def newrule(*words: str) -> str:
    said = StringIO()
    call_command("newrule", *words, stdout=said)
    return said.getvalue()


def test_a_name_that_exists_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    newrule("job_is_late", "--folder", str(tmp_path))
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    with pytest.raises(CommandError, match=r"job_is_late.py exists, and nothing was written"):
        newrule("job_is_late", "--folder", str(tmp_path))
    with pytest.raises(CommandError, match="there is a rule queue_drained already"):
        newrule("queue_drained", "--folder", str(tmp_path))
    (tmp_path / "alone.cases.json").write_text("[]")
    with pytest.raises(CommandError, match=r"alone.cases.json exists"):
        newrule("alone", "--folder", str(tmp_path))
    (tmp_path / "alone.cases.json").unlink()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["JobLate"], "is no name of a rule: use small letters"),
        (["_late"], "is no name of a rule"),
        (["late"], "name one with --folder"),
        (["late", "--folder", "/proc/no/such"], "can't be written"),
        (
            ["late", "--folder", "x", "--tool", "find_jobs"],
            "no connector here offers the tool find_jobs. Loaded are",
        ),
    ],
)
def test_what_can_not_be_written_is_refused_with_what_to_do(words: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        newrule(*words)


def test_it_says_what_to_do_next_and_goes_to_the_first_folder_of_the_setting(tmp_path: Path) -> None:
    said = newrule("job_is_late", "--folder", str(tmp_path))
    assert "Name the tool that each fact asks" in said
    assert f"Add {tmp_path} to TRIAGE_RULES" in said
    with override_settings(TRIAGE_RULES=[str(tmp_path)]):
        said = newrule("job_is_later", "--tool", "find_job", "--tool", "count_jobs")
    assert "Restart the web process and the workers" in said
    assert f"manage.py proverules {tmp_path}" in said


def test_a_beginning_asks_its_tools_rightly_and_earns_nothing(tmp_path: Path) -> None:
    newrule("job_is_late", "--folder", str(tmp_path), "--tool", "find_job", "--tool", "count_jobs")
    path = tmp_path / "job_is_late.py"
    assert complaints(path.read_text()) == ()
    with pytest.raises(
        RuleUnusable, match="'it earns' must end as a pass and ends as a fail: fact_1 does not hold"
    ):
        load_rule(path, registry.current().shapes())


def test_a_strangers_words_stay_words() -> None:
    result = {"a\nimport os\n": 'x"\n', '"""': "'''", "state": "\u2028done\\"}
    made = skeleton(
        "late", ABOUT, [Asked('t"', {"job_id": "J-7", 'k"\n': "\n#"}, result, "2026-07-01T10:20:00Z")]
    )
    tree = ast.parse(made.source)
    assert [type(node).__name__ for node in tree.body] == ["Expr", "ImportFrom", "ImportFrom", "ClassDef"]
    assert complaints(made.source) == ()


def test_an_identifier_and_the_start_are_asked_by_name_and_the_rest_as_it_is(tmp_path: Path) -> None:
    arguments = {"job_id": "J-7", "since": ABOUT.started_at, "level": "error", "most": 5}
    made = skeleton("late", ABOUT, [Asked("list_job_runs", arguments, {}, "2026-07-01T10:20:00Z", "empty")])
    for line in (
        '"job_id": subject["job_id"],', '"since": subject.started_at,', '"level": "error",', '"most": 5,',
        'needs = {"job_id"}',
    ):  # fmt: skip
        assert line in made.source
    (tmp_path / "late.py").write_text(made.source)
    (tmp_path / "late.cases.json").write_text(made.cases)
    with pytest.raises(RuleUnusable, match="ends as a fail"):
        load_rule(tmp_path / "late.py", SHAPES)


@pytest.mark.parametrize("name", ["", "Late", "late__again", "late-again", "9late", "läte", "late_", "a b"])
def test_a_name_that_no_file_of_a_rule_has_is_refused(name: str) -> None:
    with pytest.raises(NameRefused):
        class_name(name)


def test_a_name_becomes_its_class() -> None:
    assert class_name("http2_is_back") == "Http2IsBack"
