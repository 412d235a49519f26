"""Whole numbers as addresses and forms write them: digits alone, and none that no row can have."""

MAX_ID = 2**63 - 1
_MOST_DIGITS = len(str(MAX_ID))


def whole(text: str, *, most: int = MAX_ID) -> int | None:
    """Return the number that a text is, from 0 to `most`; None for anything else, a sign or a space too."""
    # Python reads the digits of every script, and raises for thousands of them.
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        return None
    number = int(text)
    return number if number <= most else None
