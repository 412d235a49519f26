"""The settings of one named model endpoint, each read under the endpoint's prefix."""

from decimal import Decimal
from typing import Any

from triage import env

PREFIXES = {"default": "", "candidate": "CANDIDATE_", "critic": "CRITIC_", "grader": "GRADER_", "ask": "ASK_"}


def endpoint(name: str) -> dict[str, Any]:
    """Return an endpoint's settings as they stand; raise ImproperlyConfigured for one that cannot be read.

    Only the worker that speaks to models is given a key, so elsewhere it is empty.
    """
    prefix = PREFIXES[name]
    return {
        "prefix": prefix,
        "base_url": env.text(f"{prefix}LLM_BASE_URL").rstrip("/"),
        "key": env.text(f"{prefix}LLM_API_KEY"),
        "model": env.text(f"{prefix}MODEL_ID"),
        "quirks": env.text(f"{prefix}LLM_QUIRKS"),
        "price_in": env.decimal(f"{prefix}LLM_PRICE_IN", Decimal(0)),
        "price_out": env.decimal(f"{prefix}LLM_PRICE_OUT", Decimal(0)),
        "context": env.integer(f"{prefix}LLM_CONTEXT", 32_768, least=512),
        "max_tokens": env.integer(f"{prefix}LLM_MAX_TOKENS", 4_096, least=1),
        "temperature": env.decimal(f"{prefix}LLM_TEMPERATURE", Decimal(0)),
        "seconds": env.integer(f"{prefix}LLM_SECONDS", 60, least=1),
        "total_seconds": env.integer(f"{prefix}LLM_TOTAL_SECONDS", 180, least=1),
        "tries": env.integer(f"{prefix}LLM_TRIES", 4, least=1),
        "backoff_ms": env.integer(f"{prefix}LLM_BACKOFF_MS", 1_000),
    }
