"""What a cluster's write credential may do, by the cluster's own word: what its action needs, and no more."""

from collections.abc import Iterator, Sequence

from approvals.actions.kubernetes_client import Cluster
from toolbox.connectors.httpjson import inert
from toolbox.connectors.kubeproof import READS, Need, Rule

GET = Need("get", "apps", "deployments")
PATCH = Need("patch", "apps", "deployments")
LIST_SETS = Need("list", "apps", "replicasets")
# Asked one by one beside the rules: a webhook that grants them stands in no list of rules.
_FORBIDDEN = (
    Need("delete", "apps", "deployments"),
    Need("create", "", "pods"),
    Need("create", "", "pods/exec"),
    Need("get", "", "secrets"),
)
_HARMLESS = {
    "authorization.k8s.io": frozenset({"selfsubjectaccessreviews", "selfsubjectrulesreviews"}),
    "authentication.k8s.io": frozenset({"selfsubjectreviews"}),
}
_OPENS = frozenset({"exec", "attach", "portforward", "proxy", "*"})
_OTHERS = ("default", "kube-system")
_DRY_SINCE = (1, 18)


def wrong(cluster: Cluster, needs: Sequence[Need], namespaces: Sequence[str], names: Sequence[str]) -> str:
    """Return what the credential lacks or can do besides; "" for neither. Raises CouldNotCheck."""
    return (
        _too_old(cluster)
        or _by_rules(cluster, namespaces)
        or _by_access(cluster, namespaces)
        or _lacking(cluster, needs, namespaces, names)
    )


def _too_old(cluster: Cluster) -> str:
    release = cluster.release()
    if release >= _DRY_SINCE:
        return ""
    return f"the cluster is Kubernetes {release[0]}.{release[1]}: before 1.18 a dry run is no sure thing"


def _by_rules(cluster: Cluster, namespaces: Sequence[str]) -> str:
    """A right that holds everywhere shows in namespaces, too, where nothing is to be written."""
    for namespace in sorted({*namespaces, *_OTHERS}):
        review = cluster.rights(namespace)
        if review.incomplete:
            return f"the cluster cannot list its rights in {namespace} ({review.incomplete})"
        for rule in review.rules:
            for verb, resource in _too_much(rule, is_meant=namespace in namespaces):
                return f"it can {inert(verb, 30)} {inert(resource, 60)} in the namespace {namespace}"
        for verbs, paths in review.paths:
            return f"it can {inert(verbs, 30)} {paths}"
    return ""


def _too_much(rule: Rule, *, is_meant: bool) -> Iterator[tuple[str, str]]:
    for group in sorted(rule.groups):
        for resource in sorted(rule.resources):
            kind, _, part = resource.partition("/")
            for verb in sorted(rule.verbs):
                is_read = verb in READS and kind not in ("secrets", "*") and part not in _OPENS
                is_ours = is_meant and (verb, group, resource) == (PATCH.verb, PATCH.group, PATCH.plural)
                is_asking = verb == "create" and resource in _HARMLESS.get(group, frozenset())
                if not (is_ours or is_asking or (is_read and group != "*")):
                    yield verb, f"{resource}.{group}" if group else resource


def _by_access(cluster: Cluster, namespaces: Sequence[str]) -> str:
    for need in (*_FORBIDDEN, PATCH):
        if cluster.may(need, ""):
            return f"it can {need} in every namespace"
    for namespace in namespaces:
        for need in _FORBIDDEN:
            if cluster.may(need, namespace):
                return f"it can {need} in the namespace {namespace}"
    return ""


def _lacking(cluster: Cluster, needs: Sequence[Need], namespaces: Sequence[str], names: Sequence[str]) -> str:
    for namespace in namespaces:
        for need in needs:
            for name in names if names and need.verb != "list" else ("",):
                if not cluster.may(need, namespace, name):
                    what = f"{need} {name}".rstrip()
                    return f"it may not {what} in the namespace {namespace}: allow it in a Role there"
    return ""
