"""Signed notes and checkpoints: published vectors, and every byte of a checkpoint changed."""

from itertools import product

import pytest

from assay_core.merkle import EMPTY_ROOT
from assay_core.notes import (
    NoteUnreadable,
    SignatureWrong,
    SigningKey,
    Verifier,
    checkpoint_body,
    open_checkpoint,
    read_checkpoint,
    read_note,
    split_notes,
)

# The example of the documentation of Go's note package, which C2SP's signed-note is taken from.
PUBLISHED = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PUBLISHED_PRIVATE = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
SAYING = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
)
SIGNED = (
    SAYING + "\n\N{EM DASH} PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
KEY = SigningKey("log.example/audit", bytes(range(32)))
NOTE = KEY.sign(checkpoint_body(KEY.name, 17, bytes(range(32))))


def test_the_published_note_opens_with_the_published_key() -> None:
    key, note = Verifier.read(PUBLISHED), read_note(SIGNED)
    ((name, key_id, signature),) = note.signatures
    assert (note.body, name, key_id) == (SAYING, "PeterNeumann", key.key_id)
    assert key.is_signed(note.body, signature)
    assert key.text == PUBLISHED


def test_the_published_private_key_signs_the_published_note() -> None:
    key = SigningKey.read(PUBLISHED_PRIVATE)
    assert key.sign(SAYING) == SIGNED
    assert (key.text, key.verifier.text) == (PUBLISHED_PRIVATE, PUBLISHED)


def test_a_checkpoint_is_read_back() -> None:
    found = open_checkpoint(NOTE, [KEY.verifier])
    assert (found.origin, found.size, found.root, found.note) == (KEY.name, 17, bytes(range(32)), NOTE)


def test_no_byte_of_a_checkpoint_can_be_changed() -> None:
    whole = NOTE.encode()
    for place, change in product(range(len(whole)), (1, 4, 32, 128)):
        broken = whole[:place] + bytes([whole[place] ^ change]) + whole[place + 1 :]
        with pytest.raises((NoteUnreadable, SignatureWrong)):
            open_checkpoint(broken.decode("utf-8", "replace"), [KEY.verifier])


def test_the_signature_of_another_key_of_the_same_name_is_not_ours() -> None:
    stranger = SigningKey.make(KEY.name)
    forged = stranger.sign(checkpoint_body(KEY.name, 17, bytes(range(32))))
    with pytest.raises(SignatureWrong, match="not signed by"):
        open_checkpoint(forged, [KEY.verifier])
    assert open_checkpoint(forged, [KEY.verifier, stranger.verifier]).size == 17


def test_a_log_without_a_known_key_is_refused_by_name() -> None:
    with pytest.raises(SignatureWrong, match="no key is known for the log log"):
        open_checkpoint(NOTE, [SigningKey.make("other").verifier])


def test_a_further_signature_of_somebody_unknown_is_passed_over() -> None:
    witness = SigningKey.make("witness.example")
    signature = witness.sign(read_note(NOTE).body).rpartition("\n\n")[2]
    assert open_checkpoint(NOTE + signature, [KEY.verifier]).size == 17


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "a note is text"),
        ("a\n1\n", "a note is text"),
        (NOTE.rstrip("\n"), "a note is text"),
        (NOTE.replace("17", "017"), "no size"),
        (NOTE.replace("17", "-1"), "no size"),
        (NOTE.replace("17", "1" * 30), "no size"),
        (NOTE.replace("17\n", "17\nmore\n"), "three lines|base64"),
        (NOTE.replace(KEY.name, "a b"), "origin|base64"),
        (NOTE.replace("\N{EM DASH}", "-"), "signature line"),
    ],
)
def test_what_is_no_checkpoint_is_said_in_words(text: str, complaint: str) -> None:
    with pytest.raises(NoteUnreadable, match=complaint):
        read_checkpoint(text)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "x" * 201])
def test_a_name_that_no_note_can_bear_makes_no_key(name: str) -> None:
    with pytest.raises(NoteUnreadable, match="can't name a log"):
        SigningKey.make(name)


@pytest.mark.parametrize(
    "text",
    ["", "PRIVATE+KEY+", "PRIVATE+KEY+a+b", PUBLISHED, PUBLISHED_PRIVATE[:-2], PUBLISHED_PRIVATE + "A"],
)
def test_a_broken_private_key_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(NoteUnreadable) as refused:
        SigningKey.read(text)
    assert "AYEKFALVFGyNh" not in str(refused.value)


def test_a_key_does_not_show_itself() -> None:
    assert repr(KEY) == "SigningKey('log.example/audit')"


@pytest.mark.parametrize("text", ["", "a+b", PUBLISHED.replace("c74f20a3", "c74f20a4"), PUBLISHED[:-4]])
def test_a_broken_verifier_key_is_refused(text: str) -> None:
    with pytest.raises(NoteUnreadable):
        Verifier.read(text)


def test_notes_one_after_another_are_told_apart() -> None:
    other = KEY.sign(checkpoint_body(KEY.name, 0, EMPTY_ROOT))
    assert split_notes(NOTE + other + NOTE) == (NOTE, other, NOTE)
    assert split_notes("") == ()
    with pytest.raises(NoteUnreadable, match="after 1 notes"):
        split_notes(NOTE + "torn off in the mid")
