"""How a draft shows what could not be shown: struck through, or marked, with a note that says so. Pure.

It stands in the text itself, so that it travels wherever the draft does: page, export, API, mail.
"""

from collections.abc import Iterable

from investigations.citations.figures import Figure
from investigations.citations.patterns import Named
from investigations.states import CitationState

GONE = "[not found]"
UNQUOTED = "[?]"
_NOTE = f"\n\n{UNQUOTED} marks a figure that stands in no entry cited here.\n"


def marked(text: str, named: Iterable[tuple[Named, CitationState]], figures: Iterable[Figure]) -> str:
    """Return the text with each missing id struck through and each figure that nothing shows marked."""
    changes = [
        (each.start, each.end, f"~~{each.text.strip('[]')}~~ {GONE}")
        for each, state in named
        if state is CitationState.MISSING
    ]
    unquoted = [(each.start, each.end, f"{each.text} {UNQUOTED}") for each in figures]
    for start, end, instead in sorted([*changes, *unquoted], reverse=True):
        text = text[:start] + instead + text[end:]
    return text.rstrip() + _NOTE if unquoted else text
