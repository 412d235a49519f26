"""The official client of Kubernetes, whose bytes go through our own bounded transport.

It knows the API's addresses and typed groups. Its own transport is taken out: that one's deadline starts anew
with every byte, and it reads errors of any length. What stands there instead lets reads through and the one
question that creates nothing; any other verb is refused before a socket opens.
"""

import importlib
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from assay_core.results import Status
from toolbox.connectors.http import Ask, Reply
from toolbox.connectors.httpstatus import Failure
from toolbox.connectors.kubeproof import REVIEW
from toolbox.connectors.kubequestion import KubeQuestion

# No host of anybody's: our transport knows where the cluster is.
_HOST = "http://cluster.invalid"
_OPENS = re.compile(r"/(exec|attach|portforward|proxy)(/|\?|$)")
# The typed groups name their methods by the kind in the singular.
_TYPED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "/v1": (
        "CoreV1Api",
        {
            "configmaps": "config_map",
            "endpoints": "endpoints",
            "events": "event",
            "limitranges": "limit_range",
            "persistentvolumeclaims": "persistent_volume_claim",
            "pods": "pod",
            "podtemplates": "pod_template",
            "replicationcontrollers": "replication_controller",
            "resourcequotas": "resource_quota",
            "serviceaccounts": "service_account",
            "services": "service",
        },
    ),
    "apps/v1": (
        "AppsV1Api",
        {
            "daemonsets": "daemon_set",
            "deployments": "deployment",
            "replicasets": "replica_set",
            "statefulsets": "stateful_set",
        },
    ),
    "batch/v1": ("BatchV1Api", {"cronjobs": "cron_job", "jobs": "job"}),
}


class Exchange(Protocol):
    """One exchange within a call's bounds: what the transport is given to send."""

    def __call__(self, ask: Ask, /) -> Reply:
        """Send it; raise Failure."""
        ...


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the client takes for its transport's answer. It is not looked into: the reply is."""

    status: int = 200
    reason: str = ""
    data: bytes = b""

    @property
    def response(self) -> None:
        """What the client hands on unread: nothing."""

    def read(self) -> bytes:
        """Return nothing."""
        return self.data


class BoundedTransport:
    """Stands where the client's RESTClientObject stood. What one thread asks, no other thread sees."""

    answer = _Answer()  # a permitted 404 is no failure here, and any other is a Failure already

    def __init__(self) -> None:
        self._local = threading.local()

    @contextmanager
    def through(self, exchange: Exchange, *, absent: bool) -> Iterator[Callable[[], Reply]]:
        """Let what this thread asks of the client go through one exchange; yields what fetches the reply."""
        self._local.exchange, self._local.absent, self._local.reply = exchange, absent, None
        try:
            yield lambda: self._local.reply
        finally:
            self._local.exchange = None

    def request(self, method: str, url: str, headers: Any = None, body: Any = None, **_: Any) -> _Answer:
        """Send what the client made; raise Failure, for a verb that changes anything before anything opens.

        The client's headers are not sent: who asks is the endpoint's matter.
        """
        exchange = getattr(self._local, "exchange", None)
        target = url.removeprefix(_HOST)
        refuse_all_but_reads(method, target)
        if exchange is None or not url.startswith(_HOST):
            raise Failure(Status.ERROR, "the cluster is asked within a call's bounds only")
        search = body if method == "POST" else None
        self._local.reply = exchange(Ask(target, search=search, absent=self._local.absent))
        return self.answer

    def close(self) -> None:
        """Nothing is held here."""


def refuse_all_but_reads(method: str, target: str) -> None:
    """Raise Failure for whatever is neither get, list or watch nor the review of one's own rights."""
    if method == "GET" and not _OPENS.search(target):
        return
    if method == "POST" and target == REVIEW:
        return
    raise Failure(Status.REFUSED, f"{method} {target[:100]} never leaves this process: only reads do")


