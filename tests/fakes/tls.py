"""The fake server behind TLS, with a certificate for localhost that no authority vouches for."""

import socket
import ssl
import subprocess
from pathlib import Path

from tests.conftest import require_program
from tests.fakes.server import Answer, FakeServer


def make_certificate(folder: Path) -> Path:
    """Make cert.pem and key.pem in the folder; a named skip where there is no openssl."""
    subprocess.run(
        [require_program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    return folder


class TlsServer(FakeServer):
    """A fake server that speaks TLS."""

    def __init__(self, answer: Answer, folder: Path) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        super().__init__(answer)
        self.url = f"https://127.0.0.1:{self.port}"

    def _serve(self, connection: socket.socket) -> None:
        try:
            secured = self._context.wrap_socket(connection, server_side=True)
        except OSError:
            self._open.discard(connection)
            return
        self._open.discard(connection)
        self._open.add(secured)
        super()._serve(secured)
