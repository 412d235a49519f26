"""Markdown of a draft into HTML that is safe to show. The one place where HTML is made from text."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from types import MappingProxyType

import nh3
from markdown_it import MarkdownIt

from triage.pages.visible import shown

_LIMIT = 60_000
# Links stay text: a draft's only links are its citations, and a link definition cannot pose as one.
_PARSER = (
    MarkdownIt("commonmark", {"html": False, "breaks": True})
    .enable(["table", "strikethrough"])
    .disable(["image", "link", "autolink", "reference"])
)
_TAGS = {
    "p", "br", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "hr",
    "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
_CITATION = re.compile(r"\[entry (\d{1,18})\]")
_TAG = re.compile(r"(<[^>]*>)")
_LONGEST_WORD = 250
_LONG = re.compile(rf"\S{{{_LONGEST_WORD}}}")
# That many characters, then as many more as stand on the one before them, where the word goes on.
_PART = re.compile(
    rf"((?:&[#\w]{{1,10}};|[^\s&<>]){{{_LONGEST_WORD}}}[\u0300-\u036f\u200c\u200d\ufe0f]*+)(?=[^\s<>])"
)


@dataclass(frozen=True, slots=True)
class Mark:
    """How an id in a draft is shown: with the address of its page, or with words that doubt it."""

    href: str = ""
    doubt: str = ""


def draft_html(
    text: str, link_of: Callable[[int], str | None], marks: Mapping[str, Mark] = MappingProxyType({})
) -> str:
    """Return a draft as sanitised HTML; `[entry N]` links to what `link_of` gives for N.

    Raw HTML, images and links in the text stay text: what leads off the page are the ids in `marks` alone.
    A citation without a link is shown as text, marked as not part of the case.
    """
    body = shown(text[:_LIMIT])
    rendered = _marked(sanitised(_PARSER.render(body)), marks)
    linked = _CITATION.sub(lambda found: _citation(int(found.group(1)), link_of), rendered)
    if len(text) > _LIMIT:
        linked += f"<p>… cut after {_LIMIT} of {len(text)} characters.</p>"
    return parted(linked)


def is_long(text: str) -> bool:
    """Say whether a word of a text is so long that a browser would take seconds to lay it out."""
    return _LONG.search(text) is not None


def parted(html: str) -> str:
    """Return HTML whose long words may be broken here and there.

    Where letters are kerned, a browser shapes the whole rest of a word anew for each of its lines.
    """
    if not is_long(html):
        return html
    pieces = _TAG.split(html)
    pieces[::2] = (_PART.sub(r"\1<wbr>", text) for text in pieces[::2])
    return "".join(pieces)


def sanitised(html: str) -> str:
    """Return only the tags that a draft may hold, without any attribute."""
    return nh3.clean(html, tags=_TAGS, attributes={}, link_rel=None, strip_comments=True)


def _marked(sanitised_html: str, marks: Mapping[str, Mark]) -> str:
    """Mark each id where it stands as a word; the HTML has no attributes yet that could hold one."""
    known = {escape(text): mark for text, mark in marks.items() if text.strip()}
    if not known:
        return sanitised_html
    words = "|".join(re.escape(each) for each in sorted(known, key=len, reverse=True))
    one = re.compile(rf"(?<![0-9A-Za-z_&#/<-])(?:{words})(?![0-9A-Za-z_;>-])")
    return one.sub(lambda found: _mark(found[0], known[found[0]]), sanitised_html)


def _mark(word: str, mark: Mark) -> str:
    if mark.href:
        return f'<a class="cite cite-id" href="{escape(mark.href)}" rel="noreferrer">{word}</a>'
    return f'{word} <span class="cite cite-unchecked">{escape(mark.doubt)}</span>'


def _citation(entry: int, link_of: Callable[[int], str | None]) -> str:
    href = link_of(entry)
    if href is None:
        return f'<span class="cite cite-unknown">entry {entry} (not of this case)</span>'
    return f'<a class="cite" href="{href}">entry {entry}</a>'
