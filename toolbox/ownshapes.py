"""A deployment's own patterns of secrets, read from its file: one `name: pattern` a line.

They are masked wherever the built-in shapes are: for models, in transcripts, on pages, in exports.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from toolbox.secretshapes import Shape

_NAME = re.compile(r"[A-Za-z][A-Za-z ]{0,40}")
# Evidence: a pattern that takes one of these for a secret would mask what incidents are explained by.
_IDS = {
    "a trace id": "4bf92f3577b34da6a3ce929d0e0e4736",
    "a span id": "00f067aa0ba902b7",
    "a commit": "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "an image digest": "sha256:6c3c624b58dbbcd3c0dd82b4c53f04194d1247c6eebdaab7c610cf7d66709b3b",
    "a UUID": "123e4567-e89b-42d3-a456-426614174000",
    "a time": "2026-11-30T13:21:14+00:00",
    "a number": "1048576",
}


class PatternRefused(ValueError):
    """A line of the file cannot be used; the message names it, and says what to write instead."""


def read(file: Path) -> tuple[Shape, ...]:
    """Return the shapes of a file; raise PatternRefused, also where the file cannot be read."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PatternRefused(f"{file} cannot be read ({type(error).__name__})") from None
    return tuple(_shapes(text, file.name))


def _shapes(text: str, where: str) -> Iterator[Shape]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            yield _shape(line)
        except PatternRefused as error:
            raise PatternRefused(f"{where}, line {number}: {error}") from None


def _shape(line: str) -> Shape:
    name, colon, pattern = (part.strip() for part in line.partition(":"))
    if not colon or not _NAME.fullmatch(name):
        raise PatternRefused("write `name: pattern`, the name in letters and spaces")
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise PatternRefused(f"the pattern is no regular expression ({error})") from None
    if compiled.search("") is not None:
        raise PatternRefused("the pattern fits the empty text, so it would mask nothing or everything")
    for what, sample in _IDS.items():
        if compiled.search(sample):
            raise PatternRefused(
                f"the pattern would mask {what} ({sample}), which is evidence; make it narrower"
            )
    # No hint is known for it, so every text is searched: an empty one stands in each.
    return Shape(name, ("",), compiled)
