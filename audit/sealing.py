"""The sealer: take what has been committed into the tree, and sign what the tree is then. One at a time."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from assay_core.notes import (
    Checkpoint,
    NoteUnreadable,
    SignatureWrong,
    SigningKey,
    Verifier,
    checkpoint_body,
    open_checkpoint,
)
from audit.tree import StoredTree, TreeIncomplete

MOST_AT_ONCE = 5000
_log = logging.getLogger(__name__)


class SealRefused(Exception):
    """The log must not be signed as it is: it does not continue what was signed before."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """One round of the sealer: how many entries it took, and the checkpoint that it made, if any."""

    taken: int
    size: int
    is_all: bool
    checkpoint: Checkpoint | None


def seal(
    key: SigningKey,
    *,
    verifiers: Sequence[Verifier] = (),
    most: int = MOST_AT_ONCE,
    using: str = DEFAULT_DB_ALIAS,
) -> Sealed | None:
    """Seal up to `most` entries in one transaction; return None where another sealer is at work.

    Leaves and checkpoint are committed together or not at all. `verifiers` are the keys that earlier
    checkpoints may bear beside this one. Raises SealRefused where the tree is not the one signed last.
    """
    known = [key.verifier, *(one for one in verifiers if one != key.verifier)]
    with transaction.atomic(using=using):
        with connections[using].cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(hashtext('audit_seal'))")
            if not cursor.fetchone()[0]:
                return None
            cursor.execute("SELECT size, taken, is_all FROM audit_take_leaves(%s)", [most])
            size, taken, is_all = cursor.fetchone()
        last = latest(known, using=using)
        if size == 0 or (last is not None and last.size == size):
            return Sealed(taken, size, is_all, None)
        made = _signed(key, last, size, using)
        with connections[using].cursor() as cursor:
            cursor.execute("SELECT audit_add_checkpoint(%s, %s, %s)", [made.size, made.root, made.note])
    return Sealed(taken, size, is_all, made)


def seal_all(
    key: SigningKey,
    *,
    verifiers: Sequence[Verifier] = (),
    most: int = MOST_AT_ONCE,
    using: str = DEFAULT_DB_ALIAS,
) -> int:
    """Seal in batches until all is taken that may be; return how many entries were. Raises SealRefused."""
    taken = 0
    while (done := seal(key, verifiers=verifiers, most=most, using=using)) is not None:
        taken += done.taken
        if done.is_all:
            break
    return taken


def latest(verifiers: Sequence[Verifier], *, using: str = DEFAULT_DB_ALIAS) -> Checkpoint | None:
    """Return the newest checkpoint that one of these keys has signed; one that none has is passed over.

    None where there is no checkpoint. Raises SealRefused where there are some and none opens.
    """
    refused, passed_over = "", 0
    for identity, note in _newest_first(using):
        try:
            found = open_checkpoint(note, verifiers)
        except (NoteUnreadable, SignatureWrong) as error:
            refused, passed_over = refused or f"checkpoint {identity}: {error}", passed_over + 1
            continue
        if passed_over:  # once for all of them: the sealer comes by every few seconds
            said = "%s of the audit log's newest checkpoints are not the sealer's: %s."
            _log.error(said, passed_over, refused)
        return found
    if refused:
        raise SealRefused(
            f"No checkpoint of the log opens with the known keys ({refused}). Where the key was changed, "
            "AUDIT_VERIFIER has to name the old one too."
        )
    return None


def refuse_broken(last: Checkpoint, *, using: str = DEFAULT_DB_ALIAS) -> None:
    """Raise SealRefused unless the tree still holds what was signed last."""
    try:
        holds = StoredTree(using).root(last.size) == last.root
    except TreeIncomplete:
        holds = False
    if not holds:
        raise SealRefused(
            f"The tree does not hold what was signed at size {last.size}. Nothing is signed any more. "
            "Run verify_audit; it names what was changed."
        )


def _signed(key: SigningKey, last: Checkpoint | None, size: int, using: str) -> Checkpoint:
    """Sign the tree, once it is certain that it continues what was signed last."""
    if last is not None and last.origin != key.name:
        raise SealRefused(
            f"The log is signed as {last.origin}, and AUDIT_SIGNING_KEY is for {key.name}. "
            "Make a key of the same name: manage.py auditkey --name " + last.origin
        )
    if last is not None:
        refuse_broken(last, using=using)
    root = StoredTree(using).root(size)
    return Checkpoint(key.name, size, root, key.sign(checkpoint_body(key.name, size, root)))


def _newest_first(using: str) -> Iterator[tuple[int, str]]:
    before = 2**63 - 1
    while True:
        with connections[using].cursor() as cursor:
            cursor.execute(
                "SELECT id, note FROM audit_checkpoint WHERE id < %s ORDER BY id DESC LIMIT 5", [before]
            )
            rows = cursor.fetchall()
        if not rows:
            return
        yield from rows
        before = rows[-1][0]
