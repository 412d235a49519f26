"""Hand out proofs: of single entries, of a range of the log, of its growth between two checkpoints."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

from assay_core.notes import Checkpoint, NoteUnreadable, SignatureWrong, open_checkpoint, read_checkpoint
from assay_core.sealed import Disclosed, Growth, Proof
from audit import keys, sealing
from audit.tree import StoredTree

_AT_ONCE = 500
_ROWS = """
    SELECT l.leaf_index, e.canonical, p.salt, p.body
    FROM audit_leaf l JOIN audit_entry e ON e.id = l.entry LEFT JOIN audit_payload p ON p.entry = e.id
"""


class NotProvable(Exception):
    """There is no proof of what was asked for, or not yet; the message says why."""


def newest_checkpoint(*, using: str = DEFAULT_DB_ALIAS) -> Checkpoint:
    """Return the newest checkpoint, one with a known signature where a key is known.

    Raises NotProvable and KeyUnusable.
    """
    known = keys.verifiers()
    try:
        if known:
            found = sealing.latest(known, using=using)
        else:
            rows = _query("SELECT note FROM audit_checkpoint ORDER BY id DESC LIMIT 1", [], using)
            found = read_checkpoint(rows[0][0]) if rows else None
    except (sealing.SealRefused, NoteUnreadable) as error:
        raise NotProvable(f"The log's checkpoints can't be used: {error}") from None
    if found is None:
        raise NotProvable("No checkpoint was signed yet: the sealer has not run, or has no key.")
    return found


def checkpoint_of(size: int, *, using: str = DEFAULT_DB_ALIAS) -> Checkpoint:
    """Return the checkpoint of exactly this size. Raises NotProvable."""
    for (note,) in _query("SELECT note FROM audit_checkpoint WHERE size = %s ORDER BY id", [size], using):
        try:
            return open_checkpoint(note, keys.verifiers()) if keys.verifiers() else read_checkpoint(note)
        except (NoteUnreadable, SignatureWrong):
            continue
    raise NotProvable(f"No checkpoint of size {size} was signed.")


def proofs(
    numbers: Sequence[int],
    *,
    with_payload: bool,
    at: Checkpoint | None = None,
    using: str = DEFAULT_DB_ALIAS,
) -> Iterator[Proof]:
    """Yield the proof of each entry, all under one checkpoint, in the order of the log.

    Raises NotProvable where one of them is not sealed under it, or not there.
    """
    checkpoint = at or newest_checkpoint(using=using)
    wanted = sorted(set(numbers))
    rows = _query(f"{_ROWS} WHERE l.entry = ANY(%s) ORDER BY l.leaf_index", [wanted], using)
    if len(rows) < len(wanted) or rows[-1][0] >= checkpoint.size:
        raise NotProvable(_lacking(wanted, checkpoint, using))
    yield from _proven(rows, checkpoint, StoredTree(using), with_payload)


def _lacking(wanted: Sequence[int], checkpoint: Checkpoint, using: str) -> str:
    """Return what is wrong with the first entry that has no proof under this checkpoint."""
    entries = {
        number for (number,) in _query("SELECT id FROM audit_entry WHERE id = ANY(%s)", [wanted], using)
    }
    leaves = dict(_query("SELECT entry, leaf_index FROM audit_leaf WHERE entry = ANY(%s)", [wanted], using))
    for number in wanted:
        if number in leaves and number not in entries:
            return f"Entry {number} was sealed, and is gone. Keep everything as it is, and run verify_audit."
        if number not in entries:
            return f"There is no entry {number}."
        if leaves.get(number, checkpoint.size) >= checkpoint.size:
            return (
                f"Entry {number} is not under the seal of {checkpoint.size} entries yet. The sealer works "
                "every few seconds: ask again, name a later checkpoint, or look at the page of the audit log."
            )
    return "The entries were sealed in this very moment: ask again."


def span(
    first: int, last: int, *, with_payload: bool, at: Checkpoint | None = None, using: str = DEFAULT_DB_ALIAS
) -> Iterator[Proof]:
    """Yield the proofs of the leaves from index `first` to `last`, without a gap. Raises NotProvable."""
    checkpoint = at or newest_checkpoint(using=using)
    if not 0 <= first <= last < checkpoint.size:
        raise NotProvable(f"The seal covers leaves 0 to {checkpoint.size - 1}, not {first} to {last}.")
    tree = StoredTree(using)
    for begin in range(first, last + 1, _AT_ONCE):
        end = min(begin + _AT_ONCE, last + 1)
        rows = _query(
            f"{_ROWS} WHERE l.leaf_index >= %s AND l.leaf_index < %s ORDER BY l.leaf_index",
            [begin, end],
            using,
        )
        if len(rows) != end - begin:
            raise NotProvable(f"Entries sealed as leaves {begin} to {end - 1} are gone. Run verify_audit.")
        yield from _proven(rows, checkpoint, tree, with_payload)


def growth(old: int, new: int, *, using: str = DEFAULT_DB_ALIAS) -> Growth:
    """Return the proof that the checkpoint of size `new` continues that of `old`. Raises NotProvable."""
    checkpoint = checkpoint_of(new, using=using)
    if not 0 <= old <= new:
        raise NotProvable(f"A log of {new} entries has not grown from one of {old}.")
    return Growth(old, StoredTree(using).consistency(old, new), checkpoint)


def place_of(number: int, *, using: str = DEFAULT_DB_ALIAS) -> int | None:
    """Return the index of the leaf that an entry was sealed as, None while it is not."""
    rows = _query("SELECT leaf_index FROM audit_leaf WHERE entry = %s", [number], using)
    return rows[0][0] if rows else None


def _proven(
    rows: Sequence[tuple[Any, ...]], checkpoint: Checkpoint, tree: StoredTree, with_payload: bool
) -> Iterator[Proof]:
    for index, text, salt, body in rows:
        is_shown = with_payload and body is not None
        disclosed = Disclosed(text, body if is_shown else None, bytes(salt) if is_shown else None)
        yield Proof(disclosed, index, tree.inclusion(index, checkpoint.size), checkpoint)


def _query(query: str, values: list[Any], using: str) -> list[tuple[Any, ...]]:
    with connections[using].cursor() as cursor:
        cursor.execute(query, values)
        return list(cursor.fetchall())
