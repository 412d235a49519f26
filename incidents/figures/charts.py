"""Charts as plain geometry, for a template that draws them: lines over weeks, spans, shares. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 10, 24
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_TICKS = (
    1, 10, _MINUTE, 10 * _MINUTE, _HOUR, 6 * _HOUR, _DAY, 7 * _DAY, 30 * _DAY, 365 * _DAY, 3650 * _DAY,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Dot:
    """One point of a line with what it says."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line, as the points of a polyline; broken where a week has no figure."""

    name: str
    style: str
    pieces: Sequence[str]
    dots: Sequence[Dot]


@dataclass(frozen=True, slots=True)
class LineChart:
    """Several lines over one axis of time."""

    lines: Sequence[Line]
    ticks: Sequence[Tick]
    labels: Sequence[Tick]


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a bar."""

    name: str
    style: str
    x: float
    width: float
    count: int
    share: str


@dataclass(frozen=True, slots=True)
class Span:
    """One stage's middle half and tail on the common axis."""

    title: str
    y: int
    x50: float
    x75: float
    x90: float


def duration(seconds: float | None) -> str:
    """Return a duration in one unit with two digits that matter, a dash for none."""
    if seconds is None:
        return "–"
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= size:
            value = seconds / size
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{seconds:.0f} s"


def lines(weeks: Sequence[str], series: Sequence[tuple[str, str, Sequence[float | None]]]) -> LineChart:
    """Lay out lines of durations on a logarithmic axis: name, style, and a value for each week."""
    known = [value for _, _, values in series for value in values if value is not None]
    low, high = _ends(known)
    across = WIDTH - LEFT - RIGHT

    def x_of(place: int) -> float:
        return LEFT + across * (place + 0.5) / max(1, len(weeks))

    every = max(1, math.ceil(len(weeks) / 8))
    return LineChart(
        [_line(name, style, values, [(x_of(n), weeks[n]) for n in range(len(weeks))], (low, high))
         for name, style, values in series],
        [Tick(_y(value, low, high), duration(value)) for value in _TICKS if low <= value <= high],
        [Tick(round(x_of(n), 1), weeks[n]) for n in range(0, len(weeks), every)],
    )  # fmt: skip


def spans(
    stages: Sequence[tuple[str, float | None, float | None, float | None]],
) -> tuple[Sequence[Span], Sequence[Tick]]:
    """Lay out stages as spans from p50 over p75 to p90, with the ticks of their axis."""
    known = [value for _, *values in stages for value in values if value is not None]
    low, high = _ends(known)
    found = []
    for place, (title, p50, p75, p90) in enumerate(stages):
        if p50 is None or p75 is None or p90 is None:
            continue
        found.append(Span(title, place * 26 + 8, _x(p50, low, high), _x(p75, low, high), _x(p90, low, high)))
    return found, [Tick(_x(value, low, high), duration(value)) for value in _TICKS if low <= value <= high]


def shares(parts: Sequence[tuple[str, str, int]]) -> Sequence[Piece]:
    """Lay out one bar of parts: name, style and count. Nothing where all are zero."""
    total = sum(count for _, _, count in parts)
    found: list[Piece] = []
    x = 0.0
    for name, style, count in parts:
        if count:
            width = WIDTH * count / total
            found.append(
                Piece(name, style, round(x, 1), round(width, 1), count, f"{100 * count / total:.0f} %")
            )
            x += width
    return found


def _line(
    name: str,
    style: str,
    values: Sequence[float | None],
    places: Sequence[tuple[float, str]],
    ends: tuple[float, float],
) -> Line:
    dots: list[Dot] = []
    pieces: list[list[str]] = [[]]
    for value, (x, week) in zip(values, places, strict=True):
        if value is None:
            pieces.append([])
            continue
        dot = Dot(round(x, 1), _y(value, *ends), f"{name}, week of {week}: {duration(value)}")
        dots.append(dot)
        pieces[-1].append(f"{dot.x},{dot.y}")
    return Line(name, style, [" ".join(piece) for piece in pieces if len(piece) > 1], dots)


def _ends(known: Sequence[float]) -> tuple[float, float]:
    low = max(1.0, min(known, default=60.0)) / 1.5
    return low, max(low * 10, max(known, default=3600.0) * 1.5)


def _place(value: float, low: float, high: float) -> float:
    return math.log(max(value, low) / low) / math.log(high / low)


def _y(value: float, low: float, high: float) -> float:
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * _place(value, low, high), 1)


def _x(value: float, low: float, high: float) -> float:
    return round(WIDTH * _place(value, low, high), 1)
