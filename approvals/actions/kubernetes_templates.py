"""A pod template for people: what differs between two, without what may be a secret, and its digest."""

from collections.abc import Iterator, Mapping
from typing import Any

from approvals.jcs import NotDigestible, digest_of

# Texts under these keys are shown as they are; any other text may hold a secret, as environments do.
_PLAIN = frozenset(
    {
        "image", "name", "cpu", "memory", "ephemeral-storage", "protocol", "restartPolicy", "mountPath",
        "imagePullPolicy", "serviceAccountName", "serviceAccount", "schedulerName", "dnsPolicy", "claimName",
        "secretName", "key", "path", "port", "scheme", "nodeName", "priorityClassName", "fieldPath",
    }
)  # fmt: skip
_MOST = 200
_HASH = "pod-template-hash"


def of_set(replica_set: Mapping[str, Any]) -> dict[str, Any]:
    """Return the template of a replica set as its deployment had it: without the sets' own label."""
    template: Mapping[str, Any] = replica_set["spec"]["template"]
    metadata = dict(template.get("metadata") or {})
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != _HASH}
    return {**template, "metadata": {**metadata, "labels": labels}}


def digest(template: Mapping[str, Any]) -> str:
    """Return the SHA-256 that binds a template; the whole of it, secrets included. Raises NotDigestible."""
    return digest_of(_pruned(template))


def differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return where two templates differ, by path, each with its own values as people may see them."""
    old, new = dict(_leaves(_pruned(before), "")), dict(_leaves(_pruned(after), ""))
    paths = sorted(path for path in {*old, *new} if old.get(path) != new.get(path))
    if len(paths) > _MOST:
        raise NotDigestible(f"the templates differ at {len(paths)} places, more than a person reads")
    return _shown(paths, old), _shown(paths, new)


def images(template: Mapping[str, Any]) -> dict[str, str]:
    """Return the image of each container."""
    return {str(each.get("name")): str(each.get("image")) for each in template["spec"]["containers"]}


def _shown(paths: list[str], leaves: Mapping[str, Any]) -> dict[str, str]:
    return {path: _words(path, leaves[path]) for path in paths if path in leaves}


def _words(path: str, value: Any) -> str:
    if not isinstance(value, str):
        return str(value)
    return value if path.rpartition(".")[2] in _PLAIN else f"a text of {len(value)} characters, not shown"


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for key, each in value.items():
            yield from _leaves(each, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for place, each in enumerate(value):
            named = each.get("name") if isinstance(each, Mapping) else None
            yield from _leaves(each, f"{path}[{named or place}]")
    else:
        yield path, value


def _pruned(value: Any) -> Any:
    """The API writes an absent time as null, and leaves empty maps out or in: neither is a difference."""
    if isinstance(value, Mapping):
        pruned = {str(key): _pruned(each) for key, each in value.items()}
        return {key: each for key, each in pruned.items() if each not in (None, {}, [])}
    if isinstance(value, list):
        return [_pruned(each) for each in value]
    return repr(value) if isinstance(value, float) else value
