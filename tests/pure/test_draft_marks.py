"""Ids in a draft: verified ones lead to their page, unchecked ones say so, nothing else becomes a link."""

from triage.pages.markup import Mark, draft_html

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
LINK = {TRACE: Mark(href=f"https://traces.example/{TRACE}?a=1&b=2")}


def html(text: str, marks: dict[str, Mark]) -> str:
    return draft_html(text, lambda entry: None, marks)


def test_an_id_that_nobody_verified_is_never_a_link() -> None:
    assert "<a" not in html(f"See {TRACE} and ~~{TRACE}~~ [not found].", {})
    assert "<s>" in html(f"~~{TRACE}~~ [not found]", {})


def test_a_longer_word_that_holds_a_verified_id_is_not_linked() -> None:
    assert "<a" not in html(f"See {TRACE}00, x{TRACE} and {TRACE}-1.", LINK)


def test_an_id_of_markup_breaks_no_tag() -> None:
    for text in ("p", "strong", "amp", "<p>", "&", "s"):
        page = html("**bold** & <p> text", {text: Mark(href="https://x.example/")})
        assert page.count("<strong>") == page.count("</strong>") == 1
        assert page.startswith("<p>")


def test_a_links_address_can_not_leave_its_attribute() -> None:
    page = html("job-7 failed", {"job-7": Mark(href='https://x.example/"><script>')})
    assert "<script>" not in page


def test_a_verified_id_leads_to_its_page_and_an_unchecked_one_says_so() -> None:
    page = html(f"See {TRACE} and job-7.", {**LINK, "job-7": Mark(doubt="unchecked")})
    assert f'href="https://traces.example/{TRACE}?a=1&amp;b=2" rel="noreferrer">{TRACE}</a>' in page
    assert 'job-7 <span class="cite cite-unchecked">unchecked</span>' in page
