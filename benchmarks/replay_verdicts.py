"""How many verdicts a second are computed anew from recorded answers, on one core.

Every case of every shipped rule, the earning and the failing ones, is judged in turn under the whole
rulebook, as `assay-replay` does it: reasons are put into words for those alone that a person is shown. Beside
it, in the same rounds: the same with every reason read, only parsing the JSON of the same cases, and the
whole way of a replay (parse, read strictly, judge). A round is a few passes over the cases in a row, of
which the best counts: short enough that in some nothing else had the processor.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import verdicts
from benchmarks.figures import figure, median
from examples.shop import world
from toolbox.registry import load
from verdicts.case import Case, Entry, Subject
from verdicts.cases import Example
from verdicts.loading import load_rule, load_rulebook, rule_files
from verdicts.replay.command import seldom_collected
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

ROUNDS = 30
PASSES = 6
GOAL = 50_000


@dataclass(frozen=True, slots=True)
class Bench:
    """The rulebook, the cases as values, and the same cases as the text of a replay."""

    rulebook: Rulebook
    examples: Sequence[Example]
    texts: Sequence[str]


def main() -> None:
    """Print the rates and the ratio; alternate, so that the rest of the machine weighs on all alike."""
    bench = prepared()
    ways = (judge_all, word_all, parse_all, replay_all)
    rates: dict[str, list[float]] = {way.__name__: [] for way in ways}
    with seldom_collected():
        for _ in range(ROUNDS):
            for way in ways:
                rates[way.__name__].append(rate(way, bench))
    judged, parsed = rates["judge_all"], rates["parse_all"]
    best = max(judged)
    entries = sum(len(example.entries) for example in bench.examples) / len(bench.examples)
    figure(f"cases of {len(bench.rulebook.rules)} shipped rules", len(bench.examples), "")
    figure("entries of a case, on average", entries, "")
    figure("verdicts, one core, median of the rounds", median(judged), "/s")
    figure("verdicts, one core, best round", best, "/s", goal=f"{GOAL:,}/s", is_met=best >= GOAL)
    figure("verdicts with every reason read, best round", max(rates["word_all"]), "/s")
    figure("json.loads of the same cases, best round", max(parsed), "/s")
    figure("verdicts : json.loads of the same cases", best / max(parsed), "")
    figure("replays (parse, read strictly, judge), best round", max(rates["replay_all"]), "/s")


def prepared() -> Bench:
    """Load the shipped rules with the example shop's tools."""
    folder = Path(verdicts.__file__).parent / "rules"
    shop = Path(world.__file__).parent
    shapes = load([shop / "tools"], shop / "connectors.yaml").shapes()
    rulebook = load_rulebook([folder], shapes)
    usable = [path for path in rule_files(folder) if path.stem in rulebook.rules]
    examples = [each for path in usable for each in load_rule(path, shapes).examples]
    return Bench(rulebook, examples, [text_of(example) for example in examples])


def text_of(example: Example) -> str:
    """Return a case as the JSON text of a replay."""
    return json.dumps(
        {
            "subject": example.subject.to_plain(),
            "case": example.case.to_plain(),
            "entries": [entry.to_plain() for entry in example.entries.values()],
        }
    )


def judge_all(bench: Bench) -> None:
    """Judge each case once."""
    for example in bench.examples:
        verdict(example.case, example.subject, example.entries, bench.rulebook)


def word_all(bench: Bench) -> None:
    """Judge each case once and read every reason."""
    for example in bench.examples:
        decided = verdict(example.case, example.subject, example.entries, bench.rulebook)
        for fact in decided.facts:
            str(fact.reason)
        str(decided.reason)


def parse_all(bench: Bench) -> None:
    """Parse each case once."""
    for text in bench.texts:
        json.loads(text)


def replay_all(bench: Bench) -> None:
    """Parse, read and judge each case once."""
    for text in bench.texts:
        plain = json.loads(text)
        entries = {entry.id: entry for entry in map(Entry.from_plain, plain["entries"])}
        subject, case = Subject.from_plain(plain["subject"]), Case.from_plain(plain["case"])
        verdict(case, subject, entries, bench.rulebook)


def rate(once: Callable[[Bench], None], bench: Bench) -> float:
    """Return how many cases a second of processor time the best of a few passes does."""
    took = []
    for _ in range(PASSES):
        begin = time.process_time()
        once(bench)
        took.append(time.process_time() - begin)
    return len(bench.examples) / min(took)


if __name__ == "__main__":
    main()
