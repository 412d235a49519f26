"""A golden set as a command names it: a file of JSON lines, or a version that is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trials.golden import keeping, reading
from trials.golden.reading import ReadRows
from trials.golden.rows import Row, cautions

_MOST_SHOWN = 20


class GoldenRefused(ValueError):
    """A golden set cannot be used; the message says each thing that is wrong with it, with its line."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The rows that a drill asks, and what they lack in sentences."""

    rows: tuple[Row, ...]
    cautions: tuple[str, ...]


def opened(name: str, labels: Sequence[str]) -> Opened:
    """Return the rows of a file, else of a stored set: its newest frozen version. Raises GoldenRefused."""
    path = Path(name)
    if not path.is_file():
        rows = keeping.frozen_rows(name)
        if rows is None:
            raise GoldenRefused(f"{name!r} is neither a file nor a stored golden set with a frozen version.")
        return Opened(rows, tuple(cautions(rows, labels)))
    read = read_file(path, labels)
    return Opened(read.rows, read.cautions)


def read_file(path: Path, labels: Sequence[str]) -> ReadRows:
    """Read a file. Raises GoldenRefused for one that cannot be read, or that has a fault."""
    try:
        if path.stat().st_size > reading.MOST_BYTES:
            raise GoldenRefused(f"{path} has more than {reading.MOST_BYTES} bytes. Split it.")
        read = reading.read(path.read_bytes(), labels)
    except OSError as error:
        raise GoldenRefused(f"{path} cannot be read ({error.strerror}).") from None
    if read.faults:
        shown = [str(fault) for fault in read.faults[:_MOST_SHOWN]]
        if more := len(read.faults) - len(shown):
            shown.append(f"And {more} more.")
        raise GoldenRefused("\n".join([f"{path} cannot be used:", *shown]))
    return read
