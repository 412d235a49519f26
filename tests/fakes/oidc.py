"""An OpenID Connect provider on loopback, by the public documents: discovery, token, userinfo."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import jwt

CLIENT = "assay"


@dataclass
class Provider:
    """Says of everybody what `claims` say now; `forms` holds what the token endpoint was sent."""

    url: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    forms: list[dict[str, list[str]]] = field(default_factory=list)
    token_status: int = 200
    discovery_status: int = 200
    audience: str = CLIENT

    def answer(self, path: str, form: dict[str, list[str]]) -> tuple[int, dict[str, Any]]:
        """Return status and JSON for a request."""
        if path.endswith("/openid-configuration"):
            ends = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
            names = {f"{name}_endpoint": f"{self.url}/{end}" for name, end in ends.items()}
            return self.discovery_status, {"issuer": self.url, "jwks_uri": f"{self.url}/jwks", **names}
        if path == "/userinfo":
            return 200, self.claims
        self.forms.append(form)
        return self.token_status, {
            "access_token": "an access token",
            "token_type": "Bearer",
            "id_token": jwt.encode(
                {**self.claims, "iss": self.url, "aud": self.audience, "exp": time.time() + 60},
                "a key that signs nothing that is checked",
            ),
        }


@contextmanager
def provider() -> Iterator[Provider]:
    """Serve a provider until the block ends."""
    one = Provider()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            status, told = one.answer(self.path, parse_qs(body))
            content = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    one.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield one
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
