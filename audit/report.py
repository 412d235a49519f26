"""What a verification found, and how it is said to a person and to a script. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from audit.examination import StoredRow

INTACT, TAMPERED, PARTIAL, CANNOT_VERIFY = 0, 1, 2, 3
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Fault:
    """One place at which the log is not what was written, with every reason.

    `entry` is the number of the entry, or of the checkpoint (its size) or node that `what` names.
    """

    entry: int
    reasons: tuple[str, ...]
    what: str = "entry"

    @property
    def name(self) -> str:
        """What to call the place in a sentence."""
        return f"{self.what} {self.entry}"


@dataclass(frozen=True, slots=True)
class SealCount:
    """How much of the seal was checked."""

    leaves: int = 0
    checkpoints: int = 0
    copies: int = 0
    faults: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The whole result. `faults` holds the lowest ids only; the counts are of all."""

    checked: int
    tampered: int
    citations: int
    broken_citations: int
    faults: tuple[Fault, ...]
    erased: int
    never_written: int
    in_default: int
    left_out: tuple[str, ...]
    seal: SealCount = SealCount()

    @property
    def exit_code(self) -> int:
        """Return 0 for intact, 1 for tampered, 2 for intact as far as it was checked."""
        if self.faults:
            return TAMPERED
        return PARTIAL if self.left_out else INTACT

    def sentences(self) -> list[str]:
        """Return the result for a person, the most important first."""
        return [self._result(), *self._faults(), *self._notes()]

    def _result(self) -> str:
        done = f"{_count(self.checked, 'entry', 'entries')} and {_count(self.citations, 'citation')} checked"
        if self.faults:
            return (
                f"TAMPERED at {self.faults[0].name}: {done}, "
                f"{_count(self.tampered, 'entry', 'entries')} not as written, "
                f"{_count(self.broken_citations, 'citation')} broken, "
                f"{_count(self.seal.faults, 'fault')} in the seal."
            )
        if self.left_out:
            return f"PARTIAL: {done}, all as written; not all was checked."
        return f"INTACT: {done}, all as written."

    def _faults(self) -> list[str]:
        lines = [f"  {fault.name}: {'; '.join(fault.reasons)}" for fault in self.faults]
        more = self.tampered + self.broken_citations + self.seal.faults
        more -= sum(len(fault.reasons) for fault in self.faults)
        return [*lines, f"  and {more} more"] if self.faults and more > 0 else lines

    def _notes(self) -> list[str]:
        notes = [f"Not checked: {what}." for what in self.left_out]
        if self.seal.leaves:
            notes.append(
                f"Seal: {_count(self.seal.leaves, 'entry', 'entries')} in the tree, "
                f"{_count(self.seal.checkpoints, 'checkpoint')} recomputed, "
                f"{_count(self.seal.copies, 'external copy', 'external copies')} compared."
            )
        notes += self.seal.notes
        if self.erased:
            notes.append(
                f"{_count(self.erased, 'payload')} erased, as the log records; their entries still stand."
            )
        if self.never_written:
            notes.append(
                f"{_count(self.never_written, 'id')} between the first and the last never written: their "
                "transactions were rolled back, or they were deleted together with their payload."
            )
        if self.in_default:
            notes.append(
                f"{_count(self.in_default, 'entry', 'entries')} in the default partition: the month's own "
                "was not made in time. See that beat and the upkeep worker run."
            )
        return notes


@dataclass(slots=True)
class Tally:
    """The running counts of one verification, of constant size however long the log is."""

    first: int
    last: int | None
    _checked: int = 0
    _tampered: int = 0
    _citations: int = 0
    _broken: int = 0
    _erased: int = 0
    _missing: int = 0
    _in_default: int = 0
    _seal_faults: int = 0
    _seal: SealCount = SealCount()
    _previous: int | None = None
    _faults: list[Fault] = field(default_factory=list)
    _left_out: list[str] = field(default_factory=list)

    def covers(self, number: int) -> bool:
        """Say whether an entry lies in the range that is checked."""
        return self.first <= number and (self.last is None or number <= self.last)

    def entry(self, row: StoredRow, reasons: Sequence[str]) -> None:
        """Count one entry, whole or not."""
        self._checked += 1
        self._erased += row.body is None and not reasons
        self._in_default += row.span.is_default
        if self._previous is not None:
            self._missing += max(0, row.id - self._previous - 1)
        self._previous = row.id
        if reasons:
            self.fault(row.id, reasons)

    def fault(self, number: int, reasons: Sequence[str]) -> None:
        """Count one entry that is not as it was written."""
        self._tampered += 1
        self._keep(Fault(number, tuple(reasons)))

    def citation(self, number: int, broken: str, where: str) -> None:
        """Count one citation; `broken` says what is wrong with it, if anything is."""
        self._citations += 1
        if broken:
            self._broken += 1
            self._keep(Fault(number, (f"{broken} (cited by {where})",)))

    def seal_fault(self, what: str, number: int, reason: str) -> None:
        """Count one fault of the seal: at an entry, a checkpoint (by its size), a node or a place."""
        self._seal_faults += 1
        self._keep(Fault(number, (reason,), what))

    def sealed(self, *, leaves: int, checkpoints: int, copies: int, notes: Sequence[str]) -> None:
        """Note how much of the seal was checked."""
        self._seal = SealCount(leaves, checkpoints, copies, 0, tuple(notes))

    def leave_out(self, what: str) -> None:
        """Note what was not checked."""
        self._left_out.append(what)

    def report(self) -> Report:
        """Return the counts as the final result."""
        left_out = list(self._left_out)
        if self.first > 1 or self.last is not None:
            until = "the end" if self.last is None else f"entry {self.last}"
            left_out.insert(0, f"anything outside entry {self.first} to {until}")
        return Report(
            checked=self._checked,
            tampered=self._tampered,
            citations=self._citations,
            broken_citations=self._broken,
            faults=tuple(self._faults),
            erased=self._erased,
            never_written=self._missing,
            in_default=self._in_default,
            left_out=tuple(left_out),
            seal=replace(self._seal, faults=self._seal_faults),
        )

    def _keep(self, fault: Fault) -> None:
        others = [one for one in self._faults if one.name != fault.name]
        same = [reason for one in self._faults if one.name == fault.name for reason in one.reasons]
        whole = Fault(
            fault.entry, (*same, *(reason for reason in fault.reasons if reason not in same)), fault.what
        )
        ordered = sorted([*others, whole], key=lambda one: (one.what != "entry", one.entry, one.what))
        self._faults = ordered[:_SHOWN]


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
