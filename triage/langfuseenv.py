"""Which Langfuse evaluations and spans are handed to, if any, as its own variables say."""

from base64 import b64encode
from dataclasses import dataclass, field

from django.core.exceptions import ImproperlyConfigured

from triage import env


@dataclass(frozen=True, slots=True)
class Langfuse:
    """A server of Langfuse and the keys of a project there."""

    host: str
    public_key: str = field(repr=False)
    secret_key: str = field(repr=False)

    @property
    def traces(self) -> str:
        """Where it takes spans over OTLP."""
        return f"{self.host}/api/public/otel/v1/traces"

    @property
    def headers(self) -> dict[str, str]:
        """What signs a request in there, and the version of its ingestion that spans are meant for."""
        pair = b64encode(f"{self.public_key}:{self.secret_key}".encode()).decode()
        return {"Authorization": f"Basic {pair}", "x-langfuse-ingestion-version": "4"}


def server() -> Langfuse | None:
    """Return the server, or None where no key is set. Raises ImproperlyConfigured for half of it.

    An address alone is nothing: processes that are given no keys see it too.
    """
    given = {name: env.text(name) for name in ("LANGFUSE_HOST", "LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")}
    host, public, secret = given.values()
    if not (public or secret):
        return None
    if missing := [name for name, value in given.items() if not value]:
        raise ImproperlyConfigured(
            f"{' and '.join(missing)}: not set, beside the others of Langfuse. All three are needed, "
            "the address too: nothing goes to a server that nobody named."
        )
    if not host.startswith(("http://", "https://")):
        raise ImproperlyConfigured(
            f"LANGFUSE_HOST={host!r}: write an address such as https://langfuse.example."
        )
    return Langfuse(host.rstrip("/"), public, secret)
