"""Logs by Loki's HTTP API: lines of a window, or how many of them match."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from assay_core.instants import as_text
from assay_core.results import Status
from toolbox import querytext, remote
from toolbox.connectors import fitting
from toolbox.connectors.base import Outcome
from toolbox.connectors.httpconnector import Call, HttpConnector
from toolbox.connectors.httpjson import AnswerMalformed, Part, inert, words
from toolbox.connectors.httpstatus import Failure
from toolbox.querytext import QueryText
from toolbox.remote import Given, RemoteQuestion
from toolbox.yamlfile import Place

KEYS = frozenset({"logql", "window", "count", "key"})

_SELECTOR = re.compile(r"\s*(\{(?:[^{}\"`]|\"(?:\\.|[^\"\\])*\"|`[^`]*`)*\})")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BEFORE = timedelta(days=7)
_SLACK_SECONDS = 300
_LONGEST_WINDOW = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class LokiQuestion:
    """A log query. `count` asks only how many lines match."""

    query: QueryText
    count: bool


def load(place: Place, given: Given) -> RemoteQuestion:
    """Read `logql`, `window` and `count`; raise DefinitionError."""
    query = remote.query(place.at("logql"), given)
    if not _SELECTOR.match(query.literal):
        raise place.at("logql").error(
            "the query does not begin with the streams it reads", 'Begin it with {app="…"}.'
        )
    window = remote.window(place.at("window"), given)
    count = place.at("count").data
    if count is not None and not isinstance(count, bool):
        raise place.at("count").error("count is neither true nor false", "Write true or false.")
    remote.all_used(place, query.names | window.names, given)
    return RemoteQuestion(LokiQuestion(query, bool(count)), "log", remote.key(place, "lines"), window)


@dataclass(frozen=True, slots=True)
class _Line:
    at: datetime
    text: str
    labels: Mapping[str, str]

    def plain(self) -> dict[str, Any]:
        return {"at": as_text(self.at), "line": self.text, "labels": dict(self.labels)}


@dataclass(frozen=True, slots=True)
class _Streams:
    lines: list[_Line]
    scanned: int
    doubts: tuple[str, ...]


class LokiConnector(HttpConnector):
    """One Loki, asked for one tenant where the connector names one."""

    kind = "loki"

    def answer(self, call: Call) -> Outcome:
        """Ask, count what was read, and find out how far back anything was kept at all."""
        plan: LokiQuestion = call.question.plan
        since, until = call.window()
        query = plan.query.render(call.arguments)
        if until - since > _LONGEST_WINDOW:
            raise querytext.ArgumentRefused(f"the window is longer than {_LONGEST_WINDOW.days} days")
        if plan.count:
            return self._counted(call, query, since, until)
        found = self._lines(call, query, (since, until), limit=call.tool.limits.rows + 1)
        _refuse_strangers(found.lines, plan.query, call.arguments)
        fit = fitting.kept((line.plain() for line in found.lines), call.tool.limits)
        result = {call.question.key: fit.items, **_counts(len(found.lines), found.scanned)}
        partial = [*found.doubts, *([] if fit.whole else [fit.cut])]
        status, reason = fitting.ending(
            found=bool(found.lines), partial=partial, unproven=_unproven(found.scanned)
        )
        covered = self._covered(call, query, (since, until), found.scanned)
        return Outcome(status, result, reason, covered, fit.replaced)

    def _counted(self, call: Call, query: str, since: datetime, until: datetime) -> Outcome:
        width = -(-(until - since) // timedelta(milliseconds=1))
        asked = {"query": f"sum(count_over_time({query} [{width}ms]))", "time": _nanoseconds(until)}
        answer = self.get(call, "/loki/api/v1/query", asked).part
        data = _data(answer, "vector")
        samples = data.at("result").items()
        if len(samples) > 1:
            raise AnswerMalformed("the count has more than one value")
        count = _count(samples[0], until) if samples else 0
        scanned = _scanned(data)
        if count > scanned:
            raise AnswerMalformed(f"{count} lines match of {scanned} that were read")
        status, reason = fitting.ending(found=True, partial=_doubts(answer), unproven=_unproven(scanned))
        covered = self._covered(call, query, (since, until), scanned)
        return Outcome(status, _counts(count, scanned), reason, covered)

    def _lines(
        self,
        call: Call,
        query: str,
        window: tuple[datetime, datetime],
        *,
        limit: int,
        direction: str = "forward",
    ) -> _Streams:
        since, until = window
        asked = {
            "query": query,
            "start": _nanoseconds(since),
            "end": str(int(_nanoseconds(until)) + 1),  # the end itself is left out by Loki
            "limit": str(limit),
            "direction": direction,
        }
        answer = self.get(call, "/loki/api/v1/query_range", asked).part
        data = _data(answer, "streams")
        lines = [line for stream in data.at("result").items() for line in _of_stream(stream)]
        for line in lines:
            if not since <= line.at <= until:
                raise AnswerMalformed("the answer holds lines outside the window that was asked for")
        lines.sort(key=lambda line: (line.at, line.text, sorted(line.labels.items())))
        return _Streams(lines, _scanned(data), _doubts(answer))

    def _covered(
        self, call: Call, query: str, window: tuple[datetime, datetime], scanned: int
    ) -> dict[str, Any]:
        """Return the window that was searched. Before the oldest line that is kept, nobody can say."""
        since, until = window
        covered: dict[str, Any] = {"scanned": scanned, "until": as_text(until)}
        selector = _SELECTOR.match(query)
        if scanned == 0 or selector is None:
            return covered
        before = self._lines(call, selector[1], (since - _BEFORE, since), limit=1, direction="backward")
        if not before.lines:
            first = self._lines(call, selector[1], (since, until), limit=1)
            since = first.lines[0].at if first.lines else until
        return {**covered, "since": as_text(since)}


def _count(sample: Part, until: datetime) -> int:
    pair = sample.at("value").items()
    if len(pair) != 2 or not isinstance(pair[0].value, int | float):
        raise AnswerMalformed(f"{sample.place}.value is not a pair of time and count")
    if abs(pair[0].value - until.timestamp()) > _SLACK_SECONDS:
        raise AnswerMalformed("the answer counts at another time than was asked for")
    return pair[1].count()


def _counts(matching: int, scanned: int) -> dict[str, int]:
    return {"match_count": matching, "lines_scanned": scanned}


def _unproven(scanned: int) -> str:
    if scanned:
        return ""
    return "not one line was read in the window, so finding nothing proves nothing"


def _nanoseconds(moment: datetime) -> str:
    return str((moment - _EPOCH) // timedelta(microseconds=1) * 1000)


def _data(answer: Part, kind: str) -> Part:
    if answer.at("status").text() != "success" or answer.has("error"):
        raise Failure(Status.ERROR, "the server reports an error")
    data = answer.at("data")
    given = data.at("resultType").text()
    if given != kind:
        raise AnswerMalformed(f"the result is a {inert(given, 30)}, and {kind} was asked for")
    return data


def _scanned(data: Part) -> int:
    return data.at("stats").at("summary").at("totalLinesProcessed").count()


def _doubts(answer: Part) -> tuple[str, ...]:
    if answer.has("warnings") and (found := answer.at("warnings").items()):
        return (f"the server warns: {words(found)}",)
    return ()


def _of_stream(stream: Part) -> list[_Line]:
    labels = stream.at("stream").texts()
    found = []
    for value in stream.at("values").items():
        pair = value.items()
        if len(pair) not in (2, 3):
            raise AnswerMalformed(f"{value.place} is not a pair of time and line")
        try:
            at = _EPOCH + timedelta(microseconds=pair[0].integer() // 1000)
        except OverflowError:
            raise AnswerMalformed(f"{pair[0].place} is not a time") from None
        found.append(_Line(at, pair[1].text(), labels))
    return found


def _refuse_strangers(lines: list[_Line], query: QueryText, arguments: Mapping[str, Any]) -> None:
    asked: dict[str, set[Any]] = {}
    for label, name in query.labels:
        asked.setdefault(label, set()).add(arguments[name])
    for line in lines:
        for label, values in asked.items():
            if label in line.labels and line.labels[label] not in values:
                raise AnswerMalformed(
                    f"a line has {label}={inert(line.labels[label], 60)!r}, which was not asked for"
                )
