"""Proofs as files: C2SP's tlog-proof for an entry, and the growth of a log as tlog-witness writes it. Pure.

A proof's extra data holds the entry: `{"entry": its canonical text, "payload": text, "salt": hex}`; payload
and salt are null where only the commitment is handed out. Proofs that stand one after another make an export.
"""

import base64
import json
import re
from dataclasses import dataclass, replace
from typing import Any

from assay_core.canonical import NotCanonical, canonical
from assay_core.envelope import commitment, leaf
from assay_core.merkle import HASH_BYTES, ProofWrong, verify_consistency, verify_inclusion
from assay_core.notes import Checkpoint, NoteUnreadable, decoded, read_checkpoint

HEADER = "c2sp.org/tlog-proof@v1"
_INDEX = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


class ProofUnreadable(ValueError):
    """A text is no proof; the message says which line is wrong."""


@dataclass(frozen=True, slots=True)
class Disclosed:
    """An entry as a proof hands it out. Payload and salt are None where only the commitment is."""

    canonical: str
    payload: str | None
    salt: bytes | None

    @property
    def envelope(self) -> dict[str, Any]:
        """The envelope's values. Raises ProofWrong when the text holds none."""
        try:
            value = json.loads(self.canonical)
        except (ValueError, RecursionError):
            raise ProofWrong("the entry's text is not JSON") from None
        if not isinstance(value, dict):
            raise ProofWrong("the entry's text is not a JSON object")
        return value

    @property
    def name(self) -> str:
        """What to call it in a sentence."""
        try:
            return f"entry {self.envelope.get('id')}"
        except ProofWrong:
            return "an entry that can't be read"


@dataclass(frozen=True, slots=True)
class Proof:
    """One entry, its place in the log, the path to the root, and the signed checkpoint."""

    disclosed: Disclosed
    index: int
    path: tuple[bytes, ...]
    checkpoint: Checkpoint

    def render(self) -> str:
        """Return the file's text."""
        extra = {
            "entry": self.disclosed.canonical,
            "payload": self.disclosed.payload,
            "salt": None if self.disclosed.salt is None else self.disclosed.salt.hex(),
        }
        lines = [HEADER, f"extra {_encoded(canonical(extra).encode('ascii'))}", f"index {self.index}"]
        return "\n".join([*lines, *map(_encoded, self.path), "", self.checkpoint.note])

    def closed(self) -> "Proof":
        """Return the same proof without the payload: that something was recorded is shown, not what."""
        return replace(self, disclosed=replace(self.disclosed, payload=None, salt=None))

    def check(self) -> None:
        """Raise ProofWrong unless the entry stands in the log; the signature is looked at elsewhere."""
        name, salt, payload = self.disclosed.name, self.disclosed.salt, self.disclosed.payload
        committed = self.disclosed.envelope.get("payload")
        if salt is not None and payload is not None and commitment(salt, payload) != committed:
            raise ProofWrong(f"{name}: the payload is not the one that the entry commits to")
        try:
            verify_inclusion(
                leaf(self.disclosed.canonical),
                self.index,
                self.checkpoint.size,
                path=self.path,
                root=self.checkpoint.root,
            )
        except ProofWrong as wrong:
            raise ProofWrong(f"{name}: {wrong}") from None


@dataclass(frozen=True, slots=True)
class Growth:
    """The proof that the log of a checkpoint begins with the log of an older size."""

    old: int
    path: tuple[bytes, ...]
    checkpoint: Checkpoint

    def render(self) -> str:
        """Return the file's text, which is also what a witness takes."""
        return "\n".join([f"old {self.old}", *map(_encoded, self.path), "", self.checkpoint.note])

    def check(self, older: Checkpoint) -> None:
        """Raise ProofWrong unless the log has grown from the older checkpoint by appending alone."""
        if older.origin != self.checkpoint.origin:
            raise ProofWrong(f"these are two logs: {older.origin} and {self.checkpoint.origin}")
        if older.size != self.old:
            raise ProofWrong(f"the proof begins at size {self.old}, the older checkpoint has {older.size}")
        verify_consistency(
            older.size,
            self.checkpoint.size,
            old_root=older.root,
            new_root=self.checkpoint.root,
            path=self.path,
        )


def read_proofs(text: str) -> tuple[Proof, ...]:
    """Read one proof, or the many of an export. Raises ProofUnreadable with the line."""
    if not text.startswith(f"{HEADER}\n"):
        raise ProofUnreadable(f"this is not a proof: its first line is not {HEADER}")
    lines = text.split("\n")
    begins = [number for number, line in enumerate(lines) if line == HEADER]
    ends = [*begins[1:], len(lines)]
    proofs = []
    for begin, end in zip(begins, ends, strict=True):
        part = "\n".join(lines[begin:end]) + ("\n" if end < len(lines) else "")
        proofs.append(_proof(part, begin + 1))
    return tuple(proofs)


def read_growth(text: str) -> Growth:
    """Read the proof of growth. Raises ProofUnreadable."""
    head, gap, note = text.partition("\n\n")
    first, *path = head.split("\n")
    old = first.removeprefix("old ")
    if not gap or not first.startswith("old ") or not _INDEX.fullmatch(old):
        raise ProofUnreadable("this is not a proof of growth: its first line is not `old SIZE`")
    try:
        made = Growth(int(old), _path(path), read_checkpoint(note))
    except NoteUnreadable as error:
        raise ProofUnreadable(str(error)) from None
    if made.render() != text:
        raise ProofUnreadable("the proof of growth is not in its one form")
    return made


def _proof(text: str, line: int) -> Proof:
    head, gap, note = text.partition("\n\n")
    lines = head.split("\n")
    where = f"the proof that begins at line {line}"
    if not gap or len(lines) < 3 or not lines[1].startswith("extra ") or not lines[2].startswith("index "):
        raise ProofUnreadable(f"{where}: expected lines with `extra`, `index`, hashes, and a checkpoint")
    index = lines[2].removeprefix("index ")
    if not _INDEX.fullmatch(index):
        raise ProofUnreadable(f"{where}: {index[:40]!r} is no index")
    try:
        disclosed = _disclosed(decoded(lines[1].removeprefix("extra "), "the extra data"))
        made = Proof(disclosed, int(index), _path(lines[3:]), read_checkpoint(note))
    except NoteUnreadable as error:
        raise ProofUnreadable(f"{where}: {error}") from None
    if made.render() != text:
        raise ProofUnreadable(f"{where} is not in its one form")
    return made


def _disclosed(extra: bytes) -> Disclosed:
    try:
        value = json.loads(extra.decode("ascii"))
        if canonical(value).encode("ascii") != extra:
            raise NoteUnreadable("the extra data is not in its one form")
        entry, payload, salt = value["entry"], value["payload"], value["salt"]
    except (ValueError, NotCanonical, RecursionError, KeyError, TypeError):
        raise NoteUnreadable("the extra data is not an entry with payload and salt") from None
    is_whole = isinstance(payload, str) and isinstance(salt, str) and re.fullmatch("([0-9a-f]{2})+", salt)
    if not isinstance(entry, str) or set(value) != {"entry", "payload", "salt"}:
        raise NoteUnreadable("the extra data is not an entry with payload and salt")
    if not is_whole and not (payload is None and salt is None):
        raise NoteUnreadable("payload and salt of an entry are both there or both null")
    return Disclosed(entry, payload, bytes.fromhex(salt) if salt is not None else None)


def _path(lines: list[str]) -> tuple[bytes, ...]:
    return tuple(decoded(line, "a hash of the path", HASH_BYTES) for line in lines)


def _encoded(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")
