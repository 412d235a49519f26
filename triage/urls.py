"""Every address that Assay answers."""

from django.urls import URLPattern, URLResolver, include, path

from approvals.doors import no_token
from incidents.views import asks, claims, deliveries, entries, entry, incident, moves, queue, replay, rules
from triage import health, mcp_address, metrics
from triage.api import problems

handler500 = "triage.faults.server_error"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", queue.show, name="queue"),
    path("pulse/", queue.pulse, name="pulse"),
    path("incidents/<int:number>/", incident.show, name="incident"),
    path("incidents/<int:number>/close/", moves.close, name="close"),
    path("incidents/<int:number>/reopen/", moves.reopen, name="reopen"),
    path("incidents/<int:number>/acknowledge/", moves.acknowledge, name="acknowledge"),
    path("incidents/<int:number>/assign/", moves.assign, name="assign"),
    path("incidents/<int:number>/ask/", moves.ask, name="ask"),
    path("incidents/<int:number>/replay/", replay.download, name="replay"),
    path("entries/", entries.show_all, name="entries"),
    path("entries/<int:number>/", entry.show, name="entry"),
    path("asks/", asks.show_all, name="asks"),
    path("asks/<int:number>/", asks.answer, name="ask_answer"),
    path("deliveries/", deliveries.show_all, name="deliveries"),
    path("deliveries/<int:number>/", deliveries.show, name="delivery"),
    path("claims/new/", claims.new, name="claim"),
    path("rules/", rules.show_all, name="rules"),
    path("healthz", health.healthz, name="healthz"),
    path("metrics", metrics.metrics, name="metrics"),
    path(".well-known/oauth-protected-resource/mcp", mcp_address.protected_resource),
    path("api/v1/approvals", no_token),
    path("api/v1/approvals/<path:rest>", no_token),
    path("api/v1/", include("triage.api.urls")),
    path("api/", problems.unknown),
    path("api/<path:rest>", problems.unknown),
    path("", include("accounts.urls")),
    path("", include("notices.urls")),
    path("", include("toolbox.urls")),
    path("", include("approvals.urls")),
    path("", include("investigations.urls")),
    path("", include("trials.urls")),
    path("", include("incidents.urls")),
]
