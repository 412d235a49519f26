"""The fake cluster, widened to what writing to deployments needs: patches, locks, dry runs, RBAC, revisions.

As the API's reference has it: a patch that names another resourceVersion than the stored one is a conflict;
a dry run answers as a patch does and keeps nothing; a change of the spec raises the generation, and one of
anything the resourceVersion. A controller gives each template a replica set with a revision, and carries
rollouts through at once, unless it `sleeps`. Every verb is held to `rules`, as an authorizer does.
"""

import copy
import json
from dataclasses import dataclass, field
from typing import Any

from tests.fakes import kubernetes
from tests.fakes.kubernetes import BASIC, DISCOVERY, FakeCluster, _status
from tests.fakes.server import Asked, Reply

ACCESS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
REVISION = "deployment.kubernetes.io/revision"
KINDS = {"deployments": "Deployment", "replicasets": "ReplicaSet"}
WRITER = {"verbs": ["get", "patch"], "apiGroups": ["apps"], "resources": ["deployments"]}
SETS = {"verbs": ["list"], "apiGroups": ["apps"], "resources": ["replicasets"]}


def template(image: str, **env: str) -> dict[str, Any]:
    """A pod template of one container."""
    variables = [{"name": name, "value": value} for name, value in env.items()]
    container = {"name": "web", "image": image, "env": variables, "resources": {}}
    return {
        "metadata": {"labels": {"app": "web"}, "creationTimestamp": None},
        "spec": {"containers": [container], "restartPolicy": "Always"},
    }


