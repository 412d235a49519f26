"""Many judged and closed incidents, written straight into the tables: what backtest reads, no more."""

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import psycopg
from psycopg.types.json import Jsonb

from assay_core.canonical import canonical
from verdicts.case import Entry
from verdicts.cases import Example
from verdicts.frozen import Frozen
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

if TYPE_CHECKING:
    from django.db.models import Model

ENTRIES = 5
#: Every so many incidents really ended otherwise than their verdict says.
OTHERWISE = 500
# Numbers that stand for those of a row, in a text that is made once for each example.
_RUN, _INCIDENT, _FIRST = 900_000_000_001, 910_000_000_001, 920_000_000_001
_NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One example as the text of a stored case, with numbers to be put in, and its verdict."""

    kind: str
    body: str
    judged: str
    passed: bool
    hypothesis: str
    reason: str


def patterns(examples: Sequence[Example], rulebook: Rulebook) -> list[Pattern]:
    """Return the examples that are whole, each with five entries."""
    found = []
    for example in examples:
        if not example.case.entries:
            continue
        frozen = _with_entries(Frozen(example.subject, example.case, example.entries))
        if frozen.lacks:
            continue
        decided = verdict(frozen.case, frozen.subject, frozen.entries, rulebook)
        found.append(
            Pattern(
                frozen.subject.kind,
                frozen.text(),
                canonical(decided.to_plain()),
                decided.passed,
                decided.hypothesis,
                decided.reason,
            )
        )
    return found


def write(dsn: str, made: Sequence[Pattern], count: int) -> None:
    """Copy `count` incidents into the tables, as their owner. Django is set up by the caller."""
    from accounts.models import User
    from incidents.models import Incident, Resolution, Source
    from investigations.models import Case, Investigation, Verdict

    who = User.objects.create(username="closer").pk
    source = Source.objects.create(slug="bench", title="bench", adapter="claim", created_at=_NOW).pk
    with psycopg.connect(dsn) as link:
        for model in (Incident, Investigation, Case, Verdict, Resolution):
            table = model._meta.db_table
            own = _own(table, 1, made[0], source, who)
            common = {name: value for name, value in defaults(model).items() if name not in own}
            columns = ", ".join([*own, *common])
            with link.cursor().copy(f"COPY {table} ({columns}) FROM STDIN".encode()) as copy:
                for number, each in zip(range(1, count + 1), itertools.cycle(made), strict=False):
                    copy.write_row([*_own(table, number, each, source, who).values(), *common.values()])
        link.execute("ANALYZE")


def defaults(model: "type[Model]") -> dict[str, object]:
    """Return a value for each column that needs one: the declared default, now for a time, or empty."""
    found: dict[str, object] = {}
    for column in model._meta.concrete_fields:
        if column.null or column.primary_key:
            continue
        kind, value = column.get_internal_type(), column.get_default()
        if kind == "DateTimeField":
            value = _NOW
        elif kind == "JSONField":
            value = Jsonb(value)
        found[str(column.column)] = value
    return found


def _own(table: str, number: int, each: Pattern, source: int, who: int) -> dict[str, object]:
    judged = {"hypothesis": each.hypothesis, "reason": each.reason, "passed": each.passed}
    match table:
        case "incidents_incident":
            return {
                "id": number, "source_id": source, "kind": each.kind, "sender_key": f"k{number}",
                "state": "closed",
                "title": f"Incident {number}", "verdict_passed": each.passed, "hypothesis": each.hypothesis,
                "verdict_reason": each.reason,
            }  # fmt: skip
        case "investigations_investigation":
            return {"id": number, "incident_id": number, "state": "judged", "subject": "{}"}
        case "investigations_case":
            body = body_of(each.body, number)
            digest = hashlib.sha256(body.encode()).hexdigest()
            return {"id": number, "investigation_id": number, "body": body, "digest": digest}
        case "investigations_verdict":
            return {"id": number, "case_id": number, "investigation_id": number, **judged}
        case _:
            is_pass = each.passed is (number % OTHERWISE != 0)
            outcome = "harmless" if is_pass else "real and fixed"
            return {"id": number, "incident_id": number, "outcome": outcome, "by_id": who}


def body_of(text: str, number: int) -> str:
    """Return a pattern's text with the numbers of one incident, its run and its entries."""
    body = text.replace(str(_RUN), str(number)).replace(str(_INCIDENT), str(number))
    for place in range(ENTRIES):
        body = body.replace(str(_FIRST + place), str(number * 10 + place))
    return body


def _with_entries(frozen: Frozen) -> Frozen:
    """Return the case with five entries of its own run, numbered by stand-ins."""
    own = [each for each in frozen.entries.values() if each.investigation == frozen.case.investigation]
    padded = list(itertools.islice(itertools.chain(own, _others(own)), max(ENTRIES, len(own))))
    numbers = {each.id: _FIRST + place for place, each in enumerate(padded)}
    entries = {
        _FIRST + place: replace(each, id=_FIRST + place, investigation=_RUN)
        for place, each in enumerate(padded)
    }
    submission = frozen.case.submission
    findings = tuple(replace(each, entry=numbers.get(each.entry, 1)) for each in submission.findings)
    case = replace(
        frozen.case,
        investigation=_RUN,
        submission=replace(submission, findings=findings),
        entries=tuple((number, each.leaf) for number, each in entries.items()),
    )
    return Frozen(replace(frozen.subject, incident=_INCIDENT), case, entries)


def _others(own: Sequence[Entry]) -> Iterator[Entry]:
    """Yield answers to further questions, as long as the first ones."""
    for place in itertools.count(1):
        like = own[place % len(own)]
        yield replace(like, id=-place, arguments={**like.arguments, "further": place})
