"""The rows of a year of incidents, as lines that COPY reads. Everything about one follows from its number."""

import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from assay_core.envelope import commitment
from assay_core.instants import as_text
from benchmarks.copying import NULL, Line, escaped, untold
from benchmarks.stored_incidents import Pattern, body_of, patterns

ENTRIES, OPEN_SHARE = 10, 10
SOURCES, TEAMS, PEOPLE = 20, 5, 40
_DAYS = 365
_SEVERITIES = ("critical", "high", "warning", "info", "unknown")
_THINGS = ("checkout", "payments", "refund", "search", "mail", "disk", "labels", "stock")
_FAULTS = ("timeout", "5xx rate", "queue drained", "disk full", "slow query", "crash loop")
_OUTCOMES = ("harmless", "real and fixed", "harmless", "not reproducible")
_KINDS = (
    "incident.opened", "investigation.queued", "investigation.claimed", "tool.called", "tool.called",
    "draft.graded", "investigation.judged", "incident.judged", "incident.acknowledged", "incident.closed",
)  # fmt: skip
_CALLS = (3, 4)
_RESULTS = ("first_pass", "first_pass", "repaired", "fallback")
_STATUSES = ("observed", "observed", "empty", "truncated", "error")
_TOOLS = ("find_job", "count_log_matches", "find_order", "read_metric")
_DRAFT = (
    "The job job-{number} of {thing} on host-{host} met a {fault} and ran again. The order order{number} was "
    "looked up as well: it is paid, packed and on its way, nothing is owed. No further lines of this error "
    "have been logged since, the queue is empty and its consumers answer in the usual time. Nobody has to do "
    "anything; should it come back, look at the upstream first."
)
_RANKS = {"critical": 0, "high": 1, "warning": 3, "info": 6, "unknown": 7}


@dataclass(frozen=True, slots=True)
class Year:
    """So many incidents over a year that ends now, at even distances; the newest tenth is open."""

    count: int
    now: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))
    _times: Sequence[float] = field(default_factory=lambda: _some_times(random.Random(3)))

    @property
    def first_open(self) -> int:
        """The number of the oldest open incident."""
        return self.count - self.count // OPEN_SHARE + 1

    def numbers(self) -> range:
        """The numbers of the incidents."""
        return range(1, self.count + 1)

    def at(self, number: int) -> datetime:
        """When an incident's first signal came."""
        return self.now - timedelta(seconds=60 + _DAYS * 86_400 * (self.count - number) / self.count)

    def took(self, number: int) -> timedelta:
        """How long it took from the first signal to the closing."""
        return timedelta(seconds=60 + self._times[number * 7919 % 4999])

    def state(self, number: int) -> str:
        """Return where an incident stands."""
        if number < self.first_open:
            return "closed"
        return ("open", "review", "review", "review", "investigating")[number % 5]

    def is_judged(self, number: int) -> bool:
        """Whether an incident has a case and a verdict."""
        return self.state(number) in ("closed", "review")

    def months(self) -> Iterator[tuple[datetime, datetime]]:
        """Yield the months that the year touches, each with the next one's beginning."""
        first = self.at(1).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        while first <= self.now:
            until = (first + timedelta(days=32)).replace(day=1)
            yield first, until
            first = until


def _some_times(dice: random.Random) -> Sequence[float]:
    return [dice.lognormvariate(7, 1.2) for _ in range(4999)]


def last_entry(year: Year) -> int:
    """Return the number of the last audit entry."""
    return year.count * ENTRIES + ENTRIES - 1


def ground(year: Year) -> None:
    """Make the people, teams and sources that the rows name. Django is set up."""
    from accounts.models import Team, User
    from incidents.models import Source

    teams = [Team.objects.create(name=f"team-{n}", slug=f"team-{n}") for n in range(TEAMS)]
    for n in range(SOURCES):
        # Every fifth source belongs to no team.
        team = teams[n % TEAMS] if n % 5 else None
        Source.objects.create(
            slug=f"source-{n}", title=f"Source {n}", adapter="alertmanager", team=team,
            created_at=year.at(1),
        )  # fmt: skip
    User.objects.bulk_create(User(username=f"person-{n}", password="!") for n in range(PEOPLE))


