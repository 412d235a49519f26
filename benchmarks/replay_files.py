"""`assay-replay` over 10,000 files: read, parsed, checked and judged, on one core.

The files are the cases of the shipped rules, over and over, each as a replay with numbers of its own. Told
apart: the command as a whole with its start, and the files a second once the rules are loaded.
"""

import io
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import figure
from benchmarks.replay_verdicts import Bench, prepared
from verdicts.closings import Actual, settled
from verdicts.frozen import Frozen
from verdicts.replay.accepted import accept
from verdicts.replay.command import GREEN
from verdicts.replay.command import main as command
from verdicts.replay.file import Replay
from verdicts.replay.tools import FILE, tools_of, write_tools

FILES = 10_000
ROUNDS = 3
GOAL = 5_000


def main() -> None:
    """Print the rates; the number of files may be given."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    with tempfile.TemporaryDirectory(prefix="assay-bench-", dir="/tmp") as name:
        measure(Path(name), count)


def measure(folder: Path, count: int) -> None:
    """Write the files, judge them a few times, print the best round."""
    size = write(folder, prepared(), count)
    few = folder / "few"
    few.mkdir()
    (few / FILE).write_bytes((folder / FILE).read_bytes())
    (few / "one.json").write_bytes((folder / "replay-0.json").read_bytes())
    whole = min(seconds(folder) for _ in range(ROUNDS))
    start = min(seconds(few) for _ in range(ROUNDS))
    figure("replay files", count, "")
    figure("bytes of a file, on average", size / count, "")
    figure("the command's start: rules loaded and proven", start, "s")
    figure("files a second, the start included", count / whole, "/s")
    rate = (count - 1) / (whole - start)
    figure("files a second", rate, "/s", goal=f"{GOAL:,}/s", is_met=rate >= GOAL)


def seconds(folder: Path) -> float:
    """Return the processor time of one run, system calls included; SystemExit when it is not green."""
    out = io.StringIO()
    began = time.process_time()
    code = command([str(folder)], out)
    took = time.process_time() - began
    if code != GREEN:
        raise SystemExit(f"assay-replay ended with {code}: {out.getvalue()[-2000:]}")
    return took


def write(folder: Path, bench: Bench, count: int) -> int:
    """Write that many files and the tools; return their bytes."""
    size = 0
    write_tools(folder / FILE, bench.rulebook.shapes)
    for number, replay in zip(range(count), itertools.cycle(list(_replays(bench))), strict=False):
        text = replay.text().replace('"incident":1,', f'"incident":{number + 1},', 1)
        (folder / f"replay-{number}.json").write_text(text, encoding="ascii")
        size += len(text)
    return size


def _replays(bench: Bench) -> Iterator[Replay]:
    for each in bench.examples:
        frozen = Frozen(each.subject, each.case, each.entries)
        if frozen.lacks:
            continue
        outcome = "harmless" if each.passes else "real and fixed"
        actual = settled(each.subject.kind, outcome)
        assert actual in (Actual.PASS, Actual.FAIL)
        bare = Replay(each.name, frozen, outcome, tools_of(frozen, bench.rulebook), "", None)
        decided = bare.judged(bench.rulebook)
        yield bare.accepted_as(
            accept(decided, actual, by="Ada", at="2026-07-01T12:00:00Z", because="It is right.")
        )


if __name__ == "__main__":
    main()
