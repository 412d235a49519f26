"""The issues that a text links: by number, by owner/name#number, or by address. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9._-])?"
_ADDRESS = re.compile(
    rf"https?://(?:www\.)?[A-Za-z0-9.-]{{1,100}}(?::\d{{1,5}})?/(?P<repository>{_NAME}/{_NAME})"
    rf"/(?:-/)?issues/(?P<number>\d{{1,9}})(?![\w-])",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"(?<![\w/.#-])(?P<repository>{_NAME}/{_NAME})#(?P<number>\d{{1,9}})\b")
# `#7` alone, and not an entity (&#39;), a colour (#000000), an anchor in an address, or a heading's list.
_BARE = re.compile(r"(?:(?<![\w&/#=.%-])#|(?<![\w-])GH-)(?P<number>[1-9]\d{0,8})(?![\w-])")
_QUOTED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`|<!--.*?(?:-->|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Link:
    """One linked issue. Without a repository, the text's own is meant and unknown."""

    repository: str
    number: int

    @property
    def shown(self) -> str:
        """It as people write it."""
        return f"{self.repository}#{self.number}"


def found_in(text: str, *, repository: str = "") -> list[Link]:
    """Return what a text links, in order, each once. What is quoted as code or hidden links nothing."""
    bare = _QUOTED.sub(" ", text)
    found = sorted(_all(bare, repository))
    return list(dict.fromkeys(link for _, link in found))


def _all(text: str, repository: str) -> Iterator[tuple[int, Link]]:
    for pattern in (_ADDRESS, _NAMED, _BARE):
        for match in pattern.finditer(text):
            named = match.groupdict().get("repository") or repository
            yield match.start(), Link(named, int(match["number"]))
