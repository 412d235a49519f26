"""A fake of the search API that OpenSearch and Elasticsearch share (POST /INDEX/_search)."""

import fnmatch
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.server import Asked, Reply


@dataclass
class FakeOpenSearch:
    """Holds documents by index; knows bool filters of term, match_phrase, match_all and range.

    `changes` is laid over every answer, to make it partial; `strays` come with every page of hits.
    """

    indices: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    changes: dict[str, Any] = field(default_factory=dict)
    strays: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, asked: Asked) -> Reply:
        index, _, verb = asked.path.lstrip("/").partition("/")
        assert (asked.method, verb) == ("POST", "_search"), asked
        names = fnmatch.filter(self.indices, index)
        if not names:
            error = {"type": "index_not_found_exception", "reason": f"no such index [{index}]"}
            return Reply(404, {"error": {"root_cause": [error], **error}, "status": 404})
        found = [
            {"_index": name, "_id": str(number), "_source": document}
            for name in names
            for number, document in enumerate(self.indices[name])
            if _matches(document, asked.body["query"])
        ]
        body = {
            "took": 3,
            "timed_out": False,
            "_shards": {"total": 2, "successful": 2, "skipped": 0, "failed": 0},
            "hits": {
                "total": {"value": len(found), "relation": "eq"},
                "hits": (found + self.strays)[: asked.body["size"]],
            },
        }
        return Reply(body=_laid_over(body, self.changes))


def _matches(document: dict[str, Any], query: Any) -> bool:
    ((kind, inner),) = query.items()
    if kind == "match_all":
        return True
    if kind == "bool":
        return all(_matches(document, part) for part in inner["filter"])
    ((name, wanted),) = inner.items()
    value = document[name]
    if kind == "range":
        return bool(wanted["gte"] <= value <= wanted["lte"])
    return bool(wanted in value if kind == "match_phrase" else wanted == value)


def _laid_over(body: Any, changes: Any) -> Any:
    if not isinstance(body, dict) or not isinstance(changes, dict):
        return changes
    return {**body, **{key: _laid_over(body.get(key, {}), value) for key, value in changes.items()}}
