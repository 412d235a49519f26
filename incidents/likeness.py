"""How alike two short texts are, by the three-letter pieces that they share, as pg_trgm counts it. Pure."""

import re
from collections.abc import Iterable

_WORD = re.compile(r"\w+")
_LONGEST = 600


def pieces(text: str) -> frozenset[str]:
    """Return the three-letter pieces of a text: each word has two spaces before it and one behind."""
    found: set[str] = set()
    for word in _WORD.findall(text[:_LONGEST].lower()):
        padded = f"  {word} "
        found.update(padded[place : place + 3] for place in range(len(padded) - 2))
    return frozenset(found)


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of pieces that both have, from 0 to 1."""
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


def words(texts: Iterable[str]) -> list[str]:
    """Return the words that may find a like text: no numbers, each once, as PostgreSQL's column has them."""
    found = (word.lower() for text in texts for word in re.split(r"[\W_]+", text[:_LONGEST]))
    return list(dict.fromkeys(w for w in found if len(w) > 2 and not any(char.isdigit() for char in w)))
