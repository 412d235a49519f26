"""The tree against the published vectors, against the definition itself, and against every broken proof."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay_core import merkle
from assay_core.merkle import ProofWrong

# The eight records and the roots that implementations of RFC 6962 are tested with.
RECORDS = [
    bytes.fromhex(text)
    for text in (
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
    )
]  # fmt: skip
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAVES = [merkle.leaf_hash(record) for record in RECORDS]
# (leaf, size, path) and (old, new, path) as published with them.
INCLUSIONS = [
    (0, 1, []),
    (
        0,
        8,
        [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        5,
        8,
        [
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
]
CONSISTENCIES = [
    (1, 1, []),
    (
        1,
        8,
        [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        6,
        8,
        [
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (
        2,
        5,
        [
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
]
sizes = st.integers(min_value=1, max_value=70)


def some_leaves(count: int) -> list[bytes]:
    return [merkle.leaf_hash(str(number).encode()) for number in range(count)]


def by_definition(leaves: list[bytes]) -> bytes:
    """The root as section 2.1 of RFC 6962 defines it, word by word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    left, right = by_definition(leaves[:split]), by_definition(leaves[split:])
    return hashlib.sha256(b"\x01" + left + right).digest()


def trees(leaves: list[bytes]) -> merkle.Subtree:
    def subtree(height: int, index: int) -> bytes:
        part = leaves[index << height : (index + 1) << height]
        assert len(part) == 1 << height, "only complete subtrees are asked for"
        return by_definition(part)

    return subtree


@pytest.mark.parametrize("size", range(1, 9))
def test_the_published_roots(size: int) -> None:
    assert merkle.root_of(LEAVES[:size]).hex() == ROOTS[size - 1]
    assert merkle.root(size, trees(LEAVES)).hex() == ROOTS[size - 1]


def test_the_empty_tree_has_the_hash_of_nothing() -> None:
    assert merkle.root_of([]) == merkle.root(0, trees([])) == hashlib.sha256(b"").digest()


@pytest.mark.parametrize(("index", "size", "path"), INCLUSIONS)
def test_the_published_inclusion_proofs(index: int, size: int, path: list[str]) -> None:
    made = merkle.inclusion(index, size, trees(LEAVES))
    assert [one.hex() for one in made] == path
    root = bytes.fromhex(ROOTS[size - 1])
    merkle.verify_inclusion(LEAVES[index], index, size, path=made, root=root)


@pytest.mark.parametrize(("old", "new", "path"), CONSISTENCIES)
def test_the_published_consistency_proofs(old: int, new: int, path: list[str]) -> None:
    made = merkle.consistency(old, new, trees(LEAVES))
    assert [one.hex() for one in made] == path
    merkle.verify_consistency(
        old, new, old_root=bytes.fromhex(ROOTS[old - 1]), new_root=bytes.fromhex(ROOTS[new - 1]), path=made
    )


@given(sizes)
def test_both_ways_to_a_root_are_the_definition(size: int) -> None:
    leaves = some_leaves(size)
    assert merkle.root_of(leaves) == merkle.root(size, trees(leaves)) == by_definition(leaves)


@settings(deadline=None)
@given(sizes, st.data())
def test_every_leaf_is_proven_and_no_other_in_its_place(size: int, data: st.DataObject) -> None:
    leaves = some_leaves(size)
    index = data.draw(st.integers(0, size - 1))
    other = data.draw(st.integers(0, size + 3))
    path, root = merkle.inclusion(index, size, trees(leaves)), by_definition(leaves)
    merkle.verify_inclusion(leaves[index], index, size, path=path, root=root)
    if other != index:
        with pytest.raises(ProofWrong):
            merkle.verify_inclusion(leaves[index], other, size, path=path, root=root)
    with pytest.raises(ProofWrong):
        merkle.verify_inclusion(merkle.leaf_hash(b"x"), index, size, path=path, root=root)


@settings(deadline=None)
@given(sizes, sizes)
def test_every_growth_is_proven_and_no_other_root(one: int, other: int) -> None:
    old, new = sorted((one, other))
    leaves = some_leaves(new)
    roots = {"old_root": by_definition(leaves[:old]), "new_root": by_definition(leaves)}
    path = merkle.consistency(old, new, trees(leaves))
    merkle.verify_consistency(old, new, **roots, path=path)
    for name in roots:
        with pytest.raises(ProofWrong):
            merkle.verify_consistency(old, new, **{**roots, name: b"\x00" * 32}, path=path)


@settings(deadline=None)
@given(st.integers(2, 70), st.data())
def test_a_proof_with_any_hash_changed_left_out_or_added_is_refused(size: int, data: st.DataObject) -> None:
    leaves = some_leaves(size)
    index = data.draw(st.integers(0, size - 1))
    old = data.draw(st.integers(1, size - 1))
    inclusion = merkle.inclusion(index, size, trees(leaves))
    growth = merkle.consistency(old, size, trees(leaves))
    root = by_definition(leaves)
    for broken in broken_forms(inclusion):
        with pytest.raises(ProofWrong):
            merkle.verify_inclusion(leaves[index], index, size, path=broken, root=root)
    for broken in broken_forms(growth):
        with pytest.raises(ProofWrong):
            merkle.verify_consistency(
                old, size, old_root=by_definition(leaves[:old]), new_root=root, path=broken
            )


def broken_forms(path: tuple[bytes, ...]) -> list[tuple[bytes, ...]]:
    changed = [
        (*path[:place], bytes([one[0] ^ 1]) + one[1:], *path[place + 1 :]) for place, one in enumerate(path)
    ]
    shorter = [path[:place] + path[place + 1 :] for place in range(len(path))]
    return [*changed, *shorter, (*path, b"\x00" * 32), (b"\x00" * 32, *path)]


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_a_leaf_outside_the_tree_has_no_proof(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="not in a tree"):
        merkle.inclusion(index, size, trees(LEAVES))
    with pytest.raises(ProofWrong, match="not in a tree"):
        merkle.verify_inclusion(LEAVES[0], index, size, path=(), root=LEAVES[0])


@pytest.mark.parametrize(("old", "new"), [(4, 3), (-1, 3)])
def test_a_log_that_shrank_has_no_proof(old: int, new: int) -> None:
    with pytest.raises(ValueError, match="begin"):
        merkle.consistency(old, new, trees(LEAVES))
    with pytest.raises(ProofWrong, match="cannot have grown"):
        merkle.verify_consistency(old, new, old_root=LEAVES[0], new_root=LEAVES[0], path=())


def test_nothing_is_the_beginning_of_everything_but_only_with_its_own_root() -> None:
    merkle.verify_consistency(0, 8, old_root=merkle.EMPTY_ROOT, new_root=LEAVES[0], path=())
    with pytest.raises(ProofWrong):
        merkle.verify_consistency(0, 8, old_root=LEAVES[0], new_root=LEAVES[0], path=())
    with pytest.raises(ProofWrong, match="empty"):
        merkle.verify_consistency(8, 8, old_root=LEAVES[0], new_root=LEAVES[0], path=(LEAVES[0],))
