"""The sums that a page asks for: of days where one filter is set at most, else of the records."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime, timedelta

from incidents.figures import recording
from incidents.figures.asking import Wanted
from incidents.figures.recount import ALL, value_of
from incidents.figures.tally import Tally
from incidents.models import DaySum, Record, Recount, StaleIncident


def by_day(
    filters: Mapping[str, str], first: date, last: date, *, stages: Collection[str] | None = None
) -> dict[date, Tally]:
    """Return the sum of each day that has incidents; where stages are named, only they get percentiles."""
    if len(filters) > 1:
        found: dict[date, Tally] = defaultdict(Tally)
        for record in _records(filters, first, last):
            found[record.day].note(recording.counted(record))
        return dict(found)
    dimension, value = next(iter(filters.items()), (ALL, ""))
    rows = DaySum.objects.filter(dimension=dimension, value=value, day__range=(first, last)).order_by("day")
    return {day: Tally.from_text(body, stages=stages) for day, body in rows.values_list("day", "body")}


def by_value(
    wanted: Wanted, dimension: str, span: tuple[date, date], *, stages: Collection[str]
) -> dict[str, Tally]:
    """Return the sum of each value of a dimension, under the filters, with percentiles of these stages."""
    found: dict[str, Tally] = defaultdict(Tally)
    if wanted.filters:
        for record in _records(wanted.filters, *span):
            found[value_of(record, dimension)].note(recording.counted(record))
        return {value: tally for value, tally in found.items() if value}
    rows = DaySum.objects.filter(dimension=dimension, day__range=span).order_by("day")
    for value, body in rows.values_list("value", "body"):
        found[value].add(Tally.from_text(body, stages=stages))
    return dict(found)


def together(days: Mapping[date, Tally]) -> Tally:
    """Return the sum of several days."""
    whole = Tally()
    for tally in days.values():
        whole.add(tally)
    return whole


def by_week(days: Mapping[date, Tally], first: date, last: date) -> dict[date, Tally]:
    """Return the sum of each week by its Monday, with those that have none."""
    monday = first - timedelta(days=first.weekday())
    weeks = {monday + timedelta(days=7 * n): Tally() for n in range((last - monday).days // 7 + 1)}
    for day, tally in days.items():
        weeks[day - timedelta(days=day.weekday())].add(tally)
    return weeks


def counted_at() -> datetime | None:
    """Return when the sums were last brought up to date, or None where they never were."""
    return Recount.objects.filter(pk=1).values_list("at", flat=True).first()


def waiting() -> bool:
    """Say whether changes wait to be counted."""
    return StaleIncident.objects.exists()


def _records(filters: Mapping[str, str], first: date, last: date) -> Iterator[Record]:
    rows = Record.objects.filter(day__range=(first, last))
    for name, value in filters.items():
        rows = rows.filter(**{f"{name}_id" if name in ("source", "team") else name: value})
    return rows.iterator(chunk_size=5_000)
