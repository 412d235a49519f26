"""Each incident's record: what the figures count of it, read anew from its rows after each change."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.db import connection
from django.db.models import Max, Min

from assay_core.instants import as_text, from_text
from incidents.figures.stages import REOPENED_WITHIN, Counted, Ended, Judged, Stamp
from incidents.figures.tally import Mark, marks_of
from incidents.models import Incident, Record, Resolution, StampEdit
from incidents.states import Outcome, State
from investigations.models import Draft, Investigation, Verdict
from verdicts.case import NONE_OF_THESE
from verdicts.closings import Actual, NoSuchOutcome, actual

_REOPENED = """
SELECT incident, recorded_at FROM audit_entry
WHERE incident = ANY(%s) AND kind = 'incident.reopened' ORDER BY incident, id
"""
_DRILL = ("true", "1", "yes")


@dataclass(slots=True)
class Beside:
    """What stands in other tables about one incident."""

    runs: tuple[datetime | None, datetime | None] = (None, None)  # first start, first draft
    judged_at: datetime | None = None
    verdict: tuple[int, bool, str, str] | None = None  # id, passed, hypothesis, body
    closings: list[tuple[datetime, str, bool, bool]] = field(
        default_factory=list
    )  # at, outcome, by rule, against
    reopened: list[datetime] = field(default_factory=list)
    next_at: datetime | None = None
    edits: dict[str, datetime] = field(default_factory=dict)


def records(numbers: Collection[int]) -> list[Record]:
    """Return the records of these incidents as their rows now have it, not stored yet."""
    incidents = list(Incident.objects.filter(pk__in=numbers))
    beside = _beside(list(numbers))
    return [_record(incident, beside.get(incident.pk, Beside())) for incident in incidents]


def counted(record: Record) -> Counted:
    """Return a stored record as it is counted."""
    return Counted(
        day=record.day,
        ended=Ended(record.ended),
        judged=Judged(record.judged),
        stamps={Stamp(name): from_text(at) for name, at in record.stamps.items()},
        first_closed_on=record.first_closed_on,
        was_reopened=record.was_reopened,
        is_comparable=record.is_comparable,
        is_override=record.is_override,
    )


def marks(record: Record) -> Sequence[Mark | None]:
    """Return a stored record's durations."""
    pairs = zip(record.bars, record.logs, strict=True)
    return [Mark(bar, log) if bar is not None and log is not None else None for bar, log in pairs]


def set_marks(record: Record) -> None:
    """Let a record hold its durations as the sums take them."""
    found = marks_of(counted(record))
    record.bars = [None if each is None else each.bar for each in found]
    record.logs = [None if each is None else each.log for each in found]


def judged_word(passed: bool, hypothesis: str, body: str) -> Judged:
    """Return what a verdict came to: a fail for a real contrary fact is another thing than a missing one."""
    if passed:
        return Judged.PASS
    plain = json.loads(body)
    facts = {each["outcome"] for each in plain.get("facts", ())}
    against = any(each["outcome"] != "silent" for each in plain.get("refutations", ()))
    if hypothesis == NONE_OF_THESE or not facts:
        return Judged.NO_RULE
    return Judged.CONTRARY if against or "fails" in facts else Judged.MISSING


def _record(incident: Incident, beside: Beside) -> Record:
    stamps = _stamps(incident, beside)
    verdict = beside.verdict
    word = judged_word(verdict[1], verdict[2], verdict[3]) if verdict else Judged.NONE
    last = beside.closings[-1] if beside.closings and incident.state == State.CLOSED else None
    record = Record(
        incident=incident,
        day=stamps[Stamp.DETECTED].astimezone(UTC).date(),
        source_id=incident.source_id,
        team_id=incident.team_id,
        kind=incident.kind,
        service=str(incident.labels.get("service") or "")[:120],
        rule=verdict[2] if verdict and word is not Judged.NO_RULE else "",
        ended=_ended(incident, last),
        judged=word,
        stamps={stamp.value: as_text(at) for stamp, at in stamps.items()},
        first_closed_on=beside.closings[0][0].astimezone(UTC).date() if beside.closings else None,
        was_reopened=_was_reopened(beside),
        is_comparable=_is_comparable(incident.kind, last, word),
        is_override=bool(last and last[3]),
        verdict_id=verdict[0] if verdict else 0,
    )
    set_marks(record)
    return record


