"""Where the MCP server is reached, from the settings, and the metadata that leads an agent to a token."""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from toolbox.mcp.door import OPENING, Address

_LOCAL = ("localhost", "127.0.0.1", "[::1]")


def configured_address() -> Address:
    """Return the exact hosts and origins: those of the settings, else BASE_URL's own."""
    return Address(
        base_url=settings.BASE_URL,
        hosts=frozenset(host.lower() for host in settings.MCP_ALLOWED_HOSTS or _own_hosts()),
        origins=frozenset(origin.lower() for origin in settings.MCP_ALLOWED_ORIGINS or [_origin()]),
        most_bytes=settings.MCP_MAX_BYTES,
        issuer=settings.OIDC_ISSUER,
        needs_tls=settings.PRODUCTION and settings.BASE_URL.startswith("https://"),
        trusts_proxy=settings.BEHIND_PROXY,
    )


@login_not_required
@require_safe
def protected_resource(request: HttpRequest) -> HttpResponse:
    """Say which issuer gives tokens for the MCP server (RFC 9728); 404 while none is configured."""
    if not settings.OIDC_ISSUER:
        raise Http404("OIDC_ISSUER is not set: tokens are made with manage.py addtoken.")
    told = {
        "resource": f"{settings.BASE_URL}/mcp",
        "authorization_servers": [settings.OIDC_ISSUER],
        "scopes_supported": [scope.value for scope in OPENING],
        "bearer_methods_supported": ["header"],
        "resource_name": "Assay",
    }
    return JsonResponse(told, headers={"Access-Control-Allow-Origin": "*"})


def _origin() -> str:
    parts = urlsplit(settings.BASE_URL)
    return f"{parts.scheme}://{parts.netloc}"


def _own_hosts() -> list[str]:
    """Return BASE_URL's host; on the own machine also its other names, with the same port."""
    parts = urlsplit(settings.BASE_URL)
    port = f":{parts.port}" if parts.port else ""
    is_local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    return [parts.netloc, *(f"{name}{port}" for name in _LOCAL if is_local)]
