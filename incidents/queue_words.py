"""What a person types into the search, as a question to PostgreSQL's text search. Pure."""

import unicodedata
from collections.abc import Sequence

from assay_core.numbers import whole

_MOST = 8
_LONGER = 20
# Letters, numbers and the marks on them make words; all else parts them, as it does in `incident_words`.
_OF_WORDS = frozenset("LNM")


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, at most eight: `job-4811` has two."""
    kept = "".join(char if unicodedata.category(char)[0] in _OF_WORDS else " " for char in text)
    return tuple(kept.split()[:_MOST])


def tsquery(text: str, common: Sequence[str] = ()) -> str:
    """Return a tsquery: every word, or a longer one that begins so, is there. Empty for no word.

    A word that is among the common ones is asked for as it is, beside those of them that begin so: for a
    beginning PostgreSQL gathers every row that has it before it looks at the other words.
    """
    return " & ".join(_asked(word, common) for word in words_of(text))


def _asked(word: str, common: Sequence[str]) -> str:
    if word.lower() not in common:
        return f"'{word}':*"
    longer = [f"'{each}'" for each in common if each.startswith(word.lower())][:_LONGER]
    return f"({' | '.join(longer)})"


def number_of(text: str) -> int | None:
    """Return the incident's number where the text is one, with or without `#`."""
    return whole(text.strip().removeprefix("#"))
