"""Reasons: sentences that are put into words only when somebody reads them."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from verdicts.answer import Read, named, shown

_READS_TOLD = 6


class Told(NamedTuple):
    """The reason of a check that could be made: each field that it read in an entry, with the value found.

    It is, prints and compares as the sentence.
    """

    entry: int
    log: Sequence[Read]
    expected: str = ""

    def __str__(self) -> str:
        """Return the sentence; equal reads give equal words, always."""
        after = f". Expected: {ended(self.expected)}" if self.expected else "."
        return f"Entry {self.entry}: {told(self.log)}{after}"

    def __repr__(self) -> str:
        """Show the sentence in quotes, as a text would."""
        return repr(str(self))

    def __eq__(self, other: object) -> bool:
        """Compare as the sentences that they are, with plain texts too."""
        return isinstance(other, Told | str) and str(self) == str(other)

    def __ne__(self, other: object) -> bool:
        """Compare as the sentences that they are."""
        return not self == other

    def __hash__(self) -> int:
        """Hash as the sentence does."""
        return hash(str(self))


Reason = str | Told


def told(log: Sequence[Read]) -> str:
    """Name each field that was read with its value, the last value where one was read twice."""
    last = dict(named(log))
    words = [f"{path} is {shown(value)}" for path, value in islice(last.items(), _READS_TOLD)]
    whole = ", ".join(words)
    return whole if len(words) == len(last) else f"{whole} and {len(last) - len(words)} more"


def ended(sentence: str) -> str:
    """Return a sentence with the stop that it may lack."""
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
