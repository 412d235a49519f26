"""Scores over time as plain geometry, for a template that draws them: dots with their intervals. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from incidents.figures.charts import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Tick
from incidents.figures.intervals import Interval

_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
_LABELS = 8


@dataclass(frozen=True, slots=True)
class Score:
    """One score at its time; `text` says it in words, `href` leads to what it is of."""

    at: datetime
    share: float
    interval: Interval | None
    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Point:
    """One score as it is drawn. Without an interval `low` and `high` are its own height."""

    x: float
    y: float
    low: float
    high: float
    text: str


@dataclass(frozen=True, slots=True)
class ScoreChart:
    """Scores from the oldest to the newest, evenly apart, on an axis from 0 to 100 %."""

    points: Sequence[Point]
    line: str
    ticks: Sequence[Tick]
    labels: Sequence[Tick]


def scores(shown: Sequence[Score]) -> ScoreChart:
    """Lay out scores in the order in which they are given."""
    across = WIDTH - LEFT - RIGHT
    every = max(1, -(-len(shown) // _LABELS))
    places = [round(LEFT + across * (place + 0.5) / max(1, len(shown)), 1) for place in range(len(shown))]
    points = [_point(x, score) for x, score in zip(places, shown, strict=True)]
    return ScoreChart(
        points=points,
        line=" ".join(f"{each.x},{each.y}" for each in points) if len(points) > 1 else "",
        ticks=[Tick(_y(share), f"{share:.0%}") for share in _SHARES],
        labels=[Tick(x, f"{shown[n].at:%-d %b}") for n, x in enumerate(places) if n % every == 0],
    )


def _point(x: float, score: Score) -> Point:
    span = score.interval or Interval(score.share, score.share)
    return Point(x, _y(score.share), _y(span.low), _y(span.high), score.text)


def _y(share: float) -> float:
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share, 1)
