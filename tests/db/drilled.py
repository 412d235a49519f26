"""Drills in the tests' own process: golden rows, and two scripted endpoints that answer them."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import scripted
from tests.scripted.settings import endpoint_settings

LABELS = ("bug", "docs", "question", "feature", "duplicate", "spam")
Answers = Callable[[int], scripted.Scripted]


def reply(label: str, *, needs_human: bool = False, **more: Any) -> scripted.Scripted:
    """Return a reply that meets the contract."""
    said = {"label": label, "reasons": ["no_actionable_detail"], "needs_human": needs_human}
    return scripted.says(json.dumps(said), **more)


def label_of(number: int) -> str:
    """Return the golden label of a row."""
    return LABELS[number % len(LABELS)]


def golden_file(folder: Path, rows: int = 60) -> Path:
    """Write a golden set of so many rows, every label among them."""
    path = folder / "golden.jsonl"
    lines = [
        {
            "id": f"ours/tool#{number}",
            "label": label_of(number),
            "title": f"Issue {number:04d}",
            "body": "It.",
        }
        for number in range(1, rows + 1)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def answering(given: Mapping[int, scripted.Scripted]) -> Callable[[scripted.Request], scripted.Scripted]:
    """Return a script that answers each row by its number: what is given, else the golden label."""

    def script(request: scripted.Request) -> scripted.Scripted:
        text = request.messages[1]["content"]
        number = int(text[text.index("Issue ") + 6 :][:4])
        return given.get(number) or reply(label_of(number))

    return script


@contextmanager
def two_endpoints(
    settings: Any, old: scripted.Script, new: scripted.Script
) -> Iterator[tuple[scripted.Endpoint, scripted.Endpoint]]:
    """Let the endpoint `default` say the one script and `candidate` the other."""
    with scripted.endpoint(old) as first, scripted.endpoint(new) as second:
        settings.MODEL_ENDPOINTS = endpoint_settings(
            default={"base_url": first.url, "model": "old-1"},
            candidate={"base_url": second.url, "model": "new-1"},
        )
        yield first, second
