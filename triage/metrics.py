"""/metrics for Prometheus: what was called, how it ended and how long it took; how old the oldest work is."""

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db.models import Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector, CollectorRegistry

from accounts import tokens
from accounts.tokens import Scope, TokenRefused
from audit import lag, publishing
from audit.places import configured
from incidents.models import Delivery
from incidents.states import DeliveryState
from investigations import shares
from investigations.models import Investigation, Question
from investigations.states import Asking, RunResult, State
from toolbox import counting
from toolbox.proofrows import ConnectorProof, Standing

Source = Callable[[], Iterable[Metric]]
_sources: list[Source] = []
_log = logging.getLogger(__name__)


def register(source: Source) -> Source:
    """Add a source of metrics, which may read the database; usable as a decorator."""
    _sources.append(source)
    return source


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer in Prometheus' text format to a token with the scope `read`."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return _refused(401, "Send a token with the scope read: Authorization: Bearer ...")
    try:
        caller = tokens.verify(secret.strip(), audience=settings.BASE_URL, now=datetime.now(UTC))
    except TokenRefused as refused:
        return _refused(401, f"{refused.reason}.")
    if Scope.READ not in caller.scopes or caller.investigation is not None:
        return _refused(403, "The token lacks the scope read, or was made for one investigation.")
    registry = CollectorRegistry()
    registry.register(_Everything())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _refused(status: int, said: str) -> HttpResponse:
    response = HttpResponse(f"{said}\n", status=status, content_type="text/plain")
    error = 'error="insufficient_scope", ' if status == 403 else ""
    response.headers["WWW-Authenticate"] = f'Bearer realm="assay", {error}scope="read"'
    return response


