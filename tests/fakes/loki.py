"""A fake of Loki's query API (GET /loki/api/v1/query and /query_range, as documented for Loki 2 and 3)."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.fakes.server import Asked, Reply


@dataclass
class FakeLoki:
    """Holds lines as (time, labels, text); knows selectors with `=`, `|=` filters and count_over_time."""

    lines: list[tuple[datetime, dict[str, str], str]] = field(default_factory=list)
    tenant: str = ""
    warnings: list[str] = field(default_factory=list)
    ignores_window: bool = False

    def __call__(self, asked: Asked) -> Reply:
        if self.tenant and asked.headers.get("x-scope-orgid") != self.tenant:
            return Reply(401, b"no org id\n", "text/plain")
        query = asked.one("query")
        if asked.path == "/loki/api/v1/query":
            counted = re.fullmatch(r"sum\(count_over_time\((.*) \[(\d+)ms\]\)\)", query, re.DOTALL)
            assert counted, query
            end = int(asked.one("time"))
            found, scanned = self._found(counted[1], end - int(counted[2]) * 1_000_000, end + 1)
            result = [{"metric": {}, "value": [end // 10**9, str(len(found))]}] if found else []
            return self._reply("vector", result, scanned)
        assert asked.path == "/loki/api/v1/query_range"
        start, end = int(asked.one("start")), int(asked.one("end"))
        if self.ignores_window:
            start = 0
        found, scanned = self._found(query, start, end)
        if asked.one("direction") == "backward":
            found.reverse()
        streams: dict[str, dict[str, Any]] = {}
        for at, labels, text in found[: int(asked.one("limit"))]:
            stream = streams.setdefault(repr(labels), {"stream": labels, "values": []})
            stream["values"].append([str(at), text])
        return self._reply("streams", list(streams.values()), scanned)

    def _found(self, query: str, start: int, end: int) -> tuple[list[tuple[int, dict[str, str], str]], int]:
        selector, _, pipeline = query.partition("}")
        wanted = dict(re.findall(r'(\w+)="([^"]*)"', selector))
        filters = [
            text.encode().decode("unicode_escape")
            for text in re.findall(r'\|= "((?:\\.|[^"\\])*)"', pipeline)
        ]
        inside = [
            (at, labels, text)
            for moment, labels, text in self.lines
            if start <= (at := int(moment.timestamp() * 1_000_000) * 1000) < end
            and all(labels.get(name) == value for name, value in wanted.items())
        ]
        inside.sort(key=lambda line: line[0])
        return [line for line in inside if all(text in line[2] for text in filters)], len(inside)

    def _reply(self, kind: str, result: object, scanned: int) -> Reply:
        stats = {
            "summary": {"totalLinesProcessed": scanned, "totalBytesProcessed": scanned * 80, "execTime": 0.01}
        }
        body = {"status": "success", "data": {"resultType": kind, "result": result, "stats": stats}}
        return Reply(body={**body, "warnings": self.warnings} if self.warnings else body)