def judged_patterns() -> list[Pattern]:
    """Return the shipped examples as cases and verdicts, escaped for COPY."""
    from benchmarks.replay_verdicts import prepared

    bench = prepared()
    return [
        replace(
            each, body=escaped(each.body), judged=escaped(each.judged), reason=escaped(each.reason),
        )
        for each in patterns(bench.examples, bench.rulebook)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Words:
    """The words by which rows are found, as the database itself takes them from the texts that rows share."""

    of_draft: Sequence[str]  # by pattern
    of_verdict: Sequence[str]
    of_thing: Mapping[tuple[str, str], str]

    @classmethod
    def asked(cls, link: "psycopg.Connection[Any]", made: Sequence[Pattern]) -> "Words":
        """Ask the database once for each text."""

        def words(text: str) -> str:
            row = link.execute("SELECT incident_words(%s)::text", [text]).fetchone()
            assert row
            return escaped(row[0])

        bare = _DRAFT.format(number="", thing="", fault="", host="")
        drafts = [words(untold(f"{bare} {each.reason}")) for each in made]
        verdicts = [words(untold(f"{each.hypothesis} {each.reason}")) for each in made]
        about = {(thing, fault): words(f"{thing} {fault}") for thing in _THINGS for fault in _FAULTS}
        return cls(drafts, verdicts, about)

    def said(self, number: int) -> str:
        """Return the words of an incident's draft."""
        own = f"'{number}' 'order{number}' '{number % 500}'"
        return f"{self.of_draft[number % len(self.of_draft)]} {self.of_thing[_about(number)]} {own}"

    def told(self, number: int, *, is_judged: bool) -> str:
        """Return the words of an incident, with its draft's."""
        own = f"'{number}' 'order{number}' '{number % 500}' 'host' 'key' 'job' 'id' 'service' 'order' 'on'"
        if not is_judged:
            return f"{self.of_thing[_about(number)]} {own}"
        return f"{self.said(number)} {self.of_verdict[number % len(self.of_verdict)]} {own}"


def said(year: Year, words: Words) -> Iterator[str]:
    """Yield the words of each draft."""
    for number in _judged(year):
        yield f"{number}\t{words.said(number)}\n"


def incidents(year: Year, made: Sequence[Pattern], words: Words) -> tuple[Line, Iterator[str]]:
    """Return the incidents, with what their triggers would keep of them."""
    columns = (
        "id", "source_id", "team_id", "kind", "sender_key", "title", "severity", "labels", "identifiers",
        "state", "started_at", "first_received_at", "last_received_at", "episode_at", "signal_count",
        "snoozed_until", "assignee_id", "acknowledged_at", "closed_at", "verdict_passed", "hypothesis",
        "verdict_reason", "shelf", "severity_rank", "words",
    )  # fmt: skip
    return columns, (
        f"{_incident(year, made, number)}\t{words.told(number, is_judged=year.is_judged(number))}"
        for number in year.numbers()
    )


def _incident(year: Year, made: Sequence[Pattern], number: int) -> str:
    at, took, place = year.at(number), year.took(number), number % SOURCES
    thing, fault = _about(number)
    judged = made[number % len(made)] if year.is_judged(number) else None
    is_closed = number < year.first_open
    is_snoozed = not is_closed and number % 50 == 0
    shelf = _shelf(year.state(number), judged, is_snoozed=is_snoozed)
    values = (
        number, place + 1, place % TEAMS + 1 if place % 5 else NULL, ("alert", "alert", "claim")[number % 3],
        f"key-{number}", f"{thing} {fault} on host-{number % 500}", _severity(number),
        _labels(number), f'{{"job_id": "job-{number}", "order_id": "order{number}"}}', year.state(number),
        at - timedelta(seconds=90), at, at, at, 1,
        year.now + timedelta(days=2) if is_snoozed else NULL,
        1 + number // 7 % PEOPLE if number % 7 == 0 else NULL,
        at + took / 2 if is_closed and number % 3 else NULL, at + took if is_closed else NULL,
        *((judged.passed, judged.hypothesis, judged.reason) if judged else (NULL, "", "")),
        shelf, _RANKS[_severity(number)],
    )  # fmt: skip
    return "\t".join(map(str, values))


def _shelf(state: str, judged: Pattern | None, *, is_snoozed: bool) -> str:
    if state in ("closed", "investigating") and not is_snoozed:
        return state
    if is_snoozed:
        return "snoozed"
    return "earned-a-pass" if judged and judged.passed else "needs-a-person"


def investigations(year: Year, made: Sequence[Pattern]) -> tuple[Line, Iterator[str]]:
    """Return one run for each incident, by a model for every other one."""
    columns = (
        "id", "incident_id", "investigator", "state", "subject", "attempt", "created_at", "started_at",
        "finished_at", "outcome", "model",
    )  # fmt: skip
    states = {"closed": "judged", "review": "judged", "investigating": "running", "open": "queued"}

    def line(number: int) -> str:
        at, state, is_model = year.at(number), states[year.state(number)], number % 2
        ended = state == "judged"
        values = (
            number, number, "model" if is_model else "playbook", state, "{}", 1, at, at,
            at + timedelta(seconds=20) if ended else NULL,
            _RESULTS[number // 2 % 4] if is_model and ended else "",
            "a-model" if is_model else "",
        )  # fmt: skip
        return "\t".join(map(str, values))

    return columns, map(line, year.numbers())


def cases(year: Year, made: Sequence[Pattern]) -> tuple[Line, Iterator[str]]:
    """Return what was judged of each incident that was."""
    digest = "0" * 64
    return ("id", "investigation_id", "body", "digest", "judged_at"), (
        f"{n}\t{n}\t{body_of(made[n % len(made)].body, n)}\t{digest}\t{year.at(n)}" for n in _judged(year)
    )


def verdicts(year: Year, made: Sequence[Pattern]) -> tuple[Line, Iterator[str]]:
    """Return the verdict of each case."""
    columns = (
        "id", "case_id", "investigation_id", "passed", "hypothesis", "reason", "body", "created_at",
    )  # fmt: skip

    def line(n: int) -> str:
        each = made[n % len(made)]
        judged = body_of(each.judged, n)
        return f"{n}\t{n}\t{n}\t{each.passed}\t{each.hypothesis}\t{each.reason}\t{judged}\t{year.at(n)}"

    return columns, map(line, _judged(year))


def drafts(year: Year, made: Sequence[Pattern]) -> tuple[Line, Iterator[str]]:
    """Return the draft of each verdict, of some hundred words."""
    return ("id", "investigation_id", "verdict_id", "text", "created_at"), (
        f"{n}\t{n}\t{n}\t{_draft(n)} {made[n % len(made)].reason}\t{year.at(n)}" for n in _judged(year)
    )


def exchanges(year: Year) -> tuple[Line, Iterator[str]]:
    """Return three exchanges with a model for every other incident."""
    columns = (
        "id", "investigation_id", "incident_id", "purpose", "endpoint", "model", "step", "outcome",
        "tokens_in", "tokens_out", "micros", "created_at",
    )  # fmt: skip
    return columns, (
        f"{n * 3 + step}\t{n}\t{n}\tinvestigate\tmain\ta-model\t{step}\treplied\t4000\t300\t"
        f"{900 + n % 500}\t{year.at(n)}"
        for n in year.numbers()
        if n % 2
        for step in (1, 2, 3)
    )


def deliveries(year: Year) -> tuple[Line, Iterator[str]]:
    """Return the delivery that each incident came with."""
    columns = ("id", "source_id", "body", "received_at", "state", "folded_at")
    body = "\\\\x" + (b'{"alerts":[{"status":"firing","labels":{"service":"checkout"}}]}' * 4).hex()
    return columns, (
        f"{n}\t{n % SOURCES + 1}\t{body}\t{year.at(n)}\tfolded\t{year.at(n)}" for n in year.numbers()
    )


def signals(year: Year) -> tuple[Line, Iterator[str]]:
    """Return the signal that opened each incident."""
    columns = (
        "id", "delivery_id", "incident_id", "position", "event", "sender_key", "title", "severity", "labels",
        "received_at", "effect",
    )  # fmt: skip

    def line(n: int) -> str:
        thing, fault = _about(n)
        return (
            f"{n}\t{n}\t{n}\t0\tfiring\tkey-{n}\t{thing} {fault} on host-{n % 500}\t{_severity(n)}\t"
            f"{_labels(n)}\t{year.at(n)}\topened"
        )

    return columns, map(line, year.numbers())


def resolutions(year: Year) -> tuple[Line, Iterator[str]]:
    """Return how each closed incident ended."""
    columns = ("id", "incident_id", "outcome", "answer", "verdict_id", "draft_id", "by_id", "created_at")
    return columns, (
        f"{n}\t{n}\t{_OUTCOMES[n // 5 % 4]}\tIt was looked at and is done.\t{n}\t{n}\t{1 + n % PEOPLE}\t"
        f"{year.at(n) + year.took(n)}"
        for n in range(1, year.first_open)
    )


def calls(year: Year) -> tuple[Line, Iterator[str]]:
    """Return what was asked, two calls for each incident."""
    columns = (
        "entry", "leaf", "recorded_at", "tool", "connector", "status", "caller", "incident", "investigation",
        "milliseconds",
    )  # fmt: skip
    leaf = "0" * 64
    return columns, (
        f"{n * ENTRIES + place}\t{leaf}\t{year.at(n) + timedelta(seconds=place)}\t{_TOOLS[(n + place) % 4]}\t"
        f"shop\t{_STATUSES[n // 3 % 5]}\tplaybook\t{n}\t{n}\t{n % 90}"
        for n in year.numbers()
        for place in _CALLS
    )


def payloads(year: Year) -> Iterator[str]:
    """Yield what each entry records."""
    bodies = _bodies()
    for number in year.numbers():
        for place, (salt, body, _) in enumerate(bodies):
            yield f"{number * ENTRIES + place}\t{salt}\t{body}\n"


def entries(year: Year) -> Iterator[str]:
    """Yield entries whose hashes hold, so that they are read as any other."""
    promises = [promise for _, _, promise in _bodies()]
    for number in year.numbers():
        at = year.at(number)
        closer = f"person:person-{number % PEOPLE}"
        for place, kind in enumerate(_KINDS):
            entry, moment = number * ENTRIES + place, at + timedelta(seconds=place)
            actor = closer if place > 7 else "playbook"
            text = (
                f'{{"actor":"{actor}","id":{entry},"incident":{number},"investigation":{number},'
                f'"kind":"{kind}","payload":"{promises[place]}","recorded_at":"{as_text(moment)}","v":1}}'
            )
            leaf = hashlib.sha256(b"\0" + text.encode()).hexdigest()
            yield (f"{entry}\t{moment}\t{kind}\t{actor}\t{number}\t{number}\t{text}\t\\\\x{leaf}\n")


def _bodies() -> list[tuple[str, str, str]]:
    """The salt, the payload and its commitment of each of an incident's entries, escaped for COPY."""
    salt = b"\7" * 32
    found = []
    for kind in _KINDS:
        plain = {"reason": "It was looked at and left as it is.", "state": "review"}
        if kind == "tool.called":
            plain = {"status": "observed", "title": "Find a job", "tool": "find_job"}
        body = json.dumps(plain, separators=(",", ":"), sort_keys=True)
        found.append((f"\\\\x{salt.hex()}", escaped(body), commitment(salt, body)))
    return found


def _judged(year: Year) -> Iterator[int]:
    return filter(year.is_judged, year.numbers())


def _about(number: int) -> tuple[str, str]:
    mixed = number * 2_654_435_761 % 2**32
    return _THINGS[mixed >> 8 & 7], _FAULTS[(mixed >> 16) % 6]


def _severity(number: int) -> str:
    return _SEVERITIES[(number * 2_654_435_761 % 2**32 >> 20) % 5]


def _labels(number: int) -> str:
    return f'{{"host": "host-{number % 500}", "service": "{_about(number)[0]}"}}'


def _draft(number: int) -> str:
    thing, fault = _about(number)
    return _DRAFT.format(number=number, thing=thing, fault=fault, host=number % 500)
