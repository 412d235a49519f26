"""Each shipped rule has a page that says what it asks, as the rule itself does, and what it does not know."""

from tests.pure.shipped_rules import ROOT, SHIPPED

PAGES = ROOT / "docs" / "rules"


def test_every_shipped_rule_has_a_page_and_no_other() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} - {"README"} == set(SHIPPED)
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    docs = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert "(rules/README.md)" in docs
    for name, loaded in SHIPPED.items():
        assert f"({name}.md)" in index
        assert loaded.spec.sentence in index


def test_a_page_says_what_the_rule_says() -> None:
    for name, loaded in SHIPPED.items():
        page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        spec = loaded.spec
        wanted = [spec.sentence, *(f"`{need}`" for need in spec.needs)]
        for fact in spec.facts.values():
            wanted += [fact.sentence, f"`{fact.tool}`"]
        wanted += [f"`{fact}`" for fact in spec.facts]
        wanted += [f"`{value}`" for accepted in spec.applies_to.values() for value in accepted]
        assert [words for words in wanted if words not in page] == [], name
        unknown = page.partition("## What it does not know\n")[2]
        assert unknown.count("\n- ") >= 2, name
