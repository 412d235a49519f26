"""Signed notes and checkpoints as C2SP writes them (signed-note, tlog-checkpoint), with Ed25519. Pure.

A checkpoint is a note of three lines: the log's origin, its size, its root.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from assay_core.merkle import HASH_BYTES

_ED25519 = b"\x01"
_KEY_ID_BYTES = 4
_NAME = re.compile(r"[^\s+\x00-\x1f\x7f]{1,200}")
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
_DASH = "\N{EM DASH} "


class NoteUnreadable(ValueError):
    """A text is no note, no checkpoint or no key; the message says what is wrong with it."""


class SignatureWrong(ValueError):
    """A note is not signed by the key that it has to be signed by."""


@dataclass(frozen=True, slots=True)
class Verifier:
    """A public key with the name of the log whose notes it opens."""

    name: str
    public: bytes

    @classmethod
    def read(cls, text: str) -> "Verifier":
        """Read NAME+ID+KEY as C2SP writes it. Raises NoteUnreadable."""
        name, key_id, key = _three(text.strip(), "a verifier key: NAME+ID+KEY")
        made = cls(name, _key(key, "the verifier key"))
        if made.key_id.hex() != key_id:
            raise NoteUnreadable(f"the verifier key of {name} has the id {made.key_id.hex()}, not {key_id}")
        return made

    @property
    def key_id(self) -> bytes:
        """The four bytes by which a signature names its key."""
        stem = self.name.encode() + b"\n" + _ED25519 + self.public
        return hashlib.sha256(stem).digest()[:_KEY_ID_BYTES]

    @property
    def text(self) -> str:
        """The key as it is handed out."""
        return f"{self.name}+{self.key_id.hex()}+{_encoded(_ED25519 + self.public)}"

    def is_signed(self, body: str, signature: bytes) -> bool:
        """Whether the signature over a note's body is this key's."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, body.encode())
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True, repr=False)
class SigningKey:
    """The private key of a log. Its repr shows the name only."""

    name: str
    seed: bytes

    @classmethod
    def make(cls, name: str) -> "SigningKey":
        """Make a new key for the log of this name. Raises NoteUnreadable for a name that no note can bear."""
        if not _NAME.fullmatch(name):
            raise NoteUnreadable(
                f"{name!r} can't name a log: use an address without https:// and without spaces or plus, "
                "such as assay.example.com/audit"
            )
        return cls(name, Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def read(cls, text: str) -> "SigningKey":
        """Read PRIVATE+KEY+NAME+ID+KEY. Raises NoteUnreadable, which never repeats the text."""
        form = "a signing key: PRIVATE+KEY+NAME+ID+KEY, as `manage.py auditkey` makes it"
        prefix = "PRIVATE+KEY+"
        if not text.strip().startswith(prefix):
            raise NoteUnreadable(f"this is not {form}")
        name, key_id, key = _three(text.strip().removeprefix(prefix), form)
        made = cls(name, _key(key, "the signing key"))
        if made.verifier.key_id.hex() != key_id:
            raise NoteUnreadable(f"the signing key of {name} does not belong to the id {key_id}")
        return made

    @property
    def text(self) -> str:
        """The key as it is kept. A secret."""
        return f"PRIVATE+KEY+{self.name}+{self.verifier.key_id.hex()}+{_encoded(_ED25519 + self.seed)}"

    @property
    def verifier(self) -> Verifier:
        """The public half."""
        return Verifier(self.name, self._private().public_key().public_bytes_raw())

    def sign(self, body: str) -> str:
        """Return the note: the body, an empty line, one signature."""
        signature = self.verifier.key_id + self._private().sign(body.encode())
        return f"{body}\n{_DASH}{self.name} {_encoded(signature)}\n"

    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)

    def __repr__(self) -> str:
        return f"SigningKey({self.name!r})"


