"""The kinds of connectors that answer over HTTP: how each is declared, and how its questions are read."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass

from toolbox import remote
from toolbox.connectors import jaeger, jsonapi, kubequestion, kubernetes, loki, opensearch, prometheus, tempo
from toolbox.connectors.addresses import Network
from toolbox.connectors.endpoint import CredentialKind, Endpoint, site_of
from toolbox.connectors.httpconnector import HttpConnector
from toolbox.connectors.httpstatus import Failure
from toolbox.connectors.kubeaccess import ClusterEndpoint
from toolbox.remote import Loader
from toolbox.yamlfile import Place

_COMMON = frozenset(
    {
        "kind",
        "title",
        "url_env",
        "url",
        "credential",
        "headers",
        "tenant",
        "networks",
        "ca_env",
        "connections",
    }
)
_OF_CLUSTERS = frozenset({"namespaces", "kubeconfig_env", "context", "in_cluster"})
_CREDENTIALS: Mapping[str, tuple[CredentialKind, int]] = {
    "bearer_env": ("bearer", 1),
    "basic_env": ("basic", 2),
    "api_key_env": ("api_key", 1),
}
# Headers that would change what is asked, or that the reader itself writes.
_OWN_HEADERS = frozenset(
    {
        "host",
        "authorization",
        "cookie",
        "content-length",
        "transfer-encoding",
        "connection",
        "accept-encoding",
    }
)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: its connector, the keys of its tools, and what reads a tool's question."""

    connector: type[HttpConnector]
    keys: frozenset[str]
    load: Loader


KINDS: Mapping[str, Kind] = {
    "http": Kind(jsonapi.HttpApiConnector, jsonapi.KEYS, jsonapi.load),
    "jaeger": Kind(jaeger.JaegerConnector, jaeger.KEYS, jaeger.load),
    "kubernetes": Kind(kubernetes.KubernetesConnector, kubequestion.KEYS, kubequestion.load),
    "loki": Kind(loki.LokiConnector, loki.KEYS, loki.load),
    "opensearch": Kind(opensearch.OpenSearchConnector, opensearch.KEYS, opensearch.load),
    "prometheus": Kind(prometheus.PrometheusConnector, prometheus.KEYS, prometheus.load),
    "tempo": Kind(tempo.TempoConnector, tempo.KEYS, tempo.load),
}


def connector(name: str, place: Place) -> HttpConnector:
    """Make the connector that this part of the connectors file declares; raise DefinitionError."""
    kind = KINDS[place.data["kind"]]
    is_cluster = kind.connector is kubernetes.KubernetesConnector
    place.mapping(_COMMON | _OF_CLUSTERS if is_cluster else _COMMON, frozenset({"title"}))
    tenant = "" if place.at("tenant").data is None else _header(place.at("tenant"))
    endpoint = (_cluster(place) if is_cluster else None) or _endpoint(place, tenant)
    title = place.at("title").text()
    if is_cluster and place.at("namespaces").data is not None:
        namespaces = tuple(part.text() for part in place.at("namespaces").items())
        return kubernetes.KubernetesConnector(name, title, endpoint, tenant=tenant, namespaces=namespaces)
    return kind.connector(name, title, endpoint, tenant=tenant)


def _cluster(place: Place) -> Endpoint | None:
    """Return where a kubeconfig, or the pod that this runs in, says that the cluster is."""
    in_cluster, config = place.at("in_cluster"), place.at("kubeconfig_env")
    if in_cluster.data is None and config.data is None:
        return None
    others = [key for key in ("url", "url_env", "credential", "ca_env") if place.at(key).data is not None]
    if others or (in_cluster.data is not None and (in_cluster.data is not True or config.data is not None)):
        raise place.error(
            "the cluster is named in two ways",
            "Use one of `kubeconfig_env: NAME`, `in_cluster: true`, or `url_env` with `credential`.",
        )
    context = "" if place.at("context").data is None else place.at("context").text()
    name = "" if config.data is None else config.variable()
    return ClusterEndpoint("", config_env=name, context=context, networks=_networks(place.at("networks")))


def _endpoint(place: Place, tenant: str) -> Endpoint:
    url_env = "" if place.at("url_env").data is None else place.at("url_env").variable()
    url = "" if place.at("url").data is None else _url(place.at("url"))
    if not url_env and not url:
        raise place.error(
            "the connector has no address", "Add `url_env:` with the name of a variable, or `url:`."
        )
    kind, names = _credential(place.at("credential"))
    headers = _headers(place.at("headers"))
    if tenant:
        headers["X-Scope-OrgID"] = tenant
    size = place.at("connections")
    if size.data is not None:
        remote.whole_number(size, 1, 64)
    return Endpoint(
        url_env=url_env,
        url=url,
        credential=kind,
        credential_env=names,
        headers=headers,
        networks=_networks(place.at("networks")),
        ca_env="" if place.at("ca_env").data is None else place.at("ca_env").variable(),
        connections=4 if size.data is None else size.data,
    )


def _url(place: Place) -> str:
    try:
        site_of(place.text(), "url")
    except Failure as failure:
        raise place.error(failure.reason, "Write it like https://api.example.com.") from None
    return place.text()


def _credential(place: Place) -> tuple[CredentialKind, tuple[str, ...]]:
    if place.data is None:
        return "none", ()
    given = place.mapping(frozenset(_CREDENTIALS))
    if len(given) != 1:
        raise place.error(
            "the connector has not exactly one credential", f"Use one of {', '.join(_CREDENTIALS)}."
        )
    key = next(iter(given))
    kind, count = _CREDENTIALS[key]
    part = place.at(key)
    names = (part.variable(),) if count == 1 else tuple(name.variable() for name in part.items())
    if len(names) != count:
        raise part.error(f"{key} names {len(names)} variables", f"Name {count}: user and password.")
    return kind, names


def _headers(place: Place) -> dict[str, str]:
    if place.data is None:
        return {}
    if not isinstance(place.data, Mapping):
        raise place.error("headers is not a mapping", "Write `headers: {NAME: VALUE}`.")
    found = {}
    for name in place.data:
        plain = isinstance(name, str) and name.isascii() and name.replace("-", "").isalnum()
        if not plain or name.lower() in _OWN_HEADERS:
            raise place.at(name).error(
                f"the header {name!r} cannot be set here", "Use `credential:` for credentials."
            )
        found[name] = _header(place.at(name))
    return found


def _header(place: Place) -> str:
    text = place.text()
    if not text.isascii() or not text.isprintable():
        raise place.error(f"{place.name} holds what no HTTP header can carry", "Use printable ASCII.")
    return text


def _networks(place: Place) -> tuple[Network, ...]:
    if place.data is None:
        return ()
    found = []
    for part in place.items():
        try:
            found.append(ipaddress.ip_network(part.text()))
        except ValueError:
            raise part.error(
                f"{part.data!r} is no network", "Write it like 10.0.0.0/8 or 127.0.0.1/32."
            ) from None
    return tuple(found)
