"""A process in which rules reach nothing: no clock, no file, no network. `python -m verdicts.prove.sealed`.

It reads rules, cases and shapes from its standard input, builds and judges them with everything shut,
and prints a digest of each verdict and whatever was reached for. Two such processes that differ in hash
seed, time zone and folder must print the same.
"""

import datetime
import hashlib
import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from assay_core.arguments import ToolShape
from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.cases import read_cases
from verdicts.fact import Fact
from verdicts.loading import RuleUnusable, built, compiled
from verdicts.plain import CaseUnreadable
from verdicts.replay.tools import tool_from_plain
from verdicts.rulebook import Rulebook
from verdicts.scrutiny import IMPORTABLE
from verdicts.verdict import verdict

_REACHING = (
    "open", "os.", "socket.", "subprocess.", "shutil.", "glob.", "pathlib.", "tempfile.", "ctypes.", "mmap.",
    "fcntl.", "sqlite3.", "urllib.", "http.", "ftplib.", "smtplib.", "time.sleep", "pty.", "resource.",
    "signal.", "syslog.", "builtins.input", "builtins.breakpoint", "import",
)  # fmt: skip
_CLOCKS = (
    "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time",
    "process_time_ns", "thread_time", "localtime", "gmtime", "ctime", "asctime", "strftime", "sleep",
)  # fmt: skip


class ReachedOutside(RuntimeError):
    """A rule reached for a clock, a file or the network while it was proven."""


class Seal:
    """Shuts this process for rules; what they reach for is kept, since a check may swallow the refusal."""

    def __init__(self) -> None:
        """Add the hook, which can't be taken away again: this belongs into a process of its own."""
        self.is_shut = False
        self.fact = ""
        self.reached: list[tuple[str, str]] = []
        sys.addaudithook(self._hear)

    @contextmanager
    def shut(self) -> Iterator[list[tuple[str, str]]]:
        """Shut everything; yields what was reached for since, by fact."""
        self.reached = []
        self.is_shut = True
        try:
            yield self.reached
        finally:
            self.is_shut = False

    def heard(self, name: str, fact: Fact) -> Fact:
        """Return a fact whose check is known by its name when it reaches for something."""

        def holds(answer: Answer, subject: Subject) -> bool:
            self.fact = name
            try:
                return fact.holds(answer, subject)
            finally:
                self.fact = ""

        return replace(fact, holds=holds)

    def clock(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        """Return a clock's function that can't be called while shut."""

        def asked(*values: Any, **named: Any) -> Any:
            return self._refuse(name) if self.is_shut else real(*values, **named)

        return asked

    def _hear(self, event: str, values: tuple[Any, ...]) -> None:
        if self.is_shut and event.startswith(_REACHING) and event != "os.putenv":
            self._refuse(event if event != "open" else f"open {values[0]!r}")

    def _refuse(self, what: str) -> NoReturn:
        self.reached.append((self.fact, what))
        raise ReachedOutside(f"{what} is shut while a rule is proven")


def main() -> None:
    """Judge what stands on the standard input and print what came of it."""
    asked = json.load(sys.stdin)
    shapes = {name: tool_from_plain(name, each, name) for name, each in asked["tools"].items()}
    seal = Seal()
    for module in sorted(IMPORTABLE):
        importlib.import_module(module)
    _shut_clocks(seal)
    print(json.dumps([_proven(rule, shapes, seal) for rule in asked["rules"]]))  # noqa: T201 its answer


def _proven(rule: dict[str, str], shapes: dict[str, ToolShape], seal: Seal) -> dict[str, Any]:
    path = Path(rule["path"])
    with seal.shut() as reached:
        try:
            spec = built(path, rule["source"], rule["cases"], compiled(path, rule["source"]))
            examples = read_cases(rule["cases"], spec, shapes)
        except (RuleUnusable, CaseUnreadable, SyntaxError, ValueError) as error:
            return {"reached": reached, "problem": str(error), "cases": {}}
        heard = {name: seal.heard(name, fact) for name, fact in spec.facts.items()}
        alone = Rulebook(rules={spec.name: replace(spec, facts=heard)}, shapes=shapes)
        digests = {}
        for each in examples:
            first, again = (_digest(verdict(each.case, each.subject, each.entries, alone)) for _ in "12")
            digests[each.name] = first if first == again else "differs from itself"
    return {"reached": reached, "problem": "", "cases": digests}


def _digest(decided: Any) -> str:
    return hashlib.sha256(json.dumps(decided.to_plain(), sort_keys=True).encode()).hexdigest()


def _shut_clocks(seal: Seal) -> None:
    for name in _CLOCKS:
        setattr(time, name, seal.clock(f"time.{name}", getattr(time, name)))
    for kind in (datetime.date, datetime.datetime):
        setattr(datetime, kind.__name__, _clockless(kind, seal))


def _clockless(kind: type, seal: Seal) -> type:
    """Return a kind of time that knows no present, and that takes every other one for its own."""
    meta = type("Clockless", (type,), {"__instancecheck__": lambda _, value: isinstance(value, kind)})
    clocks = {
        name: staticmethod(seal.clock(f"{kind.__name__}.{name}", getattr(kind, name)))
        for name in ("now", "utcnow", "today")
        if hasattr(kind, name)
    }
    made: type = meta(kind.__name__, (kind,), clocks)
    return made


if __name__ == "__main__":
    main()
