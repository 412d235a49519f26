"""Print figures so that a person and a script read the same line."""

import statistics
from collections.abc import Sequence


def figure(name: str, value: float, unit: str, *, goal: str = "", is_met: bool | None = None) -> None:
    """Print one line: the name, the figure, and whether the goal is met."""
    text = f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
    verdict = "" if is_met is None else f"   goal {goal}: {'met' if is_met else 'NOT MET'}"
    print(f"{name:<58} {text:>10} {unit}{verdict}", flush=True)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which that share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def median(values: Sequence[float]) -> float:
    """Return the middle value."""
    return statistics.median(values)