def _stamps(incident: Incident, beside: Beside) -> dict[Stamp, datetime]:
    by_people = [at for at, _, by_rule, _ in beside.closings if not by_rule]
    known: dict[Stamp, datetime | None] = {
        Stamp.IMPACT: incident.started_at,
        Stamp.DETECTED: incident.first_received_at,
        Stamp.ACKNOWLEDGED: incident.acknowledged_at,
        Stamp.INVESTIGATED: beside.runs[0],
        Stamp.DRAFTED: beside.runs[1],
        Stamp.JUDGED: beside.judged_at,
        Stamp.DECIDED: by_people[0] if by_people else None,
        Stamp.MITIGATED: incident.recovered_at,
        Stamp.CLOSED: incident.closed_at if incident.state == State.CLOSED else None,
        Stamp.REOPENED: beside.reopened[-1] if beside.reopened else None,
        **{Stamp(name): at for name, at in beside.edits.items()},
    }
    return {stamp: at for stamp, at in known.items() if at is not None}


def _ended(incident: Incident, last: tuple[datetime, str, bool, bool] | None) -> Ended:
    if str(incident.labels.get("drill", "")).lower() in _DRILL:
        return Ended.DRILL
    if last is None:
        return Ended.OPEN
    if last[1] == Outcome.DUPLICATE:
        return Ended.DUPLICATE
    return Ended.PASS if last[2] else Ended.PERSON


def _was_reopened(beside: Beside) -> bool:
    """Whether within the time after any closing it was opened again, or the same alert opened another."""
    again = [*beside.reopened, *([beside.next_at] if beside.next_at else [])]
    return any(at <= back <= at + REOPENED_WITHIN for at, *_ in beside.closings for back in again)


def _is_comparable(kind: str, last: tuple[datetime, str, bool, bool] | None, word: Judged) -> bool:
    if last is None or word is Judged.NONE:
        return False
    try:
        return actual(kind, last[1]) in (Actual.PASS, Actual.FAIL)
    except NoSuchOutcome:  # closed under an older table
        return False


def _beside(numbers: list[int]) -> dict[int, Beside]:
    found: dict[int, Beside] = {number: Beside() for number in numbers}
    _runs(found, numbers)
    closings = Resolution.objects.filter(incident__in=numbers).order_by("created_at", "pk")
    for number, at, outcome, by, against in closings.values_list(
        "incident_id", "created_at", "outcome", "by_id", "contradicts_verdict"
    ):
        found[number].closings.append((at, outcome, by is None, against))
    with connection.cursor() as cursor:
        cursor.execute(_REOPENED, [numbers])
        for number, at in cursor.fetchall():
            found[number].reopened.append(at)
    later = Incident.objects.filter(previous__in=numbers).order_by().values_list("previous_id")
    for number, at in later.annotate(first=Min("first_received_at")):
        found[number].next_at = at
    for number, name, at in _standing_edits(numbers):
        found[number].edits[name] = at
    return found


def _runs(found: Mapping[int, Beside], numbers: list[int]) -> None:
    started = _first(
        Investigation.objects.filter(incident_id__in=numbers).values_list("incident_id", "started_at")
    )
    of_run = {"investigation__incident_id__in": numbers}
    drafted = _first(Draft.objects.filter(**of_run).values_list("investigation__incident_id", "created_at"))
    judged = _first(Verdict.objects.filter(**of_run).values_list("investigation__incident_id", "created_at"))
    last = (
        Verdict.objects.filter(**of_run)
        .order_by()
        .values("investigation__incident_id")
        .annotate(last=Max("pk"))
    )
    verdicts = Verdict.objects.filter(pk__in=[each["last"] for each in last])
    for number, pk, passed, hypothesis, body in verdicts.values_list(
        "investigation__incident_id", "pk", "passed", "hypothesis", "body"
    ):
        found[number].verdict = (pk, passed, hypothesis, body)
    for number, beside in found.items():
        beside.runs = (started.get(number), drafted.get(number))
        beside.judged_at = judged.get(number)


def _first(rows: Iterable[tuple[int, datetime | None]]) -> dict[int, datetime]:
    first: dict[int, datetime] = {}
    for number, at in rows:
        if at is not None and (number not in first or at < first[number]):
            first[number] = at
    return first


def _standing_edits(numbers: list[int]) -> Iterable[tuple[int, str, datetime]]:
    """The last edit of each stamp: later rows take the place of earlier ones."""
    rows = StampEdit.objects.filter(incident__in=numbers).order_by("pk")
    return rows.values_list("incident_id", "name", "at")
