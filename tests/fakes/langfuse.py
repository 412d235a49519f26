"""A Langfuse on a real socket, as far as its public API documents: datasets, items, scores and spans."""

import gzip
import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.fakes.collector import Collector, Received

AT = "2026-08-01T00:00:00.000Z"
_PAGE = 50


@dataclass
class Project:
    """One project: its keys, and what was put there. Equal ids replace one another, as there."""

    url: str
    public_key: str
    secret_key: str = "sk-lf-very-secret"
    fails: dict[str, int] = field(default_factory=dict)  # path: status
    datasets: dict[str, Any] = field(default_factory=dict)
    items: dict[str, Any] = field(default_factory=dict)
    scores: dict[str, Any] = field(default_factory=dict)
    spans: dict[str, Received] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    versions: set[str] = field(default_factory=set)

    @property
    def authorization(self) -> str:
        """What a request has to be signed in by."""
        return f"Basic {b64encode(f'{self.public_key}:{self.secret_key}'.encode()).decode()}"

    def answer(self, method: str, url: str, body: bytes) -> tuple[int, Any]:
        """Return the status and what is answered as JSON."""
        path = unquote(urlsplit(url).path)
        self.paths.append(f"{method} {path}")
        if path in self.fails:
            return self.fails[path], {"message": "as it was told to"}
        match method, path:
            case "GET", "/api/public/projects":
                organization = {"id": "o1", "name": "ours"}
                return 200, {
                    "data": [{"id": "p1", "name": "assay", "metadata": {}, "organization": organization}]
                }
            case "POST", "/api/public/v2/datasets":
                return 200, self._dataset(json.loads(body))
            case "POST", "/api/public/dataset-items":
                return self._item(json.loads(body))
            case "GET", "/api/public/dataset-items":
                return 200, self._items(parse_qs(urlsplit(url).query))
            case "POST", "/api/public/scores":
                given = json.loads(body)
                self.scores |= {each["id"]: each for each in given}
                return 202, {"message": "Accepted"}
            case "POST", "/api/public/otel/v1/traces":
                collector = Collector(self.url)
                collector.add(body, {})
                self.spans |= {span.span: span for span in collector.spans}
                return 200, {}
        name = path.removeprefix("/api/public/v2/datasets/")
        return (200, self.datasets[name]) if name in self.datasets else (404, {"message": "not found"})

    def _dataset(self, given: Any) -> Any:
        whole: dict[str, Any] = {
            "id": f"d-{given['name']}",
            "projectId": "p1",
            "createdAt": AT,
            "updatedAt": AT,
        }
        whole |= {"metadata": None, "inputSchema": None, "expectedOutputSchema": None}
        return self.datasets.setdefault(
            given["name"],
            {**whole, **given},
        )

    def _item(self, given: Any) -> tuple[int, Any]:
        dataset = self.datasets.get(given["datasetName"])
        if dataset is None:
            return 404, {"message": "Dataset not found"}
        whole = {"datasetId": dataset["id"], "status": "ACTIVE", "createdAt": AT, "updatedAt": AT}
        whole |= {"sourceTraceId": None, "sourceObservationId": None, "mediaReferences": []}
        self.items[given["id"]] = whole | {name: each for name, each in given.items() if each is not None}
        return 200, self.items[given["id"]]

    def _items(self, query: dict[str, list[str]]) -> Any:
        found = [
            each for each in self.items.values() if each["datasetName"] == unquote(query["datasetName"][0])
        ]
        page, limit = int(query["page"][0]), int(query.get("limit", [str(_PAGE)])[0])
        pages = -(-len(found) // limit)
        return {
            "data": found[(page - 1) * limit : page * limit],
            "meta": {"page": page, "limit": limit, "totalItems": len(found), "totalPages": pages},
        }


@contextmanager
def langfuse(public_key: str) -> Iterator[Project]:
    """Serve one project on a free port. Each needs a key of its own: the SDK keeps a client for each."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer("GET", b"")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self._answer("POST", gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)

        def _answer(self, method: str, body: bytes) -> None:
            project.versions.add(self.headers.get("x-langfuse-ingestion-version", ""))
            if self.headers["Authorization"] == project.authorization:
                status, told = project.answer(method, self.path, body)
            else:
                status, told = 401, {"message": "Invalid credentials"}
            said = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test's output to the test."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    project = Project(f"http://127.0.0.1:{server.server_address[1]}", public_key)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield project
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
