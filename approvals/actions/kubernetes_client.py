"""A cluster that can be written to: the official client, with one patch of one deployment let through.

All else that the client could send is refused as it is for a tool that reads.
"""

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from approvals.actions import kubernetes_wire
from approvals.actions.base import ActionFailed, CouldNotCheck
from approvals.actions.kubernetes_wire import Patch
from toolbox.connectors import kubeproof
from toolbox.connectors.endpoint import Endpoint
from toolbox.connectors.http import Ask, Reader, Reply
from toolbox.connectors.httpjson import AnswerMalformed, Part
from toolbox.connectors.httpstatus import Failure
from toolbox.connectors.kubeclient import BoundedTransport, ClusterClient, Exchange
from toolbox.connectors.kubeproof import Need, Review
from toolbox.connectors.kubequestion import KubeQuestion
from toolbox.deadline import Deadline, DeadlinePassed

_DEPLOYMENT = re.compile(r"/apis/apps/v1/namespaces/[a-z0-9-]{1,63}/deployments/[a-z0-9.-]{1,253}(\?|$)")
_ACCESS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_ONE = KubeQuestion("apps", "v1", "deployments", "namespace", "name", {}, {})
_SETS = KubeQuestion("apps", "v1", "replicasets", "namespace", "", {}, {})
_MOST_SETS = 200
_MOST_BYTES = 8_388_608
Send = Callable[[Patch], Any]


class WritingTransport(BoundedTransport):
    """Lets a patch of a deployment through, where one is expected, and the question whether one may."""

    @contextmanager
    def patching(self, send: Send) -> Iterator[Callable[[], Any]]:
        """Let one patch of this thread through; yields what fetches the object that came back."""
        self._local.send, self._local.patched = send, None
        try:
            yield lambda: self._local.patched
        finally:
            self._local.send = None

    def request(self, method: str, url: str, headers: Any = None, body: Any = None, **more: Any) -> Any:
        """Send what the client made; raise Failure for any other verb, before anything opens."""
        send = getattr(self._local, "send", None)
        target = url.partition("://cluster.invalid")[2]
        if method == "PATCH" and send is not None and _DEPLOYMENT.match(target):
            self._local.send = None  # one, and not one more
            self._local.patched = send(Patch(target, body))
            return self.answer
        return super().request(method, url, headers, body, **more)


class WritingClient(ClusterClient):
    """The client's typed groups over the transport that lets one patch through."""

    def __init__(self) -> None:
        self.writing = WritingTransport()
        super().__init__(self.writing)

    def patch_deployment(self, name: str, namespace: str, operations: Any, **more: Any) -> None:
        """Patch a deployment by the client's own method; raise Failure where no patch is expected."""
        self._groups["apps/v1"].patch_namespaced_deployment(
            name, namespace, operations, _preload_content=False, **more
        )


@functools.cache
def _client() -> WritingClient:
    return WritingClient()


class Cluster:
    """One cluster with one write credential, for one operation. Every read raises CouldNotCheck."""

    def __init__(self, endpoint: Endpoint, seconds: float) -> None:
        self._endpoint, self._seconds = endpoint, seconds
        self._reader, self._client = Reader(endpoint), _client()

    def deployment(self, namespace: str, name: str) -> Mapping[str, Any]:
        """Return a deployment as it is now. Raises ActionFailed where it is gone."""
        with self._reading() as exchange:
            reply = self._client.one(exchange, _ONE, namespace, name)
            if reply.status == 404:
                raise ActionFailed(f"the deployment {namespace}/{name} is not there any more")
            found = reply.part.object()
            if found["metadata"].get("name") != name or found["metadata"].get("namespace") != namespace:
                raise CouldNotCheck("another deployment came than was asked for")
            return found

    def replica_sets(self, deployment: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return the replica sets that a deployment owns."""
        metadata = deployment["metadata"]
        labels = deployment["spec"]["selector"].get("matchLabels") or {}
        selector = ",".join(f"{label}={value}" for label, value in sorted(labels.items()))
        with self._reading() as exchange:
            answer = self._client.listed(exchange, _SETS, metadata["namespace"], _MOST_SETS, selector).part
            items = [item.object() for item in answer.at("items").items()]
            if answer.at("metadata").value.get("continue"):
                raise CouldNotCheck(f"the deployment has more than {_MOST_SETS} replica sets")
        return [each for each in items if _owner(each) == metadata["uid"]]

    def patch(
        self, deployment: Mapping[str, Any], operations: Sequence[Mapping[str, Any]], *, dry: bool
    ) -> Any:
        """Patch this very state of a deployment, or have it tried. Raises ActionFailed, OutcomeUnknown."""
        metadata = deployment["metadata"]
        lock = {"op": "replace", "path": "/metadata/resourceVersion", "value": metadata["resourceVersion"]}
        deadline = Deadline(self._seconds)

        def send(patch: Patch) -> Any:
            return kubernetes_wire.send(self._endpoint, patch, deadline)

        with self._client.writing.patching(send) as patched:
            self._client.patch_deployment(
                metadata["name"], metadata["namespace"], [lock, *operations],
                field_manager="assay", field_validation="Strict", **({"dry_run": "All"} if dry else {}),
            )  # fmt: skip
            return patched()

    def rights(self, namespace: str) -> Review:
        """Return what the credential may do in a namespace."""
        with self._reading() as exchange:
            reply = self._client.rights(exchange, kubeproof.body(namespace))
            return kubeproof.read(reply.part, namespace)

    def may(self, need: Need, namespace: str, name: str = "") -> bool:
        """Return whether the credential may do one thing; "" for the namespace asks about all of them."""
        resource, _, part = need.plural.partition("/")
        attributes = {
            "verb": need.verb, "group": need.group, "resource": resource, "subresource": part,
            "namespace": namespace, "name": name,
        }  # fmt: skip
        body = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {key: value for key, value in attributes.items() if value}},
        }
        with self._reading() as exchange:
            return exchange(Ask(_ACCESS, search=body)).part.at("status").at("allowed").flag()

    def release(self) -> tuple[int, int]:
        """Return the cluster's version, such as (1, 30)."""
        with self._reading() as exchange:
            part = exchange(Ask("/version")).part
            minor = part.at("minor").text().rstrip("+")
            return int(part.at("major").text()), int(minor)

    def close(self) -> None:
        """Give back the connections."""
        self._reader.close()

    @contextmanager
    def _reading(self) -> Iterator[Exchange]:
        deadline = Deadline(self._seconds)

        def exchange(ask: Ask) -> Reply:
            return self._reader.read(ask, deadline, _MOST_BYTES)

        try:
            yield exchange
        except (Failure, AnswerMalformed, DeadlinePassed) as error:
            raise CouldNotCheck(f"the cluster: {error}") from None
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise CouldNotCheck(
                f"what the cluster answered cannot be read ({type(error).__name__})"
            ) from None


def _owner(item: Mapping[str, Any]) -> str:
    owners = Part(item).at("metadata").object().get("ownerReferences") or []
    return next((str(each.get("uid")) for each in owners if each.get("controller")), "")
