"""The proof of purity: same input, same output, with no clock and nothing to reach.

Rules are judged in two sealed processes that differ in hash seed, time zone and folder.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import verdicts
from assay_core.arguments import ToolShape
from verdicts.prove.weakness import Proof, Weakness
from verdicts.replay.tools import tool_to_plain

_SURROUNDINGS = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC"},
    {"PYTHONHASHSEED": "20111", "TZ": "Pacific/Kiritimati"},
)
_SECONDS = 120
#: What a Python needs to start; nothing else of the environment reaches a rule.
_KEPT = frozenset({"PATH", "SYSTEMROOT", "LANG", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"})


class ProofImpossible(Exception):
    """The sealed processes could not be run; the message says what they said."""


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule file as it was read: what the sealed processes are given."""

    path: Path
    source: str
    cases: str


class Sealed:
    """Two sealed processes that judge rules while the other proofs go on. Leaving the block ends them."""

    def __init__(self, texts: Sequence[RuleText], shapes: Mapping[str, ToolShape]) -> None:
        """Start both; they judge whatever of the rules can be built."""
        asked = json.dumps(
            {
                "tools": {name: tool_to_plain(shape) for name, shape in shapes.items()},
                "rules": [
                    {"path": str(text.path), "source": text.source, "cases": text.cases} for text in texts
                ],
            }
        ).encode()
        self._texts = texts
        self._started = [
            _start(around, folder, asked)
            for around, folder in zip(_SURROUNDINGS, ("/", _root()), strict=True)
        ]

    def __enter__(self) -> Self:
        """Return the two as one."""
        return self

    def __exit__(self, *_: object) -> None:
        """End what still runs."""
        for process in self._started:
            if process.poll() is None:
                process.kill()
                process.communicate()

    def impure(self) -> dict[Path, tuple[int, tuple[Weakness, ...]]]:
        """Return, by rule file, how many cases were judged and what is impure; raise ProofImpossible."""
        first, second = (_answer(process) for process in self._started)
        return {
            text.path: (len(one["cases"]), _weaknesses(text.path.stem, one, other))
            for text, one, other in zip(self._texts, first, second, strict=True)
        }


def _weaknesses(rule: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[Weakness, ...]:
    found = [
        Weakness(Proof.PURITY, rule, fact, f"it reaches for {what}")
        for fact, what in dict.fromkeys(map(tuple, [*one["reached"], *other["reached"]]))
    ]
    if one["problem"] != other["problem"]:
        found.append(Weakness(Proof.PURITY, rule, "", "it can be built in one process and not in the other"))
    for name, digest in one["cases"].items():
        if digest == "differs from itself":
            found.append(Weakness(Proof.PURITY, rule, "", "judged twice it gives two verdicts", name))
        elif digest != other["cases"].get(name):
            words = "two processes (of another hash seed, time zone and folder) give two verdicts"
            found.append(Weakness(Proof.PURITY, rule, "", words, name))
    return tuple(found)


def _start(around: Mapping[str, str], folder: str, asked: bytes) -> subprocess.Popen[bytes]:
    kept = {name: value for name, value in os.environ.items() if name in _KEPT}
    with tempfile.TemporaryFile() as given:  # a pipe would keep us waiting until the process reads
        given.write(asked)
        given.seek(0)
        return subprocess.Popen(
            [sys.executable, "-m", "verdicts.prove.sealed"],
            env={**kept, "PYTHONPATH": _root(), **around},
            cwd=folder,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


def _answer(process: subprocess.Popen[bytes]) -> list[dict[str, Any]]:
    try:
        said, complained = process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired as error:
        process.kill()
        process.communicate()
        raise ProofImpossible(f"judging the cases took longer than {_SECONDS} seconds") from error
    if process.returncode != 0:
        last = complained.decode(errors="replace").strip().splitlines()[-1:]
        raise ProofImpossible(f"the sealed process ended with {process.returncode}: {''.join(last)}")
    answer: list[dict[str, Any]] = json.loads(said)
    return answer


def _root() -> str:
    return str(Path(verdicts.__file__).parents[1])
