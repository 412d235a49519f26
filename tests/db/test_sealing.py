"""The sealer: what it takes and in which order, and that it never signs a log that was changed."""

import logging
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from assay_core import merkle
from assay_core.notes import SigningKey, checkpoint_body, open_checkpoint
from audit import lag, sealing
from audit.sealing import SealRefused, seal, seal_all
from audit.tree import StoredTree, TreeIncomplete
from audit.writing import write

Link = psycopg.Connection[Any]
KEY = SigningKey.make("log.example/audit")
APPEND = """SELECT audit_append('thing.done', '"system"', 1, 2, %s, '{"a":1}')::json ->> 'id'"""


@pytest.fixture
def link(committed_db: None, app_dsn: str) -> Iterator[Link]:
    """The application's role on a plain connection."""
    with psycopg.connect(app_dsn) as opened:
        yield opened
        opened.rollback()


@pytest.fixture
def intruder(committed_db: None, superuser_dsn: str) -> Iterator[Link]:
    """A superuser; the triggers are still there until a test takes them away."""
    with psycopg.connect(superuser_dsn, autocommit=True) as opened:
        yield opened


def entries(count: int) -> list[int]:
    return [write("thing.done", {"n": number}, actor="system").id for number in range(count)]


def append(link: Link) -> int:
    row = link.execute(APPEND, [b"s" * 32]).fetchone()
    assert row is not None
    return int(row[0])


def leaves(link: Link) -> list[tuple[int, int]]:
    return link.execute("SELECT leaf_index, entry FROM audit_leaf ORDER BY leaf_index").fetchall()


def test_an_empty_log_has_nothing_to_seal(committed_db: None) -> None:
    done = seal(KEY)
    assert done is not None
    assert (done.taken, done.size, done.checkpoint) == (0, 0, None)


def test_what_is_committed_is_sealed_once_and_signed(link: Link) -> None:
    made = entries(5)
    done = seal(KEY)
    assert done is not None
    assert done.checkpoint is not None
    assert leaves(link) == list(enumerate(made))
    opened = open_checkpoint(done.checkpoint.note, [KEY.verifier])
    hashes = [bytes(row[0]) for row in link.execute("SELECT leaf FROM audit_entry ORDER BY id")]
    assert (opened.size, opened.root) == (5, merkle.root_of(hashes))
    again = seal(KEY)
    assert again is not None
    assert (again.taken, again.checkpoint) == (0, None)


def test_an_entry_that_commits_late_is_sealed_after_those_that_did_not_wait(link: Link, app_dsn: str) -> None:
    seal(KEY)
    late = append(link)
    first = entries(3)
    seal(KEY)
    with psycopg.connect(app_dsn) as other:
        assert leaves(other) == [], "an older transaction is still running: nothing is certain yet"
        assert lag.lag().waiting == 3
    link.commit()
    seal(KEY)
    assert sorted(entry for _, entry in leaves(link)) == sorted([late, *first])


def test_an_entry_that_was_under_way_at_the_very_first_sealing_is_not_forgotten(link: Link) -> None:
    late = append(link)
    first = entries(3)
    seal(KEY)
    link.commit()
    seal(KEY)
    assert [entry for _, entry in leaves(link)] == [*first, late]


def test_an_entry_that_is_rolled_back_leaves_no_leaf(link: Link) -> None:
    append(link)
    kept = entries(1)
    link.rollback()
    seal(KEY)
    assert [entry for _, entry in leaves(link)] == kept


def test_batches_of_any_size_make_the_same_tree(link: Link) -> None:
    made = entries(23)
    assert seal_all(KEY, most=5) == 23
    assert [entry for _, entry in leaves(link)] == made
    sizes = [row[0] for row in link.execute("SELECT size FROM audit_checkpoint ORDER BY id")]
    assert sizes == [5, 10, 15, 20, 23]


def test_while_one_seals_the_other_does_nothing(link: Link) -> None:
    entries(2)
    link.execute("SELECT pg_advisory_xact_lock(hashtext('audit_seal'))")
    assert seal(KEY) is None
    link.rollback()
    done = seal(KEY)
    assert done is not None
    assert done.taken == 2


def test_a_log_in_another_cluster_loses_no_entry_and_doubles_none(link: Link, intruder: Link) -> None:
    """There the ids of transactions begin anew, lower than those that were sealed last."""
    before = entries(4)
    seal(KEY)
    intruder.execute("ALTER TABLE audit_batch DISABLE TRIGGER ALL")
    intruder.execute("UPDATE audit_batch SET cluster = cluster + 1, after_xid = '99999999'")
    after = entries(7)
    assert seal_all(KEY, most=3) == 7
    more = entries(2)
    assert seal_all(KEY) == 2
    assert [entry for _, entry in leaves(link)] == [*before, *after, *more]


