"""Whether the tree and its checkpoints are what the entries make them. Pure: rows in, faults out.

Every checkpoint's root is computed anew from one and the same row of leaves, which is more than a proof of
consistency between neighbours: each is then the beginning of all that follow.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay_core.envelope import is_same
from assay_core.merkle import Growing
from assay_core.notes import (
    NoteUnreadable,
    SignatureWrong,
    Verifier,
    open_checkpoint,
    read_checkpoint,
    read_note,
)

Complaint = Callable[[str, int, str], None]


@dataclass(frozen=True, slots=True)
class LeafRow:
    """One leaf of the tree beside its entry, whose leaf and xid are None where the entry is gone."""

    index: int
    entry: int
    leaf: bytes
    xid: int
    entry_leaf: bytes | None
    entry_xid: int | None


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """One stored checkpoint, or a copy that was found elsewhere: `place` is empty for a stored one."""

    size: int
    root: bytes
    note: str
    place: str = ""


@dataclass(slots=True)
class SealCheck:
    """Walks the leaves once; the memory that it takes grows with the open checkpoints only.

    `complain(what, number, reason)` is called for each fault.
    """

    verifiers: Sequence[Verifier]
    complain: Complaint
    leaves: int = 0
    checkpoints: int = 0
    copies: int = 0
    _known: dict[tuple[int, int], bytes] = field(default_factory=dict)
    _agreed: int = 0
    _stored: int = -1
    _entries: tuple[int, int] | None = None
    _is_broken: bool = False

    def walk(
        self,
        rows: Iterable[LeafRow],
        checkpoints: Iterable[CheckpointRow],
        *,
        nodes: Mapping[tuple[int, int], bytes],
    ) -> None:
        """Check all leaves, and each checkpoint at its size; checkpoints come in the order of their sizes."""
        self._known = dict(nodes)
        tree = Growing(self._complete)
        waiting = iter(checkpoints)
        next_one = next(waiting, None)
        for row in rows:
            if row.index < self.leaves:
                continue  # an entry that stands in the log twice is named where entries are checked
            self._leaf(row)
            tree.append(row.leaf)
            self.leaves = row.index + 1
            while next_one is not None and next_one.size <= self.leaves:
                self._checkpoint(next_one, tree)
                next_one = next(waiting, None)
        while next_one is not None:
            self._beyond(next_one)
            next_one = next(waiting, None)
        for (height, index), _ in sorted(self._known.items()):
            self.complain("node", index, f"a subtree of height {height} is stored that no leaves make")

    def _leaf(self, row: LeafRow) -> None:
        if row.index != self.leaves:
            self.complain("leaf", self.leaves, f"leaves {self.leaves} to {row.index - 1} are gone")
        if row.entry_leaf is None:
            self.complain("entry", row.entry, f"the entry is gone; it was sealed as leaf {row.index}")
        elif not is_same(row.entry_leaf, row.leaf):
            self.complain("entry", row.entry, f"leaf {row.index} of the tree is not the leaf of the entry")
        if row.entry_xid is not None and row.entry_xid != row.xid:
            self.complain("entry", row.entry, "its transaction is another one than when it was sealed")
        low, high = self._entries or (row.entry, row.entry)
        self._entries = (min(low, row.entry), max(high, row.entry))

    def _complete(self, height: int, index: int, found: bytes) -> None:
        if height % 8 == 0:
            stored = self._known.pop((height, index), None)
            if stored is None:
                self.complain("node", index, f"the stored subtree of height {height} is gone")
            elif not is_same(stored, found):
                self.complain("node", index, f"the stored subtree of height {height} is another one")

    def _checkpoint(self, row: CheckpointRow, tree: Growing) -> None:
        if not row.place:
            self._stored = row.size
        if not self._is_genuine(row):
            return
        if row.size < tree.size:
            return  # leaves are missing below: named already
        agrees = is_same(tree.root(), row.root)
        if agrees and not row.place:
            self._agreed, self._entries = row.size, None
        elif not agrees and (row.place or not self._is_broken):
            self._disagree(row)
        elif agrees and self.verifiers and row.size != self._stored:
            # A stored one comes before the copies of its size.
            reason = f"the copy at {row.place} is of this log, which no longer holds it: it was taken out"
            self.complain("checkpoint", row.size, reason)

    def _disagree(self, row: CheckpointRow) -> None:
        if row.place:
            self.complain("checkpoint", row.size, f"the copy at {row.place} has another root than the log")
            return
        self._is_broken = True
        low, high = self._entries or (0, 0)
        self.complain(
            "checkpoint",
            row.size,
            f"what was signed is not what the log holds: one of the entries {low} to {high}, sealed as "
            f"leaves {self._agreed} to {row.size - 1}, was changed, added or taken out",
        )

    def _beyond(self, row: CheckpointRow) -> None:
        if self._is_genuine(row):
            where = f"at {row.place} " if row.place else ""
            self.complain(
                "checkpoint",
                row.size,
                f"a log of {row.size} entries was signed {where}and {self.leaves} are left: the rest is gone",
            )

    def _is_genuine(self, row: CheckpointRow) -> bool:
        """Whether a checkpoint is signed and says what its columns say; a copy of another log is not ours."""
        if row.place:
            self.copies += 1
        else:
            self.checkpoints += 1
        where = f"the copy at {row.place}: " if row.place else ""
        try:
            found = open_checkpoint(row.note, self.verifiers) if self.verifiers else read_checkpoint(row.note)
            if (found.size, found.root) != (row.size, row.root):
                raise NoteUnreadable("its columns say something else than its note")
            if not row.place and len(read_note(row.note).signatures) != 1:
                raise NoteUnreadable("it bears another signature beside the log's")
        except (NoteUnreadable, SignatureWrong) as error:
            self.complain("checkpoint", row.size, f"{where}{error}")
            return False
        return True
