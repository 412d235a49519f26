"""One line of the doctor's report."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    """How a thing stands. Only `failing` makes the exit code 1."""

    WELL = "ok"
    WARNING = "warning"
    FAILING = "failing"


@dataclass(frozen=True, slots=True)
class Line:
    """What was looked at, how it stands, what was seen, and what to do about it."""

    name: str
    health: Health
    seen: str
    cure: str = ""


def well(name: str, seen: str) -> Line:
    """Return a line that needs nothing done."""
    return Line(name, Health.WELL, seen)


def warning(name: str, seen: str, cure: str) -> Line:
    """Return a line to look at some time."""
    return Line(name, Health.WARNING, seen, cure)


def failing(name: str, seen: str, cure: str) -> Line:
    """Return a line that has to be put right."""
    return Line(name, Health.FAILING, seen, cure)


def examined(name: str, look: Callable[[], Iterable[Line]], *, cure: str) -> list[Line]:
    """Return what a look found; a look that breaks off is itself a failing line with the given cure."""
    try:
        return list(look())
    except Exception as error:  # noqa: BLE001 the doctor reports whatever is broken
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        return [failing(name, f"could not be examined: {first}", cure)]


def by_age(name: str, seconds: float | None, *, what: str, limits: tuple[float, float], cure: str) -> Line:
    """Judge the age of the oldest thing that waits; `limits` are the ages that warn and that fail."""
    if seconds is None:
        return well(name, f"no {what} waits")
    seen = f"the oldest {what} waits for {spoken(seconds)}"
    if seconds >= limits[1]:
        return failing(name, seen, cure)
    return warning(name, seen, cure) if seconds >= limits[0] else well(name, seen)


def spoken(seconds: float) -> str:
    """Return a duration as people say it."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
