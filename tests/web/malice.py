"""What a program sends that means harm: into each field of each form, and into each address."""

import re
from collections.abc import Iterator
from itertools import cycle
from urllib.parse import quote

from tests.browser.poison import texts
from tests.web.forms import Attributes, Form, Pairs

LONG = "9" * 5_000
# What no text of a person is: each breaks some reader of a number, a time, a name or a text.
MALFORMED = (
    "\0", "a\0b", "\ud800", "\udfff x", "a\r\nBcc: x@evil.example\r\n\r\n<script>alert(1)</script>", LONG,
    f"-{LONG}", str(2**63), str(2**31), "-1", "0x10", "1e309", "NaN", "٣", "²", "1.5", "9999-99-99T99:99",
    "0000-00-00", "2026-02-30 10:00", "10000-01-01T00:00", "0001-01-01T00:00:00+23:59", "null", "[]", "{}",
    '{"a":1,"a":2}', "[" * 5_000, "W" * 100_000, "../../etc/passwd", "%00", "$(id)", "' OR 1=1 --", " ", "",
)  # fmt: skip
RAW = (b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"%", b"a%")
NAMES = (
    "q", "tab", "sort", "severity", "kind", "source", "mine", "after", "before", "edit", "row", "did", "as",
    "tool", "status", "next", "for", "older", "state", "event", "only", "name", "rule", "since", "by", "from",
    "to", "first", "second", "what", "trying", "token", "endpoint", "condition", "print", "page", "caller",
    "incident", "actor", "entry", "team", "weeks", "days", "format", "process",
)  # fmt: skip
_INTEGER = re.compile(r"/\d+/")


class Malice:
    """Gives the next text, and the next malformed value: over all forms each is used on many fields."""

    def __init__(self) -> None:
        self._texts, self._malformed = cycle(texts()), cycle(MALFORMED)

    def typed(self, form: Form, button: Attributes) -> Pairs:
        """The form with text that means harm in each field into which somebody types."""
        names = {one.name for one in form.texts() if one.kind != "number"}
        return form.filled(button, {name: self._fitting(form, name) for name in names})

    def malformed(self, form: Form, button: Attributes) -> Pairs:
        """The form with something that no field holds in every field, hidden ones and choices too."""
        names = {one.name for one in form.fields if one.name != "csrfmiddlewaretoken"}
        return form.filled(button, {name: next(self._malformed) for name in names})

    def repeated(self, form: Form, button: Attributes) -> Pairs:
        """The form with each field three times, each time another, and names that end as arrays do."""
        pairs = form.filled(button, {})
        others = [(name, next(self._malformed)) for name, _ in pairs]
        return [*pairs, *others, *((f"{name}[]", said) for name, said in pairs)]

    def alone(self, form: Form) -> Iterator[tuple[str, str]]:
        """Each field of the form with each value that means harm."""
        for one in {each.name: each for each in form.fields if each.name != "csrfmiddlewaretoken"}.values():
            for said in (*texts(), *MALFORMED):
                yield one.name, said[: one.longest or None]

    def query(self) -> str:
        """A query with text that means harm under every name that a page reads."""
        return "&".join(f"{name}={quote(_short(next(self._texts)), safe='')}" for name in NAMES)

    def broken_query(self) -> str:
        """A query that is malformed under every name, in bytes that are no UTF-8, and with names repeated."""
        said = [
            f"{name}={quote(next(self._malformed)[:300].encode(errors='surrogatepass'))}" for name in NAMES
        ]
        raw = [f"{name}={quote(RAW[place % len(RAW)])}" for place, name in enumerate(NAMES)]
        return "&".join([*said, *raw, *(f"{name}[]=1" for name in NAMES), "&&=&%"])

    def _fitting(self, form: Form, name: str) -> str:
        longest = max((one.longest for one in form.fields if one.name == name), default=0) or 100_000
        return next(self._texts)[:longest]


def elsewhere(path: str) -> Iterator[str]:
    """Addresses like this one with numbers that nothing has."""
    for number in (str(2**63), LONG[:400]):
        if _INTEGER.search(path):
            yield _INTEGER.sub(f"/{number}/", path, count=1)


def _short(text: str) -> str:
    return text[:2_000]
