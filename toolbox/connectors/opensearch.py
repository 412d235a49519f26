"""Documents by the search API of OpenSearch and Elasticsearch: a template with typed holes."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from assay_core.instants import NotAnInstant, as_text, from_text
from assay_core.results import Status
from toolbox import remote
from toolbox.connectors import fitting
from toolbox.connectors.base import Outcome
from toolbox.connectors.httpconnector import Call, HttpConnector
from toolbox.connectors.httpjson import AnswerMalformed, Part, inert
from toolbox.connectors.httpstatus import Failure
from toolbox.connectors.jsontemplate import filled, holes
from toolbox.connectors.paths import PathTemplate, dotted, index_part, path_template
from toolbox.remote import Given, RemoteQuestion
from toolbox.yamlfile import Place

KEYS = frozenset(
    {"index", "search", "control", "window", "time_field", "fields", "same", "count", "skipped_shards", "key"}
)
Skipped = Literal["partial", "harmless"]
# As milliseconds, this is in the year 5138; as nanoseconds, in 1973.
_NANOSECONDS_FROM = 100_000_000_000_000
_FIELD = re.compile(r"[A-Za-z_@][A-Za-z0-9_.@-]{0,120}")


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """What is searched where. `control` says what the place holds; without one, all of the window."""

    index: PathTemplate
    search: Any
    control: Any
    time_field: str
    fields: tuple[str, ...]
    same: Mapping[str, str]
    count: bool
    skipped: Skipped


def load(place: Place, given: Given) -> RemoteQuestion:
    """Read `index`, `search`, `window` and the rest; raise DefinitionError."""
    index = path_template(place.at("index"), given)
    window = remote.window(place.at("window"), given)
    search, control = place.at("search"), place.at("control")
    if not isinstance(search.data, Mapping):
        raise search.error("search is not a query", "Write one in the query DSL, like `term: {…}`.")
    used = index.names | window.names | holes(search, given)
    used |= holes(control, given) if control.data is not None else frozenset()
    count = place.at("count").data
    if count is not None and not isinstance(count, bool):
        raise place.at("count").error("count is neither true nor false", "Write true or false.")
    plan = SearchQuestion(
        index=index,
        search=search.data,
        control=control.data if control.data is not None else {"match_all": {}},
        time_field=_field(place.at("time_field")),
        fields=tuple(_field(part) for part in place.at("fields").items()),
        same=_same(place.at("same"), given),
        count=bool(count),
        skipped=remote.choice(place.at("skipped_shards"), ("partial", "harmless"), "partial"),
    )
    for field in plan.same:
        if field not in plan.fields:
            raise place.at("same").at(field).error(f"{field} is not fetched", "Add it to `fields`.")
    remote.all_used(place, used, given)
    return RemoteQuestion(plan, "rows", remote.key(place, "hits"), window)


def _field(place: Place) -> str:
    text = place.text()
    if not _FIELD.fullmatch(text):
        raise place.error(f"{text!r} is no field's name", "Name one field, without wildcards.")
    return text


def _same(place: Place, given: Given) -> Mapping[str, str]:
    if place.data is None:
        return {}
    if not isinstance(place.data, Mapping):
        raise place.error("same is not a mapping", "Write `same: {FIELD: ARGUMENT}`.")
    return {str(field): remote.argument(place.at(field), given) for field in place.data}


@dataclass(frozen=True, slots=True)
class _Page:
    hits: list[Part]
    total: int
    partial: tuple[str, ...]
    shards: Mapping[str, int]


class OpenSearchConnector(HttpConnector):
    """One cluster. The only POST is a search whose body is made here."""

    kind = "opensearch"

    def answer(self, call: Call) -> Outcome:
        """Search, and count what the place holds: where nothing is, finding nothing proves nothing."""
        plan: SearchQuestion = call.question.plan
        index = plan.index.render(call.arguments, index_part)
        held = self._page(call, index, plan.control, size=0)
        size = 0 if plan.count else call.tool.limits.rows
        page = self._page(call, index, plan.search, size=size)
        _refuse_other_times(page.hits, plan.time_field, call.window())
        documents = [_document(hit, plan, call.arguments) for hit in page.hits]
        if len({(one["index"], one["id"]) for one in documents}) < len(documents):
            raise AnswerMalformed("one document came twice")
        if len(documents) > page.total:
            raise AnswerMalformed(f"{len(documents)} documents came of {page.total} that match")
        fit = fitting.kept(documents, call.tool.limits)
        partial = [*dict.fromkeys((*held.partial, *page.partial))]
        if not fit.whole or (not plan.count and page.total > len(documents)):
            partial.append(f"{page.total} documents match; the first {len(fit.items)} are kept")
        unproven = "" if held.total else "the place holds no document in the window, so this proves nothing"
        status, reason = fitting.ending(
            found=plan.count or page.total > 0, partial=partial, unproven=unproven
        )
        counts = {"match_count": page.total, "documents_in_window": held.total}
        result = counts if plan.count else {call.question.key: fit.items, **counts}
        since, until = call.window()
        covered = {
            "since": as_text(since),
            "until": as_text(until),
            "index": index,
            "scanned": held.total,
            "total": page.total,
            "shards": dict(page.shards),
        }
        return Outcome(status, result, reason, covered, fit.replaced)

    def _page(self, call: Call, index: str, query: Any, *, size: int) -> _Page:
        plan: SearchQuestion = call.question.plan
        body = {
            "query": {
                "bool": {"filter": [filled(query, call.arguments), _range(plan.time_field, call.window())]}
            },
            "size": size,
            "track_total_hits": True,
            "_source": list(plan.fields),
            "sort": [{plan.time_field: "asc"}],
            "timeout": f"{max(1, int(call.deadline.left() * 900))}ms",
        }
        asked = {"allow_no_indices": "false", "ignore_unavailable": "false"}
        reply = self.search(call, f"/{index}/_search", asked, body, absent=True)
        if reply.status == 404:
            raise Failure(Status.UNANSWERABLE, f"there is no index {index}, so nothing can be found in it")
        return _page(reply.part, index, plan.skipped)


def _range(field: str, window: tuple[datetime, datetime]) -> dict[str, Any]:
    since, until = window
    edges = {"gte": as_text(since), "lte": as_text(until), "format": "strict_date_optional_time"}
    return {"range": {field: edges}}


def _page(answer: Part, index: str, skipped: Skipped) -> _Page:
    if answer.has("error"):
        raise Failure(Status.ERROR, "the cluster reports an error")
    shards = {
        name: answer.at("_shards").at(name).count()
        for name in ("total", "successful", "skipped", "failed")
        if name != "skipped" or answer.at("_shards").has("skipped")
    }
    if shards["total"] == 0:
        raise Failure(Status.UNANSWERABLE, f"no index matches {index}, so nothing can be found in it")
    total, relation = _total(answer.at("hits").at("total"))
    partial = []
    if answer.at("timed_out").flag():
        partial.append("the search ran out of time")
    if shards["failed"] or shards["successful"] < shards["total"]:
        partial.append(f"{shards['successful']} of {shards['total']} shards answered")
    if shards.get("skipped") and skipped == "partial":
        partial.append(f"{shards['skipped']} shards were skipped")
    if answer.has("_clusters") and _cluster_gaps(answer.at("_clusters")):
        partial.append("a remote cluster did not answer")
    if answer.has("terminated_early") and answer.at("terminated_early").flag():
        partial.append("the search was ended early")
    if relation != "eq":
        partial.append(f"at least {total} documents match; the cluster stopped counting")
    return _Page(answer.at("hits").at("hits").items(), total, tuple(partial), shards)


def _refuse_other_times(hits: list[Part], field: str, window: tuple[datetime, datetime]) -> None:
    """Raise AnswerMalformed for a document outside the window, wherever its time can be read."""
    since, until = (moment.timestamp() * 1000 for moment in window)
    for hit in hits:
        for milliseconds in _times(hit, field):
            if not since - 1 <= milliseconds <= until + 1:
                raise AnswerMalformed("the answer holds documents outside the window that was asked for")


def _times(hit: Part, field: str) -> Iterator[float]:
    """Yield what a document was sorted by, and its own time where that is written as an instant."""
    first = hit.at("sort").items()[:1] if hit.has("sort") else []
    for part in first:
        if isinstance(part.value, int) and not isinstance(part.value, bool):
            yield part.value / 1_000_000 if part.value > _NANOSECONDS_FROM else part.value
    with suppress(AnswerMalformed, NotAnInstant, TypeError):
        yield from_text(dotted(hit.at("_source").object(), field)).timestamp() * 1000


def _total(part: Part) -> tuple[int, str]:
    if isinstance(part.value, dict):
        return part.at("value").count(), part.at("relation").text()
    return part.count(), "eq"


def _cluster_gaps(part: Part) -> bool:
    return part.at("total").integer() != part.at("successful").integer()


def _document(hit: Part, plan: SearchQuestion, arguments: Mapping[str, Any]) -> dict[str, Any]:
    source = hit.at("_source").object()
    found = {field: dotted(source, field) for field in plan.fields}
    for field, name in plan.same.items():
        if found[field] != arguments[name]:
            raise AnswerMalformed(
                f"a document has {field}={inert(str(found[field]), 60)!r}, which was not asked for"
            )
    return {"index": hit.at("_index").text(), "id": hit.at("_id").text(), "source": found}
