"""`assay-verify`, offline: what holds, what does not, every byte changed, and its exit codes."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from assay_core import merkle
from assay_core.canonical import canonical
from assay_core.envelope import commitment, leaf
from assay_core.notes import Checkpoint, SigningKey, checkpoint_body
from assay_core.sealed import Disclosed, Growth, Proof, read_growth, read_proofs
from assay_core.verify import main
from tests.pure.test_merkle import trees

FULL = os.environ.get("FULL") == "1"
Run = Callable[..., tuple[int, str]]
KEY = SigningKey.make("log.example/audit")
SALT = bytes(range(32))
BODIES = [canonical({"n": number, "text": "é"}) for number in range(11)]
TEXTS = [
    canonical({"id": 100 + number, "kind": "thing.done", "payload": commitment(SALT, body), "v": 1})
    for number, body in enumerate(BODIES)
]
LEAVES = [leaf(text) for text in TEXTS]


def checkpoint(size: int, key: SigningKey = KEY) -> Checkpoint:
    root = merkle.root_of(LEAVES[:size])
    return Checkpoint(key.name, size, root, key.sign(checkpoint_body(key.name, size, root)))


def proof(index: int, size: int = 11, *, is_open: bool = True, key: SigningKey = KEY) -> Proof:
    disclosed = Disclosed(TEXTS[index], BODIES[index] if is_open else None, SALT if is_open else None)
    return Proof(disclosed, index, merkle.inclusion(index, size, trees(LEAVES)), checkpoint(size, key))


def growth(old: int, new: int) -> Growth:
    return Growth(old, merkle.consistency(old, new, trees(LEAVES)), checkpoint(new))


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command on texts, each put into a file; returns exit code and what was said."""

    def go(command: str, *texts: str | bytes, key: str = KEY.verifier.text) -> tuple[int, str]:
        files = []
        for number, text in enumerate(texts):
            files.append(tmp_path / f"{number}.txt")
            files[-1].write_bytes(text if isinstance(text, bytes) else text.encode())
        named = [str(file) for file in files]
        if command == "export":
            named[1:1] = ["--checkpoint"]
        code = main([command, *named, *(["--key", key] if key else [])])
        return code, capsys.readouterr().out

    return go


def test_a_proof_holds_with_and_without_its_payload(run: Run) -> None:
    assert run("proof", proof(4).render())[0] == 0
    code, said = run("proof", proof(4, is_open=False).render())
    assert code == 0
    assert said.startswith("HOLDS: entry 104 stands in the log log.example/audit at 11 entries.")
    assert "without their payload" in said


def test_a_proof_is_read_back_as_it_was_written() -> None:
    made = (proof(4), proof(5, is_open=False))
    assert read_proofs("".join(one.render() for one in made)) == made
    assert proof(4).closed() == proof(4, is_open=False)
    assert read_growth(growth(3, 9).render()) == growth(3, 9)


@pytest.mark.parametrize("is_open", [True, False])
def test_any_byte_of_a_proof_that_is_changed_is_found(run: Run, is_open: bool) -> None:
    whole = proof(4, is_open=is_open).render().encode()
    places = range(len(whole))
    for place in places if FULL else random.Random(7).sample(places, 12):
        broken = (
            whole[:place]
            + bytes([whole[place] ^ random.Random(place).choice((1, 2, 32))])
            + whole[place + 1 :]
        )
        code, said = run("proof", broken)
        assert code in (1, 3), (place, said)


def test_any_byte_of_a_growth_that_is_changed_is_found(run: Run) -> None:
    whole = growth(3, 9).render().encode()
    for place in range(0, len(whole), 1 if FULL else 29):
        broken = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        assert run("growth", checkpoint(3).note, broken)[0] == 1, place