def test_nodes_over_256_leaves_are_kept_and_right(link: Link) -> None:
    link.execute(
        "SELECT audit_append('thing.done', '\"system\"', 1, 2, %s, '{}') FROM generate_series(1, 700)",
        [b"s" * 32],
    )
    link.commit()
    seal_all(KEY, most=300)
    hashes = [bytes(row[0]) for row in link.execute("SELECT leaf FROM audit_leaf ORDER BY leaf_index")]
    nodes = link.execute("SELECT height, node_index, hash FROM audit_node ORDER BY 1, 2").fetchall()
    assert [(height, index) for height, index, _ in nodes] == [(8, 0), (8, 1)]
    assert bytes(nodes[1][2]) == merkle.root_of(hashes[256:512])
    tree = StoredTree("default")
    for index in (0, 255, 256, 511, 512, 699):
        path = tree.inclusion(index, 700)
        merkle.verify_inclusion(hashes[index], index, 700, path=path, root=merkle.root_of(hashes))
    for old in (1, 256, 300, 512, 699):
        merkle.verify_consistency(
            old,
            700,
            old_root=merkle.root_of(hashes[:old]),
            new_root=merkle.root_of(hashes),
            path=tree.consistency(old, 700),
        )
    with pytest.raises(TreeIncomplete):
        tree.root(701)


def test_a_log_that_does_not_hold_what_was_signed_is_not_signed_again(link: Link, intruder: Link) -> None:
    entries(5)
    seal(KEY)
    intruder.execute("ALTER TABLE audit_leaf DISABLE TRIGGER ALL")
    intruder.execute("UPDATE audit_leaf SET leaf = sha256('x') WHERE leaf_index = 2")
    entries(1)
    with pytest.raises(SealRefused, match="does not hold what was signed at size 5"):
        seal(KEY)
    assert len(leaves(link)) == 5, "leaves and checkpoint come together or not at all"


def test_a_checkpoint_that_the_sealer_did_not_sign_is_passed_over_and_said(
    link: Link, caplog: pytest.LogCaptureFixture
) -> None:
    """The application's role can add one, since it calls the function; it can't sign it."""
    entries(2)
    seal(KEY)
    root = merkle.EMPTY_ROOT
    forged = SigningKey.make(KEY.name).sign(checkpoint_body(KEY.name, 2, root))
    for _ in range(2):
        link.execute("SELECT audit_add_checkpoint(2, %s, %s)", [root, forged])
    link.commit()
    entries(1)
    with caplog.at_level(logging.ERROR):
        done = seal(KEY)
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("2 of the audit log's newest checkpoints are not the sealer's: checkpoint ")
    assert done is not None
    assert done.checkpoint is not None
    assert done.checkpoint.size == 3


@pytest.mark.parametrize(
    ("size", "note"),
    [(9, KEY.sign(checkpoint_body(KEY.name, 9, b"r" * 32))), (1, "x"), (1, "a\n2\nb\n\n"), (1, "y" * 3000)],
)
def test_a_checkpoint_that_says_something_else_is_refused(link: Link, size: int, note: str) -> None:
    entries(1)
    seal(KEY)
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        link.execute("SELECT audit_add_checkpoint(%s, %s, %s)", [size, b"r" * 32, note])


def test_another_key_needs_to_know_the_old_one(committed_db: None) -> None:
    entries(1)
    seal(KEY)
    entries(1)
    following = SigningKey.make(KEY.name)
    with pytest.raises(SealRefused, match="has to name the old one"):
        seal(following)
    done = seal(following, verifiers=[KEY.verifier])
    assert done is not None
    assert done.size == 2


def test_a_key_of_another_log_does_not_sign_this_one(committed_db: None) -> None:
    entries(1)
    seal(KEY)
    entries(1)
    with pytest.raises(SealRefused, match=r"signed as log.example/audit.*other.example"):
        seal(SigningKey.make("other.example"), verifiers=[KEY.verifier])


def test_the_lag_names_the_process_and_the_database_that_hold_it(
    link: Link, intruder: Link, servers: Any
) -> None:
    """The horizon is the cluster's: a transaction in another database holds it as well."""
    seal(KEY)
    with psycopg.connect(servers.postgres.dsn("postgres"), application_name="nightly job") as other:
        other.execute("SELECT pg_current_xact_id()")
        entries(3)
        seal(KEY)
        behind = lag.lag()
        assert behind.waiting == 3
        assert behind.holder is not None
        assert (behind.holder.pid, behind.holder.database) == (other.info.backend_pid, "postgres")
        late = lag.Lag(3, 61.0, behind.holder)
        assert late.is_late
        assert f"process {other.info.backend_pid} of " in str(late)
        assert "in database postgres (nightly job) holds the seal back" in str(late)
        other.rollback()
    assert sealing.seal_all(KEY) == 3
    assert str(lag.lag()) == "every entry is sealed"


def test_a_sealer_that_dies_in_the_middle_of_a_batch_leaves_nothing_half_done(
    link: Link, intruder: Link, app_dsn: str
) -> None:
    """Killed after the leaves and before the checkpoint: its connection ends, as after kill -9."""
    made = entries(6)
    dying = psycopg.connect(app_dsn)
    assert dying.execute("SELECT taken FROM audit_take_leaves(100)").fetchone() == (6,)
    intruder.execute("SELECT pg_terminate_backend(%s)", [dying.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        dying.execute("SELECT 1")
    dying.close()
    assert leaves(link) == []
    link.rollback()
    assert seal_all(KEY) == 6
    assert [entry for _, entry in leaves(link)] == made


def test_leaves_that_somebody_else_took_are_signed_all_the_same(link: Link) -> None:
    """The application's role may call the function: it then has sealed early, and nothing else."""
    made = entries(3)
    link.execute("SELECT audit_take_leaves(100)")
    link.commit()
    done = seal(KEY)
    assert done is not None
    assert done.checkpoint is not None
    assert (done.taken, done.checkpoint.size) == (0, 3)
    assert [entry for _, entry in leaves(link)] == made
