"""Metrics by the HTTP API of Prometheus (and of Mimir, Thanos, VictoriaMetrics): one instant or a range."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from assay_core.instants import NotAnInstant, as_text, from_text
from assay_core.results import Status
from toolbox import remote
from toolbox.connectors import fitting
from toolbox.connectors.base import Outcome
from toolbox.connectors.httpconnector import Call, HttpConnector
from toolbox.connectors.httpjson import AnswerMalformed, Part, inert, words
from toolbox.connectors.httpstatus import Failure
from toolbox.querytext import ArgumentRefused, QueryText
from toolbox.remote import Given, RemoteQuestion
from toolbox.yamlfile import Place

KEYS = frozenset({"promql", "control", "at", "range"})

# These answer where nothing was ever measured: `or vector(0)` shows a dead reporter as a healthy 0.
_MAKES_UP = re.compile(r"\b(vector|absent|absent_over_time|scalar|time)\s*\(|\bor\b", re.IGNORECASE)
_SLACK_SECONDS = 300
_RELABELS = re.compile(r"\blabel_(replace|join)\s*\(")


@dataclass(frozen=True, slots=True)
class PromQuestion:
    """`step` is 0 for one instant. `at` names the argument that holds the instant, if there is one."""

    query: QueryText
    control: QueryText | None
    at: str = ""
    step: int = 0

    @property
    def echoes(self) -> Mapping[str, tuple[str, ...]]:
        """The labels that must show the asked arguments wherever a series has them."""
        found: dict[str, tuple[str, ...]] = {}
        if not _RELABELS.search(self.query.literal):
            for label, argument in self.query.labels:
                found[label] = (*found.get(label, ()), argument)
        return found


def load(place: Place, given: Given) -> RemoteQuestion:
    """Read `promql`, `control`, and `at` or `range`; raise DefinitionError."""
    query = remote.query(place.at("promql"), given)
    control = _control(place, query, given)
    used = query.names | (control.names if control else frozenset())
    key = remote.key(place, "series")
    spread = place.at("range")
    if spread.data is not None:
        spread.mapping(frozenset({"since", "until", "step"}), frozenset({"since", "until", "step"}))
        edges = Place(spread.file, {k: spread.data[k] for k in ("since", "until")}, spread.path, spread.lines)
        window = remote.window(edges, given)
        step = remote.whole_number(spread.at("step"), 1, 86_400)
        remote.all_used(place, used | window.names, given)
        return RemoteQuestion(PromQuestion(query, control, step=step), "rows", key, window)
    at = "" if place.at("at").data is None else remote.time_argument(place.at("at"), given)
    remote.all_used(place, used | ({at} if at else set()), given)
    return RemoteQuestion(PromQuestion(query, control, at=at), "rows", key)


def _control(place: Place, query: QueryText, given: Given) -> QueryText | None:
    if place.at("control").data is None:
        if _MAKES_UP.search(query.literal):
            raise place.at("promql").error(
                "the query can answer where nothing was measured (vector, absent, scalar, time, or)",
                "Add `control:` with the raw series that must be there, or take that part out.",
            )
        return None
    control = remote.query(place.at("control"), given)
    if _MAKES_UP.search(control.literal):
        raise place.at("control").error(
            "the control can answer where nothing was measured", "Name the raw series alone."
        )
    return control


@dataclass(frozen=True, slots=True)
class Found:
    """One query's answer: its series, and the server's own doubts about them."""

    series: list[dict[str, Any]]
    doubts: tuple[str, ...]
    scanned: int | None
    moments: tuple[datetime, ...] = ()


class PrometheusConnector(HttpConnector):
    """One server that speaks Prometheus' query API."""

    kind = "prometheus"

    def answer(self, call: Call) -> Outcome:
        """Ask the control first where there is one: without raw series, no number means anything."""
        plan: PromQuestion = call.question.plan
        moment = _moments(call, plan)
        control = self._queried(call, plan.control, moment) if plan.control else None
        found = self._queried(call, plan.query, moment)
        _refuse_strangers(found.series, plan, call.arguments)
        unfinite = sum(not sample["finite"] for series in found.series for sample in _samples(series))
        fit = fitting.kept(found.series, call.tool.limits)
        partial = [*found.doubts, *_gaps(plan, control), *([] if fit.whole else [fit.cut])]
        status, reason = fitting.ending(
            found=bool(found.series), partial=partial, unproven=_unproven(found, control)
        )
        if unfinite:
            note = f"{unfinite} values are no finite numbers (NaN, infinite) and cannot be compared"
            reason = "; ".join(filter(None, (reason, note)))
        result = {
            call.question.key: fit.items,
            "series_count": len(found.series),
            "non_finite_count": unfinite,
        }
        return Outcome(status, result, reason, _covered(call, plan, found, control), fit.replaced)

    def _queried(self, call: Call, query: QueryText, moment: Mapping[str, str]) -> Found:
        path = "/api/v1/query_range" if "step" in moment else "/api/v1/query"
        asked = {"query": query.render(call.arguments), "stats": "all", **moment}
        answer = self.get(call, path, asked).part
        if answer.at("status").text() != "success" or answer.has("error"):
            said = answer.object().get("error")
            raise Failure(Status.ERROR, f"the server reports an error: {inert(str(said))}")
        kind = "matrix" if "step" in moment else "vector"
        found = _found(answer, kind)
        _refuse_other_times(found, moment)
        return found


def _moments(call: Call, plan: PromQuestion) -> dict[str, str]:
    if plan.step:
        since, until = call.window()
        return {"start": _seconds(since), "end": _seconds(until), "step": str(plan.step)}
    return {"time": _seconds(_at(call, plan))}


