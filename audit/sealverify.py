"""Verify the seal: tree, checkpoints, and the copies that others keep."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from assay_core.notes import NoteUnreadable, Verifier, read_checkpoint
from audit import lag, sealrows
from audit.places import Place, PlaceFailed
from audit.report import Tally
from audit.sealcheck import CheckpointRow, SealCheck

_OVERDUE_SECONDS = 600.0
NO_COPY = (
    "No copy of a checkpoint outside this database was compared: a log that was cut back to an earlier "
    "checkpoint would not be noticed. Set AUDIT_PLACES, or give a copy with --copy."
)


@dataclass(frozen=True, slots=True)
class Against:
    """What the seal is held against: the keys, the places that are asked, copies that somebody brought."""

    verifiers: Sequence[Verifier] = ()
    places: Sequence[Place] = ()
    copies: Sequence[tuple[str, str]] = ()


def examine(tally: Tally, against: Against, *, using: str) -> None:
    """Check the whole seal into the tally. Runs inside the caller's transaction; raises DatabaseError."""
    check = SealCheck(against.verifiers, tally.seal_fault)
    outside = sorted(_outside(tally, against), key=lambda one: one.size)
    stored = sealrows.checkpoints(using)
    check.walk(
        sealrows.leaves(using),
        heapq.merge(stored, outside, key=lambda one: one.size),
        nodes=sealrows.nodes(using),
    )
    for number in sealrows.skipped(using):
        tally.seal_fault(
            "entry", number, "it is older than the seal and was never sealed: it was put in later"
        )
    for size, place in sealrows.published_and_gone(using):
        reason = f"it was published at {place}, and the log no longer holds it: it was taken out"
        tally.seal_fault("checkpoint", size, reason)
    tally.sealed(
        leaves=check.leaves,
        checkpoints=check.checkpoints,
        copies=check.copies,
        notes=_notes(tally, check, against, using),
    )


def _notes(tally: Tally, check: SealCheck, against: Against, using: str) -> list[str]:
    notes, behind = [], lag.lag(using=using)
    if check.leaves and not against.verifiers:
        tally.leave_out(
            "the signatures of the checkpoints, as no key is known: set AUDIT_VERIFIER or give --key"
        )
    if not check.checkpoints and (check.leaves or behind.waiting):
        tally.leave_out(
            "the seal, as no checkpoint is there: none was signed yet, or all were taken out. An entry that "
            "was written anew together with its payload would not be noticed. Give the upkeep worker an "
            "AUDIT_SIGNING_KEY"
        )
    elif behind.seconds > _OVERDUE_SECONDS:
        tally.leave_out(f"the seal of the newest entries: {behind}")
    elif behind.waiting:
        notes.append(f"Not sealed yet: {behind.waiting}, the oldest for {behind.seconds:.0f} s.")
    if check.checkpoints and (unsigned := check.leaves - sealrows.signed_size(using)) > 0:
        notes.append(f"The last {unsigned} leaves are not signed yet.")
    if check.checkpoints and not check.copies:
        notes.append(NO_COPY)
    return notes


def _outside(tally: Tally, against: Against) -> list[CheckpointRow]:
    """Return the checkpoints that places and people keep; a place that can't be read makes it partial."""
    found = []
    texts = list(against.copies)
    for place in against.places:
        if not place.can_be_read:
            continue
        try:
            texts += [(place.name, note) for note in place.read()]
        except PlaceFailed as error:
            tally.leave_out(f"the copies at {place.name}: {error}")
    for where, text in texts:
        try:
            made = read_checkpoint(text)
        except NoteUnreadable as error:
            tally.seal_fault("copy", 0, f"at {where} stands something that is no checkpoint: {error}")
            continue
        found.append(CheckpointRow(made.size, made.root, text, where))
    return found
