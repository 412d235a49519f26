"""The queue, its filters and search, an incident's page and a status change, over 1,000,000 incidents.

Each is asked as a browser asks it, in one process: the server's own time, with all queries; beside it, the
processor's time of that process and its database session, which tells on a machine that does other things
too. The same is asked over 10,000 incidents, in turns with the large one: what must not grow is told by a
ratio. `python -m benchmarks.queue_pages 1000000` takes minutes to fill, once where `BENCH_KEEP` names a
folder to keep it in; without a number it is scaled down. `BENCH_PAGES=others` asks for the other lists.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from benchmarks.asked_pages import GOALS, OTHERS
from benchmarks.figures import figure, median, percentile
from benchmarks.kept import filled

SMALL, SCALED, ALL = 10_000, 50_000, 1_000_000
ROUNDS, WARM = 60, 6
GOAL_MEDIAN, GOAL_P95, GOAL_QUERIES, GOAL_RATIO = 150, 300, 15, 1.5


@dataclass(slots=True)
class Measured:
    """What one kind of request took, each time: milliseconds, those of the processor, queries."""

    took: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)


class Side:
    """A process that asks for pages over one database."""

    def __init__(self, variables: Mapping[str, str], count: int) -> None:
        """Start it and wait until it is ready."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.asked_pages", str(count)],
            env={**os.environ, **variables, "DATABASE_POOL": ""},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._line()

    def ask(self, name: str, into: Measured | None) -> None:
        """Ask for a page once; note what it took."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        took, busy, queries = json.loads(self._line())
        if into is not None:
            into.took.append(took)
            into.busy.append(busy)
            into.queries.append(queries)

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.wait(10)

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("asking for pages failed: what it said stands above")
        return line


def main() -> None:
    """Print the figures at 10,000 and at the wanted number of incidents."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else int(os.environ.get("QUEUE_INCIDENTS", SCALED))
    names = {"": GOALS, "others": OTHERS, "all": (*GOALS, *OTHERS)}[os.environ.get("BENCH_PAGES", "")]
    rounds = int(os.environ.get("BENCH_ROUNDS", ROUNDS))
    with side(SMALL) as small, side(count) as large:
        for name in names:
            at_small, at_large = Measured(), Measured()
            for number in range(rounds + WARM):
                small.ask(name, at_small if number >= WARM else None)
                large.ask(name, at_large if number >= WARM else None)
            say(name, at_large, at_small, is_goal=count >= ALL and name in GOALS)


@contextmanager
def side(count: int) -> Iterator[Side]:
    """Stand on a filled database and ask it."""
    with filled(count) as stand:
        asking = Side(stand.variables, count)
        try:
            yield asking
        finally:
            asking.close()


def say(name: str, large: Measured, small: Measured, *, is_goal: bool) -> None:
    """Print one kind's figures; whether a goal is met is said of the whole number of incidents alone."""

    def met(value: float, most: float) -> bool | None:
        return value <= most if is_goal else None

    middle, high, most = median(large.took), percentile(large.took, 0.95), max(large.queries)
    figure(f"{name}, median", middle, "ms", goal=f"under {GOAL_MEDIAN} ms", is_met=met(middle, GOAL_MEDIAN))
    figure(f"{name}, p95", high, "ms", goal=f"under {GOAL_P95} ms", is_met=met(high, GOAL_P95))
    figure(f"{name}, of the processor", median(large.busy), "ms")
    figure(f"{name}, queries", most, "", goal=f"at most {GOAL_QUERIES}", is_met=met(most, GOAL_QUERIES))
    ratio = middle / median(small.took)
    goal = f"at most {GOAL_RATIO}"
    figure(f"{name}, to the time at {SMALL:,}", ratio, "times", goal=goal, is_met=met(ratio, GOAL_RATIO))
    busy = median(large.busy) / median(small.busy)
    figure(f"{name}, to the processor's time at {SMALL:,}", busy, "times")


if __name__ == "__main__":
    main()
