"""`assay-verify`: check proofs of an audit log offline, with the log's public key and nothing else.

  assay-verify proof FILE --key KEY                      the entries in FILE stand in the log
  assay-verify export FILE --checkpoint NOTE --key KEY   the same, under just this checkpoint, without gaps
  assay-verify growth OLDER FILE --key KEY               the log in FILE continues that of checkpoint OLDER

Exit codes: 0 it holds, 1 it does not, 2 it holds as far as it could be checked, 3 it could not be checked.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from assay_core.merkle import ProofWrong

try:
    import cryptography as _  # noqa: F401 asked for its presence alone
except ImportError as missing:
    raise SystemExit(
        "assay-verify needs the package cryptography: pip install 'assay-core[verify]'"
    ) from missing

from assay_core.notes import (
    Checkpoint,
    NoteUnreadable,
    SignatureWrong,
    Verifier,
    open_checkpoint,
    read_checkpoint,
    read_verifiers,
)
from assay_core.sealed import HEADER, Proof, ProofUnreadable, read_growth, read_proofs

HOLDS, BROKEN, PARTLY, UNCHECKED = 0, 1, 2, 3
_NO_KEY = "the signature was not checked: give the log's key with --key"


class CannotCheck(Exception):
    """A file can't be read or is of another kind; the message says which."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a check found: an exit code and sentences, the most important first."""

    code: int
    sentences: tuple[str, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """Check what the command line names, print the result, return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        result = _checked(options)
    except CannotCheck as error:
        result = Result(UNCHECKED, (f"CANNOT CHECK: {error}",))
    except (ProofWrong, ProofUnreadable, NoteUnreadable, SignatureWrong) as error:
        result = Result(BROKEN, (f"DOES NOT HOLD: {error}",))
    for sentence in result.sentences:
        sys.stdout.write(f"{sentence}\n")
    return result.code


def check_proofs(text: str, keys: Sequence[Verifier]) -> Result:
    """Check each proof of a file. Raises what is wrong with the first that does not hold."""
    proofs = read_proofs(text)
    for proof in proofs:
        _check(proof, keys)
    names = f"{proofs[0].disclosed.name} stands" if len(proofs) == 1 else f"{len(proofs)} entries stand"
    sizes = {proof.checkpoint.size for proof in proofs}
    said = (
        f"{names} in the log {proofs[0].checkpoint.origin} at {', '.join(map(str, sorted(sizes)))} entries."
    )
    return _result(said, proofs, keys)


def check_export(text: str, note: str, keys: Sequence[Verifier]) -> Result:
    """Check an export against one checkpoint, gaps included. Raises what is wrong first."""
    checkpoint = _opened(note, keys)
    proofs = read_proofs(text)
    before = None
    for proof in proofs:
        under = proof.checkpoint
        if (under.origin, under.size, under.root) != (checkpoint.origin, checkpoint.size, checkpoint.root):
            raise ProofWrong(
                f"{proof.disclosed.name} is proven at {under.size} entries, the given checkpoint has "
                f"{checkpoint.size}: ask for an export at that size, or check the growth between the two"
            )
        _check(proof, keys)
        if before is not None and proof.index != before + 1:
            raise ProofWrong(
                f"after leaf {before} comes leaf {proof.index}: entries were left out of the export"
            )
        before = proof.index
    said = (
        f"{len(proofs)} entries, leaves {proofs[0].index} to {proofs[-1].index} without a gap, stand in the "
        f"log {checkpoint.origin} at {checkpoint.size} entries."
    )
    return _result(said, proofs, keys)


def check_growth(older: str, text: str, keys: Sequence[Verifier]) -> Result:
    """Check that one checkpoint continues another. Raises what is wrong first."""
    old, grown = _opened(older, keys), read_growth(text)
    _opened(grown.checkpoint.note, keys)
    grown.check(old)
    said = (
        f"HOLDS: the log {old.origin} grew from {old.size} to {grown.checkpoint.size} entries "
        "by appending alone."
    )
    return Result(HOLDS, (said,)) if keys else Result(PARTLY, (said, f"But {_NO_KEY}."))


def _result(said: str, proofs: Sequence[Proof], keys: Sequence[Verifier]) -> Result:
    closed = sum(proof.disclosed.payload is None for proof in proofs)
    notes = [
        f"{closed} of them without their payload: what was recorded is not shown, that it was is proven."
    ]
    notes = notes if closed else []
    if keys:
        return Result(HOLDS, (f"HOLDS: {said}", *notes))
    return Result(PARTLY, (f"PARTLY: {said}", f"But {_NO_KEY}.", *notes))


def _check(proof: Proof, keys: Sequence[Verifier]) -> None:
    try:
        _opened(proof.checkpoint.note, keys)
    except SignatureWrong as error:
        raise SignatureWrong(f"{proof.disclosed.name}: {error}") from None
    proof.check()


def _opened(note: str, keys: Sequence[Verifier]) -> Checkpoint:
    return open_checkpoint(note, keys) if keys else read_checkpoint(note)


def _checked(options: argparse.Namespace) -> Result:
    keys = _keys(options)
    text = _text(options.file)
    if options.command == "growth":
        result = check_growth(_text(options.older), text, keys)
    elif not text.startswith(HEADER):
        raise CannotCheck(f"{options.file} is not a proof: its first line is not {HEADER}.")
    elif options.command == "export":
        result = check_export(text, _text(options.checkpoint), keys)
    else:
        result = check_proofs(text, keys)
        if options.show:
            shown = tuple(
                line
                for proof in read_proofs(text)
                for line in (
                    "",
                    proof.disclosed.canonical,
                    proof.disclosed.payload or "(payload not handed out)",
                )
            )
            result = Result(result.code, (*result.sentences, *shown))
    return result


def _keys(options: argparse.Namespace) -> tuple[Verifier, ...]:
    texts = list(options.key)
    for file in options.key_file:
        texts += [line for line in _text(file).splitlines() if line.strip()]
    try:
        return read_verifiers(texts)
    except NoteUnreadable as error:
        raise CannotCheck(f"--key: {error}.") from None


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8")
    except OSError as error:
        raise CannotCheck(f"{file} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise ProofUnreadable(f"{file} is not UTF-8 at byte {error.start}") from None


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """End with the code of what could not be checked: argparse's own, 2, says something else here."""
        self.print_usage(sys.stderr)
        self.exit(UNCHECKED, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    common = _Parser(add_help=False)
    common.add_argument(
        "--key", action="append", default=[], metavar="NAME+ID+KEY", help="the log's public key"
    )
    common.add_argument("--key-file", action="append", default=[], type=Path, help="a file with such keys")
    parser = _Parser(
        prog="assay-verify", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    proof = commands.add_parser("proof", parents=[common], help="check the proofs in a file")
    proof.add_argument("file", type=Path)
    proof.add_argument("--show", action="store_true", help="print the entries too")
    export = commands.add_parser("export", parents=[common], help="check an export against a checkpoint")
    export.add_argument("file", type=Path)
    export.add_argument(
        "--checkpoint", type=Path, required=True, help="a copy of the checkpoint, kept elsewhere"
    )
    growth = commands.add_parser(
        "growth", parents=[common], help="check that one checkpoint continues another"
    )
    growth.add_argument("older", type=Path, help="the older checkpoint")
    growth.add_argument("file", type=Path, help="the proof, which ends in the newer checkpoint")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
