"""What text from outside has brought into a page's source, had any of it been read as markup. No browser."""

import re
from html.parser import HTMLParser

from tests.web.hostile import HIDDEN

_OURS = re.compile(r"/(?!/)|#|\?|data:image/svg|$")
_NEVER = re.compile(r"on|style$|data-hx|hx-(on|vals|vars|headers|ext|include)|srcdoc$|srcset$")
_ADDRESSES = re.compile(r"(href|src|action|formaction|poster|data|hx-(get|post|put|patch|delete))$")
_STRANGE = frozenset({"style", "iframe", "object", "embed", "base", "video"})
_READ = frozenset({"title", "alt", "aria-label", "placeholder"})


class _Reader(HTMLParser):
    """Reads one page; `found` is what is wrong, `headings` how many h1 it has."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.headings = 0
        self._is_typed = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_typed = tag == "textarea"
        self.headings += tag == "h1"
        if tag in _STRANGE:
            self.found.append(tag)
        for name, value in attrs:
            if not _is_ours(name, value or ""):
                self.found.append(f"{tag} {name}={(value or '')[:60]}")
            if name in _READ:
                self._hidden(value or "")

    def handle_endtag(self, tag: str) -> None:
        self._is_typed = False

    def handle_data(self, data: str) -> None:
        if (
            not self._is_typed
        ):  # what a person would send on stands in a field as it is, and is counted beside
            self._hidden(data)

    def _hidden(self, text: str) -> None:
        self.found += [f"U+{ord(char):04X} in {text.strip()[:60]!r}" for char in HIDDEN if char in text]


def _is_ours(name: str, value: str) -> bool:
    if _NEVER.match(name) or (name.startswith("hx-") and re.search(r"evil|alert|sign-out|/x/", value)):
        return False
    return not _ADDRESSES.match(name) or _OURS.match(value) is not None


def brought_in(html: str) -> list[str]:
    """Return each attribute, element and hidden character that no template of ours writes."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return [*reader.found, *([f"{reader.headings} h1"] if reader.headings != 1 else [])]