@dataclass(frozen=True, slots=True)
class Note:
    """A note taken apart: the signed text, and (name, key id, signature) of each signature."""

    body: str
    signatures: tuple[tuple[str, bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a log was at one size. `note` is the whole text, signatures included."""

    origin: str
    size: int
    root: bytes
    note: str


def checkpoint_body(origin: str, size: int, root: bytes) -> str:
    """Return what is signed for a log of this size and root."""
    return f"{origin}\n{size}\n{_encoded(root)}\n"


def read_note(text: str) -> Note:
    """Take a note apart. Raises NoteUnreadable."""
    body, gap, tail = text.rpartition("\n\n")
    if not gap or not body or not tail.endswith("\n"):
        raise NoteUnreadable("a note is text, an empty line, and signatures, each line with its end")
    return Note(f"{body}\n", tuple(_signature(line) for line in tail.removesuffix("\n").split("\n")))


def read_checkpoint(text: str) -> Checkpoint:
    """Read a checkpoint without looking at its signatures. Raises NoteUnreadable."""
    lines = read_note(text).body.removesuffix("\n").split("\n")
    if len(lines) != 3:
        raise NoteUnreadable(f"a checkpoint has three lines before its signatures, this one {len(lines)}")
    origin, size, root = lines
    if not _NAME.fullmatch(origin):
        raise NoteUnreadable(f"{origin!r} is no origin of a log")
    if not _SIZE.fullmatch(size):
        raise NoteUnreadable(f"{size[:40]!r} is no size of a log")
    return Checkpoint(origin, int(size), decoded(root, "the root", HASH_BYTES), text)


def open_checkpoint(text: str, verifiers: Iterable[Verifier]) -> Checkpoint:
    """Read a checkpoint that one of these keys has signed, and none of them wrongly.

    Raises NoteUnreadable and SignatureWrong. Signatures of other keys are passed over, as C2SP has it.
    """
    found = read_checkpoint(text)
    note = read_note(text)
    known = [key for key in verifiers if key.name == found.origin]
    if not known:
        raise SignatureWrong(f"no key is known for the log {found.origin}")
    valid = 0
    for name, key_id, signature in note.signatures:
        for key in known:
            if (key.name, key.key_id) == (name, key_id):
                if not key.is_signed(note.body, signature):
                    raise SignatureWrong(
                        f"the signature under the checkpoint of size {found.size} is not that of {name}"
                    )
                valid += 1
    if not valid:
        ids = ", ".join(f"{key.name} {key.key_id.hex()}" for key in known)
        raise SignatureWrong(f"the checkpoint of size {found.size} is not signed by {ids}")
    return found


def split_notes(text: str) -> tuple[str, ...]:
    """Return the notes that stand in one text one after another. Raises NoteUnreadable for a rest."""
    notes, begin, is_signed = [], 0, False
    place = 0
    for line in text.splitlines(keepends=True):
        if is_signed and not line.startswith(_DASH):
            notes.append(text[begin:place])
            begin, is_signed = place, False
        elif line.startswith(_DASH):
            is_signed = True
        place += len(line)
    if not is_signed and text[begin:]:
        raise NoteUnreadable(f"after {len(notes)} notes stands a text that is none: {text[begin:][:60]!r}")
    return (*notes, text[begin:]) if text else ()


def decoded(text: str, what: str, length: int = 0) -> bytes:
    """Read base64 in its one spelling, of `length` bytes if it is given. Raises NoteUnreadable."""
    try:
        value = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NoteUnreadable(f"{what} is not base64") from None
    if _encoded(value) != text:
        raise NoteUnreadable(f"{what} is not in the one spelling of base64")
    if length and len(value) != length:
        raise NoteUnreadable(f"{what} has {len(value)} bytes instead of {length}")
    return value


def read_verifiers(texts: Sequence[str]) -> tuple[Verifier, ...]:
    """Read verifier keys. Raises NoteUnreadable."""
    return tuple(Verifier.read(text) for text in texts)


def _encoded(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


def _signature(line: str) -> tuple[str, bytes, bytes]:
    name, gap, value = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not gap or not _NAME.fullmatch(name):
        raise NoteUnreadable(f"{line[:60]!r} is not a signature line: a dash, a name, base64")
    whole = decoded(value, f"the signature of {name}")
    if len(whole) <= _KEY_ID_BYTES:
        raise NoteUnreadable(f"the signature of {name} is too short")
    return name, whole[:_KEY_ID_BYTES], whole[_KEY_ID_BYTES:]


def _three(text: str, form: str) -> tuple[str, str, str]:
    parts = text.split("+", 2)
    if len(parts) != 3 or not _NAME.fullmatch(parts[0]) or not re.fullmatch("[0-9a-f]{8}", parts[1]):
        raise NoteUnreadable(f"this is not {form}")
    return parts[0], parts[1], parts[2]


def _key(text: str, what: str) -> bytes:
    value = decoded(text, what, 33)
    if value[:1] != _ED25519:
        raise NoteUnreadable(f"{what} is of kind {value[0]}; only Ed25519 (1) is known")
    return value[1:]