def test_a_changed_entry_is_named(run: Run) -> None:
    other = Disclosed(TEXTS[4].replace("thing.done", "thing.gone"), BODIES[4], SALT)
    code, said = run("proof", Proof(other, 4, proof(4).path, checkpoint(11)).render())
    assert (code, said[:26]) == (1, "DOES NOT HOLD: entry 104: ")
    other = Disclosed(TEXTS[4], BODIES[5], SALT)
    code, said = run("proof", Proof(other, 4, proof(4).path, checkpoint(11)).render())
    assert code == 1
    assert "entry 104: the payload is not the one" in said


def test_one_broken_proof_among_many_is_named(run: Run) -> None:
    other = Proof(proof(6).disclosed, 6, proof(5).path, checkpoint(11))
    code, said = run("proof", proof(5).render() + other.render() + proof(7).render())
    assert code == 1
    assert "entry 106" in said


def test_a_proof_signed_by_somebody_else_does_not_hold(run: Run) -> None:
    code, said = run("proof", proof(4, key=SigningKey.make(KEY.name)).render())
    assert code == 1
    assert "is not signed by" in said


def test_without_the_key_it_holds_in_part_only(run: Run) -> None:
    assert run("proof", proof(4).render(), key="")[0] == 2
    assert run("growth", checkpoint(3).note, growth(3, 9).render(), key="")[0] == 2


def test_an_export_holds_against_its_checkpoint(run: Run) -> None:
    text = "".join(proof(index, 9).render() for index in range(2, 7))
    code, said = run("export", text, checkpoint(9).note)
    assert code == 0
    assert "5 entries, leaves 2 to 6 without a gap" in said


def test_an_export_with_an_entry_left_out_is_found(run: Run) -> None:
    text = "".join(proof(index, 9).render() for index in (2, 3, 5))
    code, said = run("export", text, checkpoint(9).note)
    assert code == 1
    assert "after leaf 3 comes leaf 5" in said


def test_an_export_under_another_checkpoint_says_what_to_do(run: Run) -> None:
    code, said = run("export", proof(2, 9).render(), checkpoint(11).note)
    assert code == 1
    assert "check the growth" in said


def test_two_checkpoints_of_one_log_hold(run: Run) -> None:
    for old, new in ((1, 11), (4, 4), (8, 9)):
        code, said = run("growth", checkpoint(old).note, growth(old, new).render())
        assert code == 0, said
        assert f"grew from {old} to {new} entries by appending alone" in said


def test_a_log_that_was_written_anew_does_not_continue_the_old_one(run: Run) -> None:
    root = merkle.root_of([leaf("other"), *LEAVES[1:3]])
    older = KEY.sign(checkpoint_body(KEY.name, 3, root))
    code, said = run("growth", older, growth(3, 9).render())
    assert code == 1
    assert "does not lead to the root of size 3" in said


def test_checkpoints_of_two_logs_or_of_another_size_are_told_apart(run: Run) -> None:
    other = SigningKey.make("other.example")
    assert "two logs" in run("growth", checkpoint(3, other).note, growth(3, 9).render(), key="")[1]
    assert "begins at size 3" in run("growth", checkpoint(4).note, growth(3, 9).render())[1]


@pytest.mark.parametrize("text", ["", "{}", "c2sp.org/tlog-proof@v2\n", "\ufeffc2sp.org/tlog-proof@v1\n"])
def test_what_is_no_proof_cannot_be_checked(run: Run, text: str) -> None:
    code, said = run("proof", text)
    assert code == 3
    assert "CANNOT CHECK" in said


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["proof"],
        ["proof", "/not/there"],
        ["proof", "/", "--key", "x"],
        ["export", "/not/there"],
        ["proof", "/not/there", "--key-file", "/not/there"],
        ["other"],
    ],
)
def test_a_wrong_command_line_has_the_exit_code_of_what_was_not_checked(arguments: list[str]) -> None:
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == 3


def test_bytes_that_are_no_text_do_not_hold(run: Run) -> None:
    assert run("proof", b"\xff\xfe")[0] == 1