@dataclass
class WritableCluster(FakeCluster):
    """A cluster whose deployments can be patched. `sleeps` stops its controller.

    `tokens` are further credentials; `unlisted` are rules that no review lists.
    """

    rules: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {"": [BASIC], "shop": [WRITER, SETS]}
    )
    unlisted: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    tokens: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)
    sleeps: bool = False
    minor: str = "30"
    applied: list[Any] = field(default_factory=list)
    _version: int = 4711

    def deploy(self, name: str = "web", *, replicas: int = 3, images: tuple[str, ...] = ("web:1",)) -> None:
        """Roll the images out one after the other, so that each is a revision."""
        self.add("deployments", "shop", name)
        made = self.objects[("deployments", "shop", name)]
        made["metadata"] |= {"generation": 0, "annotations": {}}
        made["spec"] = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}}
        for image in images:
            made["spec"]["template"] = template(image, PASSWORD=f"secret of {image}")
            made["metadata"]["generation"] += 1
            self._touched(made)
            self.control(made)

    def one(self, name: str = "web") -> dict[str, Any]:
        """Return a deployment as it is stored."""
        return self.objects[("deployments", "shop", name)]

    def change(self, name: str = "web", **spec: Any) -> None:
        """Change a deployment's spec as somebody else would."""
        made = self.one(name)
        made["spec"] |= spec
        made["metadata"]["generation"] += 1
        self._touched(made)
        self.control(made)

    def beat(self, name: str = "web") -> None:
        """Change its status alone, as each heartbeat of a pod does."""
        self._touched(self.one(name))

    def control(self, made: dict[str, Any]) -> None:
        """Do what the deployment's controller does."""
        if self.sleeps:
            return
        spec, metadata = made["spec"], made["metadata"]
        owned = self._owned(metadata["uid"])
        mine = next((each for each in owned if _bare(each["spec"]["template"]) == spec["template"]), None)
        newest = max((int(each["metadata"]["annotations"][REVISION]) for each in owned), default=0)
        if mine is None:
            mine = self._set_of(made, len(owned))
        if int(mine["metadata"]["annotations"].get(REVISION, 0)) < newest or newest == 0:
            mine["metadata"]["annotations"][REVISION] = str(newest + 1)
        metadata.setdefault("annotations", {})[REVISION] = mine["metadata"]["annotations"][REVISION]
        counts = ("replicas", "readyReplicas", "updatedReplicas", "availableReplicas")
        made["status"] = {
            "observedGeneration": metadata["generation"], **dict.fromkeys(counts, spec["replicas"]),
        }  # fmt: skip
        self._touched(made)

    def __call__(self, asked: Asked) -> Reply:
        given = asked.headers.get("authorization", "").removeprefix("Bearer ")
        rules = self.rules if given == self.token else self.tokens.get(given)
        if rules is None:
            return _status(401, "Unauthorized", "Unauthorized")
        if asked.path == kubernetes.REVIEW:
            own = FakeCluster(rules=rules, paths=self.paths, incomplete=self.incomplete, token=given)
            return own(asked)
        if asked.path == ACCESS:
            return self._may(asked, rules)
        if asked.path == "/version":
            return Reply(body={"major": "1", "minor": self.minor, "gitVersion": f"v1.{self.minor}.0"})
        if found := {**DISCOVERY, **_DISCOVERY}.get(asked.path):
            return Reply(body=found)
        return self._object(asked, rules)

    def _may(self, asked: Asked, rules: dict[str, list[dict[str, Any]]]) -> Reply:
        spec = asked.body["spec"]["resourceAttributes"]
        resource = "/".join(filter(None, (spec["resource"], spec.get("subresource", ""))))
        wanted = (spec["verb"], spec.get("group", ""), resource)
        rules = {
            name: [*rules.get(name, []), *self.unlisted.get(name, [])] for name in {*rules, *self.unlisted}
        }
        allowed = _allows(rules, wanted, spec.get("namespace", ""), spec.get("name", ""))
        return Reply(201, {**asked.body, "metadata": {}, "status": {"allowed": allowed}})

    def _object(self, asked: Asked, rules: dict[str, list[dict[str, Any]]]) -> Reply:
        parts = asked.path.strip("/").split("/")
        group, parts = ("", parts[2:]) if parts[0] == "api" else (parts[1], parts[3:])
        if len(parts) < 3:
            plural, namespace, name = parts[0], "", parts[1] if len(parts) == 2 else ""
        else:
            plural, namespace, name = parts[2], parts[1], parts[3] if len(parts) > 3 else ""
        verb = {"GET": "get" if name else "list", "PATCH": "patch"}.get(asked.method, asked.method.lower())
        if not _allows(rules, (verb, group, plural), namespace, name):
            return _status(
                403, "Forbidden",
                f'{plural}.{group} "{name}" is forbidden: User "it" cannot {verb} resource "{plural}" in API '
                f'group "{group}" in the namespace "{namespace}"',
            )  # fmt: skip
        if plural not in KINDS:
            return self._read(asked)
        if verb == "list":
            return self._sets(asked, plural, namespace)
        found = self.objects.get((plural, namespace, name))
        if found is None:
            return _status(404, "NotFound", f'{plural}.apps "{name}" not found', {"name": name})
        if verb == "get":
            return Reply(body={"apiVersion": "apps/v1", "kind": KINDS[plural], **found})
        return self._patched(asked, found)

    def _sets(self, asked: Asked, plural: str, namespace: str) -> Reply:
        wanted = dict(pair.split("=") for pair in asked.one("labelSelector").split(",") if pair)
        items = [
            {"apiVersion": "apps/v1", "kind": KINDS[plural], **value}
            for (kind, place, _), value in sorted(self.objects.items())
            if kind == plural and place == namespace
            and all(value["metadata"]["labels"].get(key) == text for key, text in wanted.items())
        ]  # fmt: skip
        body = {"apiVersion": "apps/v1", "kind": f"{KINDS[plural]}List", "items": items}
        return Reply(body={**body, "metadata": {"resourceVersion": str(self._version)}})

    def _patched(self, asked: Asked, stored: dict[str, Any]) -> Reply:
        changed = copy.deepcopy(stored)
        if asked.headers["content-type"].startswith("application/json-patch"):
            try:
                for operation in asked.body:
                    _applied(changed, operation)
            except (KeyError, AssertionError) as error:
                return _status(422, "Invalid", f"the patch cannot be applied: {error}")
        else:
            _merged(changed, asked.body)
        name, version = stored["metadata"]["name"], stored["metadata"]["resourceVersion"]
        if changed["metadata"].get("resourceVersion") != version:
            return _status(
                409, "Conflict",
                f'Operation cannot be fulfilled on deployments.apps "{name}": the object has been modified; '
                "please apply your changes to the latest version and try again",
            )  # fmt: skip
        if changed["spec"]["replicas"] < 0:
            return _status(422, "Invalid", "spec.replicas: must be greater than or equal to 0")
        if changed["spec"] != stored["spec"]:
            changed["metadata"]["generation"] += 1
        if asked.one("dryRun") != "All":
            self.applied.append(asked.body)
            stored.clear()
            stored |= changed
            self._touched(stored)
            self.control(stored)
        return Reply(body={"apiVersion": "apps/v1", "kind": "Deployment", **copy.deepcopy(changed)})

    def _touched(self, made: dict[str, Any]) -> None:
        self._version += 1
        made["metadata"]["resourceVersion"] = str(self._version)

    def _owned(self, uid: str) -> list[dict[str, Any]]:
        return [
            each
            for (plural, _, _), each in self.objects.items()
            if plural == "replicasets" and each["metadata"]["ownerReferences"][0]["uid"] == uid
        ]

    def _set_of(self, made: dict[str, Any], number: int) -> dict[str, Any]:
        name = f"{made['metadata']['name']}-{number}"
        self.add("replicasets", "shop", name, labels={"app": "web", "pod-template-hash": str(number)})
        found = self.objects[("replicasets", "shop", name)]
        owner = {"uid": made["metadata"]["uid"], "kind": "Deployment", "controller": True}
        found["metadata"] |= {"annotations": {}, "ownerReferences": [owner]}
        own = copy.deepcopy(made["spec"]["template"])
        own["metadata"]["labels"]["pod-template-hash"] = str(number)
        found["spec"] = {"replicas": made["spec"]["replicas"], "template": own}
        return found


