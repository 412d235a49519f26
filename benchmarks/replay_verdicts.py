"""How many verdicts a second are computed anew from recorded answers, on one core.

Every case of every shipped rule, the earning and the failing ones, is judged in turn under the whole
rulebook. Beside it, in the same rounds: only parsing the JSON of the same cases, and the whole way of
a replay (parse, read strictly, judge).
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
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

ROUNDS = 15
SECONDS = 0.2
GOAL = 20_000


@dataclass(frozen=True, slots=True)
class Bench:
    """The rulebook, the cases as values, and the same cases as the text of a replay."""

    rulebook: Rulebook
    examples: Sequence[Example]
    texts: Sequence[str]


def main() -> None:
    """Print the rates and the ratio; alternate, so that the rest of the machine weighs on all three."""
    bench = prepared()
    judged, parsed, replayed = [], [], []
    for _ in range(ROUNDS):
        judged.append(rate(judge_all, bench))
        parsed.append(rate(parse_all, bench))
        replayed.append(rate(replay_all, bench))
    best = max(judged)
    entries = sum(len(example.entries) for example in bench.examples) / len(bench.examples)
    figure(f"cases of {len(bench.rulebook.rules)} shipped rules", len(bench.examples), "")
    figure("entries of a case, on average", entries, "")
    figure("verdicts, one core, median of the rounds", median(judged), "/s")
    figure("verdicts, one core, best round", best, "/s", goal=f"{GOAL:,}/s", is_met=best >= GOAL)
    figure("json.loads of the same cases, one core", median(parsed), "/s")
    ratio = median([one / other for one, other in zip(judged, parsed, strict=True)])
    figure("verdicts : json.loads of the same cases", ratio, "")
    figure("replays (parse, read strictly, judge), one core", median(replayed), "/s")


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
    """Return how many cases a second of processor time are done."""
    done, begin = 0, time.process_time()
    while (took := time.process_time() - begin) < SECONDS:
        once(bench)
        done += len(bench.examples)
    return done / took


if __name__ == "__main__":
    main()