def _at(call: Call, plan: PromQuestion) -> datetime:
    asked = call.arguments.get(plan.at) if plan.at else None
    try:
        return call.called_at if asked is None else min(from_text(asked), call.called_at)
    except (NotAnInstant, TypeError) as error:
        raise ArgumentRefused(f"{plan.at}: {error}") from None


def _seconds(moment: datetime) -> str:
    return f"{int(moment.timestamp())}.{moment.microsecond:06d}"


def _instant(part: Part) -> datetime:
    value = part.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise AnswerMalformed(f"{part.place} is not a time")
    try:
        return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=round(value * 1000))
    except OverflowError:
        raise AnswerMalformed(f"{part.place} is not a time") from None


def _found(answer: Part, kind: str) -> Found:
    data = answer.at("data")
    given = data.at("resultType").text()
    if given != kind and not (given == "scalar" and kind == "vector"):
        raise AnswerMalformed(f"the result is a {inert(given, 30)}, and a {kind} was asked for")
    if given == "scalar":
        series = [{"labels": {}, **_sample(data.at("result"))}]
    else:
        series = [_one_series(part, kind) for part in data.at("result").items()]
    series.sort(key=lambda one: sorted(one["labels"].items()))
    if any(one["labels"] == other["labels"] for one, other in pairwise(series)):
        raise AnswerMalformed("one series came twice")
    moments = {from_text(sample["at"]) for one in series for sample in _samples(one)}
    return Found(series, _doubts(answer), _scanned(data), tuple(sorted(moments)))


def _doubts(answer: Part) -> tuple[str, ...]:
    found = []
    for key, sentence in (("warnings", "the server warns"), ("infos", "the server doubts the query")):
        if answer.has(key) and (parts := answer.at(key).items()):
            found.append(f"{sentence}: {words(parts)}")
    if answer.has("isPartial") and answer.at("isPartial").flag():
        found.append("the server says that its answer is partial")
    return tuple(found)


def _scanned(data: Part) -> int | None:
    if not data.has("stats") or not data.at("stats").has("samples"):
        return None
    samples = data.at("stats").at("samples")
    return samples.at("totalQueryableSamples").count() if samples.has("totalQueryableSamples") else None


def _one_series(part: Part, kind: str) -> dict[str, Any]:
    if part.has("histogram") or part.has("histograms"):
        raise AnswerMalformed("the result holds native histograms: ask for a quantile or a rate of them")
    labels = part.at("metric").texts()
    if kind == "vector":
        return {"labels": labels, **_sample(part.at("value"))}
    return {"labels": labels, "samples": [_sample(sample) for sample in part.at("values").items()]}


def _sample(part: Part) -> dict[str, Any]:
    pair = part.items()
    if len(pair) != 2:
        raise AnswerMalformed(f"{part.place} is not a pair of time and value")
    text = pair[1].text()
    try:
        number = float(text)
    except ValueError:
        raise AnswerMalformed(f"{pair[1].place} is not a number") from None
    finite = math.isfinite(number)
    return {"at": as_text(_instant(pair[0])), "value": number if finite else text, "finite": finite}


def _samples(series: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    found: Iterable[Mapping[str, Any]] = series.get("samples", (series,))
    return found


def _refuse_other_times(found: Found, moment: Mapping[str, str]) -> None:
    """Raise AnswerMalformed where the server looked at another time than was asked for."""
    first, last = (float(moment.get(edge, moment.get("time", ""))) for edge in ("start", "end"))
    slack = float(moment.get("step", _SLACK_SECONDS))  # some round the edges to whole steps
    for at in found.moments:
        if not first - slack <= at.timestamp() <= last + slack:
            raise AnswerMalformed("the answer holds values of another time than was asked for")


def _refuse_strangers(series: list[dict[str, Any]], plan: PromQuestion, arguments: Mapping[str, Any]) -> None:
    for label, names in plan.echoes.items():
        asked = {arguments[name] for name in names}
        for one in series:
            if label in one["labels"] and one["labels"][label] not in asked:
                raise AnswerMalformed(
                    f"a series has {label}={inert(one['labels'][label], 60)!r}, which was not asked for"
                )


def _unproven(found: Found, control: Found | None) -> str:
    if control is None:
        if found.series:
            return ""
        return "no series was found, and the tool has no control to prove that one could have been"
    if not control.series:
        return "the raw series that the control names are not there, so the answer proves nothing"
    return "; ".join(f"about the control {doubt}" for doubt in control.doubts)


def _covered(call: Call, plan: PromQuestion, found: Found, control: Found | None) -> dict[str, Any]:
    covered: dict[str, Any] = {"series": len(found.series)}
    if found.scanned is not None:
        covered["scanned"] = found.scanned
    if not plan.step:
        return {**covered, "at": as_text(_at(call, plan))}
    covered["step"] = plan.step
    seen = (control or found).moments
    if not seen:
        return covered
    # Where no sample is, nobody looked: only what the samples span is covered.
    since, until = call.window()
    step = timedelta(seconds=plan.step)
    begins = since if seen[0] - since < step else seen[0]
    ends = until if until - seen[-1] < step else seen[-1]
    return {**covered, "since": as_text(begins), "until": as_text(ends)}


def _gaps(plan: PromQuestion, control: Found | None) -> list[str]:
    """Return a sentence where the raw series were away in the middle of the window."""
    if not plan.step or control is None or not control.moments:
        return []
    span = control.moments[-1] - control.moments[0]
    missing = round(span / timedelta(seconds=plan.step)) + 1 - len(control.moments)
    return [f"the raw series are not there at {missing} points of the window"] if missing > 0 else []