def _bare(template: dict[str, Any]) -> dict[str, Any]:
    found = copy.deepcopy(template)
    found["metadata"]["labels"].pop("pod-template-hash", None)
    return found


def _allows(
    rules: dict[str, list[dict[str, Any]]], wanted: tuple[str, str, str], namespace: str, name: str
) -> bool:
    """What RBAC says: rules under "" are bound in all namespaces."""
    verb, group, resource = wanted
    return any(
        {verb, "*"} & set(rule["verbs"])
        and {group, "*"} & set(rule["apiGroups"])
        and {resource, "*"} & set(rule["resources"])
        and (not rule.get("resourceNames") or name in rule["resourceNames"])
        for rule in [*rules.get("", []), *(rules.get(namespace, []) if namespace else [])]
    )


def _applied(target: Any, operation: dict[str, Any]) -> None:
    """Apply one operation of RFC 6902, as far as maps go."""
    *path, last = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
    for part in path:
        target = target[part]
    if operation["op"] == "test":
        assert target[last] == operation["value"], "a test failed"
        return
    assert operation["op"] in ("add", "replace"), operation["op"]
    assert operation["op"] == "add" or last in target, f"{last} is not there"
    target[last] = copy.deepcopy(operation["value"])


def _merged(target: dict[str, Any], patch: dict[str, Any]) -> None:
    for key, value in patch.items():
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            _merged(target[key], value)
        elif value is None:
            target.pop(key, None)
        else:
            target[key] = copy.deepcopy(value)


def _resource(plural: str, verbs: list[str]) -> dict[str, Any]:
    return {
        "name": plural, "singularName": plural.rstrip("s"), "namespaced": True, "kind": KINDS[plural],
        "verbs": verbs,
    }  # fmt: skip


_APPS = {"groupVersion": "apps/v1", "version": "v1"}
_DISCOVERY: dict[str, Any] = {
    "/apis": {
        "kind": "APIGroupList", "apiVersion": "v1",
        "groups": [{"name": "apps", "versions": [_APPS], "preferredVersion": _APPS}],
    },
    "/apis/apps/v1": {
        "kind": "APIResourceList", "groupVersion": "apps/v1",
        "resources": [
            _resource("deployments", ["get", "list", "patch"]), _resource("replicasets", ["get", "list"]),
        ],
    },
}  # fmt: skip


def kubeconfig(url: str, token: str, authority: str = "") -> str:
    """A kubeconfig that leads to a server with a token."""
    named = {"name": "it"}
    cluster = {"server": url, **({"certificate-authority": authority} if authority else {})}
    return json.dumps(
        {
            "apiVersion": "v1", "kind": "Config", "current-context": "it",
            "clusters": [{**named, "cluster": cluster}], "users": [{**named, "user": {"token": token}}],
            "contexts": [{**named, "context": {"cluster": "it", "user": "it"}}],
        }
    )  # fmt: skip
