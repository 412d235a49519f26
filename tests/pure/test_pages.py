"""Text on its way to a page: nothing hides, nothing runs, nothing leads away."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incidents.acts import act_in_words
from incidents.tables import table_of
from tests.web.hostile import TEXTS
from triage.pages.markup import draft_html, parted
from triage.pages.moments import clock_text, short_text, span
from triage.pages.visible import hidden_count, shown

NOW = datetime(2026, 11, 30, 10, 15, 7, tzinfo=UTC)


def no_link(_: int) -> None:
    return None


@pytest.mark.parametrize(
    "char",
    [
        "\u202e",
        "\u2066",
        "\u200b",
        "\ufeff",
        "\u00ad",
        "\x00",
        "\x1b",
        "\x9b",
        "\u2028",
        "\u3164",
        "\U000e0041",
    ],
)
def test_a_hidden_character_is_spelled_out(char: str) -> None:
    assert shown(f"a{char}b") == f"a⟦U+{ord(char):04X}⟧b"
    assert hidden_count(f"a{char}b") == 1


@pytest.mark.parametrize("text", ["👩‍👩‍👧‍👦", "🏳️‍🌈", "می‌خواهم", "क्‍ष", "tab\tline\nend", "שלום"])
def test_what_a_script_or_an_emoji_needs_stays(text: str) -> None:
    assert shown(text) == text
    assert hidden_count(text) == 0


def test_a_joiner_between_latin_letters_is_spelled_out() -> None:
    assert shown("pay\u200dpal") == "pay⟦U+200D⟧pal"
    assert shown("\u200d") == "⟦U+200D⟧"


@given(st.text())
def test_showing_twice_changes_nothing_more(text: str) -> None:
    assert shown(shown(text)) == shown(text)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_draft_makes_no_element_that_loads_runs_or_leads_away(text: str) -> None:
    for written in (text, f"`{text}`", f"| a |\n|---|\n| {text} |", f"> {text}", f"```{text}\n{text}\n```"):
        html = draft_html(written, no_link)
        for tag in ("<img", "<script", "<a ", "<div", "<iframe", "<style", "<h1>owned", "<svg", "<form"):
            assert tag not in html


def test_a_citation_links_only_to_an_entry_of_the_case() -> None:
    html = draft_html("See [entry 7] and [entry 8].", lambda entry: "/entries/7/" if entry == 7 else None)
    assert '<a class="cite" href="/entries/7/">entry 7</a>' in html
    assert "entry 8 (not of this case)" in html


def test_a_link_definition_cannot_pose_as_a_citation() -> None:
    html = draft_html("See [entry 7].\n\n[entry 7]: http://evil.example", lambda entry: "/entries/7/")
    assert 'href="http' not in html
    assert html.count('href="/entries/7/"') == 2


@given(st.text(alphabet=st.sampled_from("<>[]()`*_#|&\"'!entry 17\n\\:/-"), max_size=200))
def test_whatever_is_written_a_drafts_only_attributes_are_its_citations(text: str) -> None:
    html = draft_html(text, lambda entry: f"/entries/{entry}/")
    assert "<a " not in html.replace('<a class="cite" href="/entries/', "")


def test_a_draft_beyond_all_measure_is_cut_and_says_so() -> None:
    assert "cut after 60000 of 100000 characters" in draft_html("W" * 100_000, no_link)


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (-5, "0 s"),
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3_599, "59 min"),
        (3_600, "1 h"),
        (90_000, "1 d"),
    ],
)
def test_a_span_names_its_largest_unit(length: int, words: str) -> None:
    assert span(timedelta(seconds=length)) == words


def test_the_year_is_named_only_where_it_is_another() -> None:
    assert short_text(NOW, NOW) == "30 Nov 10:15 UTC"
    assert short_text(NOW, NOW + timedelta(days=300)) == "30 Nov 2026 10:15 UTC"
    assert clock_text(NOW, NOW) == "10:15:07 UTC"
    assert clock_text(NOW, NOW + timedelta(days=1)) == "30 Nov 2026 10:15:07 UTC"


@pytest.mark.parametrize("result", [None, 3, "text", [1], [], {}])
def test_what_has_no_rows_has_no_table(result: object) -> None:
    assert table_of(result) == ()


def test_a_missing_cell_is_a_dash_and_null_is_null() -> None:
    (table,) = table_of({"jobs": [{"id": 1, "error": None}, {"id": 2}]})
    assert list(table.columns) == ["id", "error"]
    assert [list(row) for row in table.rows] == [[1, None], [2, "–"]]


def test_rows_beyond_what_is_shown_are_counted() -> None:
    (table,) = table_of({"jobs": [{"id": number} for number in range(150)]})
    assert (len(table.rows), table.left_off) == (100, 50)


def test_an_unknown_act_is_told_by_its_name() -> None:
    assert act_in_words("shift.handed_over", {}) == "shift handed over"
    assert (
        act_in_words("incident.closed", {"outcome": "harmless", "reason": "seen"})
        == "closed it: harmless. seen"
    )
    assert (
        act_in_words("tool.called", {"tool": "find_job", "status": "observed"})
        == "asked “find_job”: observed"
    )


def test_a_word_that_a_browser_would_shape_for_minutes_may_be_broken_and_keeps_its_letters() -> None:
    word = "W" * 20_000
    for html in (draft_html(word, no_link), parted(f'<a href="/{word}">{word}</a>')):
        letters = re.sub(r"<[^>]*>", "", html)
        assert letters.strip() == word
        assert max(map(len, re.sub(r"</?[ap][^>]*>", "", html).strip().split("<wbr>"))) <= 250
    assert f'<a href="/{word}">' in html, "an address is no text"


def test_a_long_word_is_never_broken_inside_an_entity_or_before_a_mark() -> None:
    assert set(parted("&lt;" * 1_000).replace("<wbr>", "").split("&lt;")) == {""}
    marks = "Z" + "\u0301\u0323\u0330" * 200
    assert parted(marks * 2) == f"{marks}<wbr>{marks}"
    assert parted("a word, " * 1_000) == "a word, " * 1_000