class ClusterClient:
    """The client's typed groups, over the bounded transport. Every method raises Failure."""

    def __init__(self, transport: BoundedTransport | None = None) -> None:
        """`transport` is another one than that which lets reads through alone."""
        # Half a second, for those who have a cluster.
        client: Any = importlib.import_module("kubernetes.client")

        configuration = client.Configuration()
        configuration.host = _HOST
        self.transport = transport or BoundedTransport()
        self._api = client.ApiClient(configuration)
        self._api.rest_client.close()
        self._api.rest_client = self.transport
        self._groups = {name: getattr(client, group)(self._api) for name, (group, _) in _TYPED.items()}
        self._custom = client.CustomObjectsApi(self._api)
        self._rights = client.AuthorizationV1Api(self._api)
        self._review = client.V1SelfSubjectRulesReview

    def one(self, exchange: Exchange, plan: KubeQuestion, namespace: str, name: str) -> Reply:
        """Return one object, or the 404 that says that it is not there."""
        return self._asked(exchange, self._method("read", plan), plan, namespace, absent=True, name=name)

    def listed(
        self, exchange: Exchange, plan: KubeQuestion, namespace: str, limit: int, selector: str
    ) -> Reply:
        """Return the objects with some labels."""
        narrowed = {"limit": limit, **({"label_selector": selector} if selector else {})}
        return self._asked(exchange, self._method("list", plan), plan, namespace, **narrowed)

    def namespaces(self, exchange: Exchange, limit: int) -> Reply:
        """Return the namespaces."""
        with self.transport.through(exchange, absent=False) as reply:
            self._groups["/v1"].list_namespace(limit=limit, _preload_content=False)
            return reply()

    def namespace(self, exchange: Exchange, name: str) -> Reply:
        """Return one namespace, or the 404 that says that it is not there."""
        with self.transport.through(exchange, absent=True) as reply:
            self._groups["/v1"].read_namespace(name, _preload_content=False)
            return reply()

    def rights(self, exchange: Exchange, review: Mapping[str, Any]) -> Reply:
        """Return what the credential may do in a namespace, by the cluster's own word."""
        with self.transport.through(exchange, absent=False) as reply:
            self._rights.create_self_subject_rules_review(
                self._review.from_dict(dict(review)), _preload_content=False
            )
            return reply()

    def _method(self, verb: str, plan: KubeQuestion) -> Any:
        group = f"{plan.group}/{plan.version}"
        _, kinds = _TYPED.get(group, ("", {}))
        kind = kinds.get(plan.plural)
        return getattr(self._groups[group], f"{verb}_namespaced_{kind}") if kind else None

    def _asked(
        self, exchange: Exchange, method: Any, plan: KubeQuestion, namespace: str, **more: Any
    ) -> Reply:
        with self.transport.through(exchange, absent=more.pop("absent", False)) as reply:
            if method is not None:
                method(namespace=namespace, _preload_content=False, **more)
            elif plan.group:
                self._custom_asked(plan, namespace, more)
            else:
                self._plainly_asked(plan, namespace, more)
            return reply()

    def _custom_asked(self, plan: KubeQuestion, namespace: str, more: dict[str, Any]) -> None:
        named = "name" in more
        ask = (
            self._custom.get_namespaced_custom_object if named else self._custom.list_namespaced_custom_object
        )
        ask(plan.group, plan.version, namespace, plan.plural, _preload_content=False, **more)

    def _plainly_asked(self, plan: KubeQuestion, namespace: str, more: dict[str, Any]) -> None:
        """A kind of the core group that the client has no method for: its address is made as all others'."""
        name = more.pop("name", "")
        path = plan.path(namespace) + (f"/{name}" if name else "")
        query = [(_spelled(key), value) for key, value in more.items()]
        asked = self._api.param_serialize(method="GET", resource_path=path, query_params=query)
        self._api.call_api(*asked)


def _spelled(name: str) -> str:
    return {"label_selector": "labelSelector"}.get(name, name)
