"""What a person types into the search, as a question to PostgreSQL's text search. Pure."""

import unicodedata

_MOST = 8
# Letters, numbers and the marks on them make words; all else parts them, as it does in `incident_words`.
_OF_WORDS = frozenset("LNM")


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, at most eight: `job-4811` has two."""
    kept = "".join(char if unicodedata.category(char)[0] in _OF_WORDS else " " for char in text)
    return tuple(kept.split()[:_MOST])


def tsquery(text: str) -> str:
    """Return a tsquery: every word, or a longer one that begins so, is there. Empty for no word."""
    return " & ".join(f"'{word}':*" for word in words_of(text))


def number_of(text: str) -> int | None:
    """Return the incident's number where the text is one, with or without `#`."""
    number = text.strip().removeprefix("#")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 19 else None
