"""Any HTTP API that answers in JSON: one GET to a path template on the connector's own host."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay_core.instants import as_text
from assay_core.results import Status
from toolbox import remote
from toolbox.connectors import fitting
from toolbox.connectors.base import Outcome
from toolbox.connectors.http import Reply, mapping_of_links
from toolbox.connectors.httpconnector import Call, HttpConnector
from toolbox.connectors.httpjson import AnswerMalformed, inert
from toolbox.connectors.httpstatus import Failure
from toolbox.connectors.paths import PathTemplate, dotted, path_template
from toolbox.querytext import ArgumentRefused
from toolbox.remote import Given, RemoteQuestion
from toolbox.yamlfile import Place

KEYS = frozenset(
    {
        "get", "query", "control", "shape", "key", "items", "fields", "same", "total", "incomplete",
        "page_size", "window",
    }
)  # fmt: skip


# A link to a style sheet says nothing of pages.
_PAGES = re.compile(r"\brel\s*=\s*\"?[^\";,]*\b(next|prev|previous|first|last)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ApiQuestion:
    """Where to look, what to keep of what comes, and which fields must show what was asked for."""

    path: PathTemplate
    query: Mapping[str, Any]
    control: PathTemplate | None
    items: str
    fields: Mapping[str, str]
    same: Mapping[str, str]
    total: str
    incomplete: str
    page_size: int


def load(place: Place, given: Given) -> RemoteQuestion:
    """Read `get`, `query`, `control`, `shape`, `fields` and the rest; raise DefinitionError."""
    path = _path(place.at("get"), given)
    control = None if place.at("control").data is None else _path(place.at("control"), given)
    query, asked = _query(place.at("query"), given)
    window = None if place.at("window").data is None else remote.window(place.at("window"), given)
    shape: Literal["one", "rows"] = remote.choice(place.at("shape"), ("one", "rows"), "one")
    fields = _texts(place.at("fields"))
    if not fields:
        raise place.error(
            "the tool keeps no field of the answer", "Add `fields: {NAME: path.in.the.answer}`."
        )
    same = {name: remote.argument(place.at("same").at(name), given) for name in _texts(place.at("same"))}
    for name in same:
        if name not in fields:
            raise place.at("same").at(name).error(f"{name} is not among the fields", "Add it to `fields`.")
    plan = ApiQuestion(
        path=path,
        query=query,
        control=control,
        items=_optional(place.at("items")),
        fields=fields,
        same=same,
        total=_optional(place.at("total")),
        incomplete=_optional(place.at("incomplete")),
        page_size=0
        if place.at("page_size").data is None
        else remote.whole_number(place.at("page_size"), 1, 1000),
    )
    used = path.names | asked | (window.names if window else frozenset())
    remote.all_used(place, used, given)
    return RemoteQuestion(plan, shape, place.at("key").text(), window)


def _path(place: Place, given: Given) -> PathTemplate:
    template = path_template(place, given)
    if not template.pieces[0].startswith("/"):
        raise place.error("the path does not begin at the host", "Begin it with /.")
    return template


def _optional(place: Place) -> str:
    return "" if place.data is None else place.text()


def _texts(place: Place) -> Mapping[str, str]:
    if place.data is None:
        return {}
    if not isinstance(place.data, Mapping):
        raise place.error(f"{place.name} is not a mapping", "Write `{NAME: …}`.")
    return {str(name): place.at(name).text() for name in place.data}


def _query(place: Place, given: Given) -> tuple[Mapping[str, Any], frozenset[str]]:
    if place.data is None:
        return {}, frozenset()
    if not isinstance(place.data, Mapping):
        raise place.error("query is not a mapping", "Write `query: {NAME: VALUE}`.")
    used = set()
    for name, value in place.data.items():
        part = place.at(name)
        if isinstance(value, Mapping):
            part.mapping(frozenset({"argument"}), frozenset({"argument"}))
            used.add(remote.argument(part.at("argument"), given))
        elif isinstance(value, bool) or not isinstance(value, str | int):
            raise part.error(
                f"{name} is neither a text nor a whole number", "Write one, or {argument: NAME}."
            )
    return place.data, frozenset(used)


class HttpApiConnector(HttpConnector):
    """One API on one host, read by GET."""

    kind = "http"

    def answer(self, call: Call) -> Outcome:
        """Read, keep the declared fields, and say what may be missing."""
        plan: ApiQuestion = call.question.plan
        path = plan.path.render(call.arguments)
        reply = self.get(call, path, _parameters(plan, call.arguments), absent=True, moves=True)
        covered: dict[str, Any] = {"path": path, "page": 1}
        if call.question.window is not None:
            since, until = call.window()
            covered |= {"since": as_text(since), "until": as_text(until)}
        if reply.status == 404:
            return self._absent(call, covered)
        _refuse_error(reply, _asked(call.question))
        return (
            self._one(call, reply, covered)
            if call.question.shape == "one"
            else self._rows(call, reply, covered)
        )

    def _one(self, call: Call, reply: Reply, covered: Mapping[str, Any]) -> Outcome:
        found = _picked(reply.body, call)
        fit = fitting.kept([found], call.tool.limits)
        if not fit.whole:
            return Outcome(Status.TRUNCATED, reason=f"{self.name}: {fit.cut}", covered=covered)
        return Outcome(Status.OBSERVED, {call.question.key: fit.items[0]}, "", covered, fit.replaced)

    def _rows(self, call: Call, reply: Reply, covered: Mapping[str, Any]) -> Outcome:
        plan: ApiQuestion = call.question.plan
        items = dotted(reply.body, plan.items) if plan.items else reply.body
        if not isinstance(items, list):
            raise AnswerMalformed(f"{plan.items or 'the answer'} is not a list")
        fit = fitting.kept([_picked(item, call) for item in items], call.tool.limits)
        partial = _doubts(plan, reply, len(items))
        if not fit.whole:
            partial.append(fit.cut)
        result = {call.question.key: fit.items, "row_count": len(fit.items)}
        covered = {**covered, "scanned": len(items), **_total(plan, reply)}
        if not items and not partial:
            return self._nothing(call, result, covered)
        status, reason = fitting.ending(found=bool(items), partial=partial)
        return Outcome(status, result, reason, covered, fit.replaced)

    def _absent(self, call: Call, covered: Mapping[str, Any]) -> Outcome:
        empty: Any = None if call.question.shape == "one" else []
        return self._nothing(call, {call.question.key: empty}, covered)

    def _nothing(self, call: Call, result: Mapping[str, Any], covered: Mapping[str, Any]) -> Outcome:
        """Nothing is there: an answer only where the control proves that one could have been."""
        plan: ApiQuestion = call.question.plan
        where = covered["path"]
        if plan.control is None:
            reason = f"nothing is at {where}, and the tool has no control that proves that it would be"
            return Outcome(Status.UNANSWERABLE, result, reason, covered)
        control = plan.control.render(call.arguments)
        place = self.get(call, control, absent=True, moves=True)
        if place.status == 200:
            _refuse_error(place, frozenset())
        else:
            reason = f"nothing is at {where}, nor at {control}: missing, or hidden from this credential"
            return Outcome(Status.UNANSWERABLE, result, reason, covered)
        return Outcome(Status.EMPTY, result, "", covered)


def _parameters(plan: ApiQuestion, arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return the query; an argument that was left out demands nothing. Raises ArgumentRefused."""
    found = {}
    for name, value in plan.query.items():
        if isinstance(value, Mapping):
            value = arguments.get(value["argument"])
        if value is None:
            continue
        if not isinstance(value, str | int):
            raise ArgumentRefused(f"{name} is neither a text nor a whole number")
        found[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return found


def _asked(question: RemoteQuestion) -> frozenset[str]:
    """Return the words of an answer's first level that a tool asks for."""
    plan: ApiQuestion = question.plan
    fields = plan.fields.values() if question.shape == "one" else ()
    paths = (plan.items, plan.total, plan.incomplete, *fields)
    return frozenset(path.partition(".")[0].rstrip("?") for path in paths)


def _refuse_error(reply: Reply, asked: frozenset[str]) -> None:
    """Raise Failure for an error in a 200, unless it stands under a word that was asked for."""
    if not isinstance(reply.body, Mapping):
        return
    for word in ("error", "errors"):
        said = reply.body.get(word)
        if said and word not in asked and not isinstance(said, int | float):
            raise Failure(Status.ERROR, f"the server answers 200 with an error: {inert(str(said))}")
    for word in ("ok", "success"):
        if reply.body.get(word) is False and word not in asked:
            raise Failure(Status.ERROR, f"the server answers 200 and says itself that {word} is false")


def _picked(item: Any, call: Call) -> dict[str, Any]:
    plan: ApiQuestion = call.question.plan
    found = {name: _field(item, path) for name, path in plan.fields.items()}
    for name, argument in plan.same.items():
        if str(found[name]).lower() != str(call.arguments.get(argument)).lower():
            raise AnswerMalformed(
                f"the answer has {name}={inert(str(found[name]), 60)!r}, which was not asked for"
            )
    return found


def _field(item: Any, path: str) -> Any:
    """Return a field; one whose path ends in ? may be left out by the server, and is null then."""
    if not path.endswith("?"):
        return dotted(item, path)
    try:
        return dotted(item, path[:-1])
    except AnswerMalformed:
        return None


def _doubts(plan: ApiQuestion, reply: Reply, count: int) -> list[str]:
    found = []
    following = mapping_of_links(reply.links)
    if "next" in following:
        found.append("the server has further pages")
    elif not _PAGES.search(reply.links) and plan.page_size and count >= plan.page_size:
        found.append(f"the page is full ({count}), and the server does not say whether it is the last")
    if plan.incomplete and dotted(reply.body, plan.incomplete) is not False:
        found.append("the server says that its answer is incomplete")
    total = _total(plan, reply).get("total", count)
    if total < count:
        raise AnswerMalformed(f"{count} came of {total} that match")
    if total > count and not found:
        found.append(f"{total} match, and {count} came")
    return found


def _total(plan: ApiQuestion, reply: Reply) -> dict[str, int]:
    if not plan.total:
        return {}
    total = dotted(reply.body, plan.total)
    if not isinstance(total, int) or isinstance(total, bool):
        raise AnswerMalformed(f"{plan.total} is not a whole number")
    return {"total": total}
