"""Rule packs: folders and import paths, and what is said of one that can't be found."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pure.rules_for_tests._world import FOLDER, SHAPES
from verdicts.load_check import load_complaints
from verdicts.loading import load_rulebook
from verdicts.packs import PackMissing, folder_of, folders_of


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package `acme_pack` with a pack of rules in `acme_pack.rules`, on the import path."""
    rules = tmp_path / "acme_pack" / "rules"
    rules.mkdir(parents=True)
    (tmp_path / "acme_pack" / "__init__.py").write_text("")
    (tmp_path / "acme_pack" / "lonely.py").write_text("raise SystemExit('must not be run')")
    for name in ("retry_finished.py", "retry_finished.cases.json"):
        (rules / name).write_text((FOLDER / name).read_text())
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "acme_pack", raising=False)
    yield rules
    for name in [name for name in sys.modules if name.startswith("acme_pack")]:
        del sys.modules[name]


def test_an_import_path_is_the_folder_of_its_package(acme: Path) -> None:
    assert folder_of("acme_pack.rules") == acme.resolve()
    assert folder_of("acme_pack.lonely") == acme.parent.resolve()
    assert list(load_rulebook(["acme_pack.rules"], SHAPES).rules) == ["retry_finished"]
    assert list(load_rulebook(["acme_pack.rules", acme], SHAPES).rules) == ["retry_finished"]


@pytest.mark.parametrize(
    ("pack", "words"),
    [
        ("acme_pack.other", "nor a package acme_pack.other: install the package"),
        ("no_such_pack.rules", "nor a package no_such_pack.rules"),
        ("/not/there", "there is no folder /not/there: make it"),
        ("not-there", "there is no folder"),
        ("a..b", "there is no folder"),
        ("sys", "sys has no folder of its own"),
    ],
)
def test_a_pack_that_can_not_be_found_is_named_and_stops_nothing(acme: Path, pack: str, words: str) -> None:
    with pytest.raises(PackMissing, match=words):
        folder_of(pack)
    book = load_rulebook([pack, acme], SHAPES)
    assert list(book.rules) == ["retry_finished"]
    (complaint,) = load_complaints(book)
    assert complaint.id == "verdicts.W002"
    assert words in complaint.sentence
    assert complaint.sentence.startswith("The pack ")


def test_a_package_that_breaks_when_it_is_imported_is_named_and_stops_nothing(acme: Path) -> None:
    (acme.parent / "__init__.py").write_text("raise SystemExit(3)")
    with pytest.raises(PackMissing, match=r"acme_pack.rules can't be imported: the code raised SystemExit"):
        folder_of("acme_pack.rules")


def test_a_home_folder_is_meant_by_its_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "rules").mkdir()
    assert folders_of(["~/rules", tmp_path / "rules"]) == ((tmp_path.resolve() / "rules",), {})