class _Everything(Collector):
    """Asks each source in turn; one that fails is left out and said to have failed."""

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of all sources."""
        failed = GaugeMetricFamily(
            "assay_metrics_source_failed", "Whether a source of metrics failed", labels=["source"]
        )
        for source in _sources:
            try:
                found = list(source())
            except Exception:  # noqa: BLE001 one broken source must not hide the others
                _log.exception("the metrics of %s could not be read", source.__name__)
                failed.add_metric([source.__name__], 1)
                continue
            failed.add_metric([source.__name__], 0)
            yield from found
        yield failed


@register
def calls() -> Iterator[Metric]:
    """Calls by tool, caller and end, with their times; requests refused before they reached a tool."""
    ended = CounterMetricFamily(
        "assay_tool_calls", "Tool calls by how they ended", labels=["tool", "caller", "status"]
    )
    for (tool, caller, status), count in sorted(counting.read(counting.CALLS).items()):
        ended.add_metric([tool, caller, status], count)
    yield ended
    yield _times()
    refused = CounterMetricFamily(
        "assay_mcp_refused_requests", "MCP requests refused at the door", labels=["status", "reason"]
    )
    for (status, reason), count in sorted(counting.read(counting.REFUSALS).items()):
        refused.add_metric([status, reason], count)
    yield refused


def _times() -> HistogramMetricFamily:
    times = HistogramMetricFamily(
        "assay_tool_call_seconds", "How long tool calls took, entry included", labels=["tool", "caller"]
    )
    buckets = counting.read(counting.BUCKETS)
    for (tool, caller), total in sorted(counting.read(counting.SECONDS).items()):
        sums, sofar = [], 0.0
        for edge in (*map(str, counting.EDGES), "+Inf"):
            sofar += buckets.get((tool, caller, edge), 0.0)
            sums.append((edge, sofar))
        times.add_metric([tool, caller], sums, sum_value=total)
    return times


@register
def exchanges() -> Iterator[Metric]:
    """Exchanges with models by endpoint, purpose and end; the tokens and the money that they took."""
    ended = CounterMetricFamily(
        "assay_model_exchanges",
        "Exchanges with models by how they ended",
        labels=["endpoint", "purpose", "outcome"],
    )
    for labels, count in sorted(counting.read(counting.EXCHANGES).items()):
        ended.add_metric(list(labels), count)
    yield ended
    tokens_taken = CounterMetricFamily(
        "assay_model_tokens", "Tokens sent to models and received", labels=["endpoint", "direction"]
    )
    for labels, count in sorted(counting.read(counting.TOKENS).items()):
        tokens_taken.add_metric(list(labels), count)
    yield tokens_taken
    cost = CounterMetricFamily(
        "assay_model_cost", "What exchanges have cost, in the currency of the prices", labels=["endpoint"]
    )
    for labels, micros in sorted(counting.read(counting.MICROS).items()):
        cost.add_metric(list(labels), micros / 1_000_000)
    yield cost


@register
def classifications() -> Iterator[Metric]:
    """Classifications of issues by their end; a drift named a label that its contract does not know."""
    ended = CounterMetricFamily(
        "assay_issue_classifications",
        "Classifications of issues by how they ended",
        labels=["status", "drifted"],
    )
    for labels, count in sorted(counting.read(counting.CLASSIFIED).items()):
        ended.add_metric(list(labels), count)
    yield ended


@register
def queues() -> Iterator[Metric]:
    """How old the oldest work is that nobody has done yet."""
    age = GaugeMetricFamily("assay_queue_oldest_seconds", "Age of the oldest item", labels=["queue"])
    now = timezone.now()
    oldest = {
        "deliveries": Delivery.objects.filter(state=DeliveryState.RECEIVED).aggregate(at=Min("received_at")),
        "investigations": Investigation.objects.filter(state=State.QUEUED).aggregate(at=Min("queued_at")),
        "questions": Question.objects.filter(state=Asking.QUEUED).aggregate(at=Min("created_at")),
    }
    for queue, found in oldest.items():
        at = found["at"]
        age.add_metric([queue], max(0.0, (now - at).total_seconds()) if at else 0.0)
    yield age


@register
def model_runs() -> Iterator[Metric]:
    """How models came to what they handed in, and how many of late brought nothing usable."""
    runs = CounterMetricFamily("assay_model_runs", "Model runs by outcome", labels=["outcome"])
    ever = shares.ever().counts
    for outcome in RunResult:
        runs.add_metric([outcome.value], float(ever.get(outcome, 0)))
    yield runs
    share = GaugeMetricFamily(
        "assay_model_unusable_share", "Share of model runs without a usable submission", labels=["span"]
    )
    trend = shares.trend(timezone.now())
    for span, tally in (("7d", trend.now), ("28d before", trend.before)):
        if tally.share is not None:
            share.add_metric([span], tally.share)
    yield share


@register
def seal() -> Iterator[Metric]:
    """How far the audit log's seal is behind, what holds it, and what became of each copy."""
    behind = lag.lag()
    yield GaugeMetricFamily(
        "assay_seal_lag_seconds", "Age of the oldest unsealed entry", value=behind.seconds
    )
    yield GaugeMetricFamily("assay_seal_waiting_entries", "Entries not sealed yet", value=behind.waiting)
    holder = GaugeMetricFamily(
        "assay_seal_held", "The transaction that a late seal waits for", labels=["pid", "database", "user"]
    )
    if behind.is_late and behind.holder:
        holder.add_metric([str(behind.holder.pid), behind.holder.database, behind.holder.user], 1)
    yield holder
    copies = GaugeMetricFamily(
        "assay_seal_copy", "1 for the outcome of the last publication", labels=["place", "outcome"]
    )
    for place in configured():
        last = publishing.latest_of(place.name)
        for outcome in (publishing.PUBLISHED, publishing.FAILED, publishing.DIVERGED):
            copies.add_metric([place.name, outcome], float(last is not None and last.outcome == outcome))
    yield copies


@register
def proofs() -> Iterator[Metric]:
    """How each connector's credential stood when it was last proven to only read."""
    proven = GaugeMetricFamily(
        "assay_connector_proven", "Whether a credential is proven to only read", labels=["connector"]
    )
    age = GaugeMetricFamily(
        "assay_connector_proof_age_seconds", "Time since a credential was looked at", labels=["connector"]
    )
    now = timezone.now()
    for row in ConnectorProof.objects.order_by("connector"):
        proven.add_metric([row.connector], float(row.standing == Standing.PROVEN))
        age.add_metric([row.connector], max(0.0, (now - row.proven_at).total_seconds()))
    yield proven
    yield age
