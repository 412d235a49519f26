"""`assay-replay`: judge a folder of replays again, or accept a verdict. No Django, database or network."""

import argparse
import gc
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from verdicts.comparison import Ending
from verdicts.packs import folders_of
from verdicts.plain import CaseUnreadable
from verdicts.replay.accepted import AcceptanceRefused, accept
from verdicts.replay.folder import SHIPPED, Rulebooks, known_tools, read_replay, replay_files
from verdicts.replay.judging import Replayed, judge
from verdicts.replay.tools import read_tools

GREEN, RED, UNREADABLE = 0, 1, 2
_HOW_IT_ENDS = (
    "Exit code: 0 every replay is green; 1 one is a false pass, or its verdict is another than the accepted; "
    "2 a file, a rule folder or an argument can't be read."
)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for garbage seldom: what is read and judged here forms no circles, and looking costs a tenth."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Run the command; return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    said = out or sys.stdout
    try:
        if given[:1] == ["accept"]:
            return _accept(_accepting().parse_args(given[1:]), said)
        with seldom_collected():
            return _replay(_replaying().parse_args(given), said)
    except CaseUnreadable as error:
        print(f"assay-replay: {error}.", file=sys.stderr)
        return UNREADABLE


def _replay(options: argparse.Namespace, out: TextIO) -> int:
    """Judge every file; say what is red, and what is green but false."""
    books = _books(options)
    counted: Counter[str] = Counter()
    unread = 0
    for path, done in _judged(replay_files(options.places), books):
        if isinstance(done, CaseUnreadable):
            unread += 1
            print(f"unreadable   {done}.", file=out)
            continue
        counted[done.ending] += 1
        counted["red"] += not done.is_green
        if not done.is_green or done.ending is Ending.FALSE_FAIL or options.verbose:
            print(f"{_mark(done):<12} {path}: {done.sentence()}", file=out)
    for name, why in sorted(books.base.broken.items()):
        print(f"not loaded   the rule {name}: {why}", file=out)
    total = sum(counted[each] for each in Ending)
    print(_summary(total, counted, unread, books), file=out)
    if total + unread == 0:
        print("assay-replay: no replay was found. A folder holds them as *.json.", file=sys.stderr)
        return UNREADABLE
    return UNREADABLE if unread else RED if counted["red"] else GREEN


def _judged(paths: Sequence[Path], books: Rulebooks) -> Iterator[tuple[Path, Replayed | CaseUnreadable]]:
    for path in paths:
        try:
            each = read_replay(path)
        except CaseUnreadable as error:
            yield path, error
        else:
            yield path, judge(each, books.judging(each))


def _mark(done: Replayed) -> str:
    if done.ending in (Ending.FALSE_PASS, Ending.FALSE_FAIL):
        return str(done.ending)
    return "ok" if done.is_green else "changed"


def _summary(total: int, counted: Counter[str], unread: int, books: Rulebooks) -> str:
    parts = [f"{counted[each]} {each}" for each in Ending if counted[each]]
    if unread:
        parts.append(f"{unread} unreadable")
    came = ", ".join(parts) or "nothing to judge"
    rules = f"{len(books.base.rules)} rules ({books.base.digest[:12]})"
    colours = f"{total - counted['red']} green, {counted['red']} red"
    return f"{total + unread} replays under {rules}: {came}. {colours}."


def _accept(options: argparse.Namespace, out: TextIO) -> int:
    """Write a person's name under the verdict of now, file by file."""
    books = _books(options)
    code = GREEN
    for path in replay_files(options.places):
        each = read_replay(path)
        decided = each.judged(books.judging(each))
        at = options.at or datetime.now(UTC).isoformat()
        try:
            accepted = accept(decided, each.actual, by=options.by, at=at, because=options.because)
        except AcceptanceRefused as error:
            print(f"{path}: not accepted. {error}", file=sys.stderr)
            code = RED
            continue
        path.write_text(each.accepted_as(accepted).text(), encoding="ascii")
        word = "pass" if decided.passed else "fail"
        print(f"{path}: {word} of {decided.hypothesis} is accepted by {accepted.by}.", file=out)
    return code


def _books(options: argparse.Namespace) -> Rulebooks:
    folders, missing = folders_of(options.rules or [SHIPPED])
    for name, why in missing.items():
        raise CaseUnreadable(name, why.rstrip("."))
    tools = known_tools(options.places)
    for path in options.tools:
        tools |= read_tools(path)
    return Rulebooks(folders, tools)


def _replaying() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="assay-replay",
        description="Judge past incidents again from their recorded answers. "
        "`assay-replay accept` accepts a changed verdict.",
        epilog=_HOW_IT_ENDS,
    )
    _common(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="tell each replay, green ones too")
    return parser


def _accepting() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="assay-replay accept",
        description="Accept the verdict of now in your name. A false pass can't be accepted.",
    )
    _common(parser)
    parser.add_argument("--by", required=True, metavar="NAME", help="who accepts: a person")
    parser.add_argument("--because", required=True, metavar="TEXT", help="why the verdict is right")
    parser.add_argument("--at", metavar="TIME", help="when, as ISO 8601 with a zone; now, if left out")
    return parser


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("places", nargs="+", type=Path, metavar="FOLDER", help="folders, or single files")
    parser.add_argument(
        "--rules", action="append", default=[], metavar="PATH",
        help="a folder or package of rules, instead of the shipped ones; may be given again for more",
    )  # fmt: skip
    parser.add_argument(
        "--tools", action="append", type=Path, default=[], metavar="FILE",
        help="the shapes of further tools (tools.json beside the replays is read anyway)",
    )  # fmt: skip
