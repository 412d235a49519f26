"""A fake of the parts of Kubernetes' API that reading needs: discovery, objects, lists, rules reviews.

Its answers are checked with independent clients: see the tests that run kubectl against it.
"""

from dataclasses import dataclass, field
from typing import Any

from tests.fakes.server import Asked, Reply

REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
READER = {"verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["pods", "namespaces"]}
BASIC = {
    "verbs": ["create"],
    "apiGroups": ["authorization.k8s.io"],
    "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
}
KINDS = {"pods": "Pod", "namespaces": "Namespace", "deployments": "Deployment"}


@dataclass
class FakeCluster:
    """Objects by (plural, namespace, name); `rules` by namespace, those under "" everywhere."""

    objects: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)
    rules: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {"": [READER, BASIC]})
    paths: list[dict[str, Any]] = field(
        default_factory=lambda: [{"verbs": ["get"], "nonResourceURLs": ["/version", "/healthz"]}]
    )
    incomplete: bool = False
    token: str = "kube-token"

    def add(self, plural: str, namespace: str, name: str, **more: Any) -> None:
        """Put an object there."""
        place = {"namespace": namespace} if plural != "namespaces" else {}
        metadata = {"name": name, **place, "labels": more.pop("labels", {}), "uid": f"{plural}-{name}"}
        self.objects[(plural, namespace, name)] = {"metadata": metadata, **more}

    def __call__(self, asked: Asked) -> Reply:
        if asked.headers.get("authorization") != f"Bearer {self.token}":
            return _status(401, "Unauthorized", "Unauthorized")
        if asked.path == REVIEW:
            return self._reviewed(asked)
        if asked.method != "GET":
            return _status(405, "MethodNotAllowed", f"{asked.method} is not allowed")
        if found := DISCOVERY.get(asked.path):
            return Reply(body=found)
        return self._read(asked)

    def _reviewed(self, asked: Asked) -> Reply:
        assert asked.method == "POST"
        namespace = asked.body["spec"]["namespace"]
        rules = [*self.rules.get("", []), *self.rules.get(namespace, [])]
        status = {"resourceRules": rules, "nonResourceRules": self.paths, "incomplete": self.incomplete}
        return Reply(201, {**asked.body, "metadata": {}, "status": status})

    def _read(self, asked: Asked) -> Reply:
        parts = asked.path.strip("/").split("/")
        parts = parts[2:] if parts[0] == "api" else parts[3:]
        namespace = ""
        if parts[0] == "namespaces" and len(parts) > 2:
            namespace, parts = parts[1], parts[2:]
        plural = parts[0]
        if plural not in KINDS:
            return _status(404, "NotFound", "the server could not find the requested resource", {})
        if len(parts) == 1:
            return self._listed(asked, plural, namespace)
        found = self.objects.get((plural, namespace, parts[1]))
        if found is None:
            details = {"name": parts[1], "kind": plural}
            return _status(404, "NotFound", f'{plural} "{parts[1]}" not found', details)
        return Reply(body={"apiVersion": "v1", "kind": KINDS[plural], **found})

    def _listed(self, asked: Asked, plural: str, namespace: str) -> Reply:
        wanted = dict(pair.split("=") for pair in asked.one("labelSelector").split(",") if pair)
        found = [
            value
            for (kind, place, _), value in sorted(self.objects.items())
            if kind == plural
            and namespace in ("", place)
            and all(value["metadata"]["labels"].get(key) == text for key, text in wanted.items())
        ]
        limit = int(asked.one("limit", "500"))
        metadata: dict[str, Any] = {"resourceVersion": "4711"}
        if len(found) > limit:
            metadata |= {"continue": "next-page", "remainingItemCount": len(found) - limit}
        return Reply(
            body={
                "apiVersion": "v1",
                "kind": f"{KINDS[plural]}List",
                "metadata": metadata,
                "items": found[:limit],
            }
        )


def _status(code: int, reason: str, message: str, details: dict[str, Any] | None = None) -> Reply:
    body = {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code,
    }  # fmt: skip
    return Reply(code, body if details is None else {**body, "details": details})


def _resource(plural: str, *, namespaced: bool, short: str) -> dict[str, Any]:
    return {
        "name": plural, "singularName": plural.rstrip("s"), "namespaced": namespaced, "kind": KINDS[plural],
        "verbs": ["get", "list", "watch"], "shortNames": [short],
    }  # fmt: skip


DISCOVERY: dict[str, Any] = {
    "/api": {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {
        "kind": "APIResourceList",
        "groupVersion": "v1",
        "resources": [
            _resource("pods", namespaced=True, short="po"),
            _resource("namespaces", namespaced=False, short="ns"),
        ],
    },
    "/version": {"major": "1", "minor": "30", "gitVersion": "v1.30.0"},
}
