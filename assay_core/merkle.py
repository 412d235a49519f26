"""The Merkle tree of RFC 6962 over leaf hashes: roots, proofs, and their verification. Pure.

Trees are read through a `Subtree`: `subtree(height, index)` returns the hash of the complete subtree over the
leaves from `index << height` to before `(index + 1) << height`; at height 0 that is the leaf hash itself.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

Subtree: TypeAlias = Callable[[int, int], bytes]
HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()
# Leaves begin with 0, inner nodes with 1, so that neither passes for the other.
_LEAF_PREFIX, _NODE_PREFIX = b"\x00", b"\x01"


class ProofWrong(ValueError):
    """A proof does not prove what it is said to prove; the message says why."""


def leaf_hash(record: bytes) -> bytes:
    """Return SHA-256(0x00 || record)."""
    return hashlib.sha256(_LEAF_PREFIX + record).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return SHA-256(0x01 || left || right)."""
    return hashlib.sha256(_NODE_PREFIX + left + right).digest()


class Growing:
    """A tree that only grows, kept as the roots of its complete subtrees: 32 bytes for each power of two.

    `completed(height, index, hash)` is called for each inner subtree as it becomes whole.
    """

    def __init__(self, completed: Callable[[int, int, bytes], None] | None = None) -> None:
        self.size = 0
        self._peaks: list[bytes] = []
        self._completed = completed

    def append(self, leaf: bytes) -> None:
        """Add the next leaf hash."""
        carried, index, height = leaf, self.size, 0
        while index & 1:
            carried = node_hash(self._peaks.pop(), carried)
            index, height = index >> 1, height + 1
            if self._completed is not None:
                self._completed(height, index, carried)
        self._peaks.append(carried)
        self.size += 1

    def root(self) -> bytes:
        """Return the root over all leaves so far."""
        if not self._peaks:
            return EMPTY_ROOT
        root = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            root = node_hash(peak, root)
        return root


def root_of(leaves: Iterable[bytes]) -> bytes:
    """Return the root over leaf hashes."""
    tree = Growing()
    for leaf in leaves:
        tree.append(leaf)
    return tree.root()


def root(size: int, subtree: Subtree) -> bytes:
    """Return the root of the first `size` leaves."""
    return _over(0, size, subtree) if size else EMPTY_ROOT


def inclusion(index: int, size: int, subtree: Subtree) -> tuple[bytes, ...]:
    """Return the audit path of one leaf in the tree of `size`, from its sibling up. Raises ValueError."""
    if not 0 <= index < size:
        raise ValueError(f"leaf {index} is not in a tree of {size}")
    path, first, count = [], 0, size
    while count > 1:
        split = _split(count)
        if index - first < split:
            path.append(_over(first + split, count - split, subtree))
            count = split
        else:
            path.append(_over(first, split, subtree))
            first, count = first + split, count - split
    return tuple(reversed(path))


def consistency(old: int, new: int, subtree: Subtree) -> tuple[bytes, ...]:
    """Return the proof that the tree of `new` begins with the tree of `old`. Raises ValueError."""
    if not 0 <= old <= new:
        raise ValueError(f"a tree of {new} does not begin with one of {old}")
    if old in (0, new):
        return ()
    path, first, count, is_whole = [], 0, new, True
    while first + count != old:
        split = _split(count)
        if old - first <= split:
            path.append(_over(first + split, count - split, subtree))
            count = split
        else:
            path.append(_over(first, split, subtree))
            first, count, is_whole = first + split, count - split, False
    if not is_whole:
        path.append(_over(first, count, subtree))
    return tuple(reversed(path))


def verify_inclusion(leaf: bytes, index: int, size: int, *, path: Sequence[bytes], root: bytes) -> None:
    """Raise ProofWrong unless the path leads from the leaf at this index to the root of that size."""
    if not 0 <= index < size:
        raise ProofWrong(f"leaf {index} is not in a tree of {size}")
    found, number, last = leaf, index, size - 1
    for sibling in path:
        if last == 0:
            raise ProofWrong("the inclusion proof is longer than the tree is high")
        if number & 1 or number == last:
            found = node_hash(sibling, found)
            while not number & 1 and number:
                number, last = number >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        number, last = number >> 1, last >> 1
    if last:
        raise ProofWrong("the inclusion proof is too short")
    _agree(found, root, f"the inclusion proof of leaf {index} does not lead to the root of size {size}")


def verify_consistency(
    old: int, new: int, *, old_root: bytes, new_root: bytes, path: Sequence[bytes]
) -> None:
    """Raise ProofWrong unless the tree with the new root begins with the tree with the old one."""
    if not 0 <= old <= new:
        raise ProofWrong(f"a log of {new} entries cannot have grown from one of {old}")
    if old in (0, new):
        if path:
            raise ProofWrong("this consistency proof has to be empty")
        _agree(EMPTY_ROOT if old == 0 else new_root, old_root, f"the root of size {old} is another one")
        return
    hashes = list(path) if old & (old - 1) else [old_root, *path]
    if not hashes:
        raise ProofWrong("the consistency proof is empty")
    found_old, found_new = _replayed(hashes, old - 1, new - 1)
    _agree(found_old, old_root, f"the consistency proof does not lead to the root of size {old}")
    _agree(found_new, new_root, f"the consistency proof does not lead to the root of size {new}")


def _replayed(hashes: Sequence[bytes], number: int, last: int) -> tuple[bytes, bytes]:
    while number & 1:
        number, last = number >> 1, last >> 1
    found_old = found_new = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            raise ProofWrong("the consistency proof is longer than the tree is high")
        if number & 1 or number == last:
            found_old, found_new = node_hash(sibling, found_old), node_hash(sibling, found_new)
            while not number & 1 and number:
                number, last = number >> 1, last >> 1
        else:
            found_new = node_hash(found_new, sibling)
        number, last = number >> 1, last >> 1
    if last:
        raise ProofWrong("the consistency proof is too short")
    return found_old, found_new


def _agree(found: bytes, expected: bytes, complaint: str) -> None:
    if not hmac.compare_digest(found, expected):
        raise ProofWrong(complaint)


def _split(count: int) -> int:
    """Return the largest power of two below `count`."""
    return 1 << ((count - 1).bit_length() - 1)


def _over(first: int, count: int, subtree: Subtree) -> bytes:
    if count & (count - 1) == 0:
        height = count.bit_length() - 1
        return subtree(height, first >> height)
    split = _split(count)
    return node_hash(_over(first, split, subtree), _over(first + split, count - split, subtree))
