"""What the launcher says when it cannot go on: one sentence with its cure."""

from pathlib import Path

_KNOWN = (
    ("No space left on device", "The disk is full: free some space under {where}, then start again."),
    ("Disk quota exceeded", "Your disk quota is used up: free some space under {where}, then start again."),
    (
        "Read-only file system",
        "{where} lies on a read-only file system: clone to a place that can be written.",
    ),
    (
        "could not create shared memory segment",
        "The machine refuses shared memory to PostgreSQL: raise kernel.shmmax (or the container's shm size).",
    ),
    (
        "database files are incompatible with server",
        (
            "{where} was made by another PostgreSQL version: dump it with that one, or start over with "
            "`make demo-reset`."
        ),
    ),
    (
        "Bad file format reading the append only file",
        (
            "The broker's file under {where} is damaged. It holds nothing that PostgreSQL lacks: delete it, "
            "then start again."
        ),
    ),
)


class CannotStart(Exception):
    """Something stands in the way; the message says what, where and what to do."""


def because(output: str, *, where: Path, otherwise: str) -> CannotStart:
    """Return the refusal that a program's output calls for, else one that shows its last lines."""
    for sign, sentence in _KNOWN:
        if sign in output:
            return CannotStart(sentence.format(where=where))
    tail = "\n".join(output.strip().splitlines()[-6:])
    return CannotStart(f"{otherwise} It said:\n{tail}" if tail else otherwise)
