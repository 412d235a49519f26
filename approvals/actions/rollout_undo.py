"""kubernetes.rollout_undo: a deployment's pod template back to that of an earlier revision."""

from collections.abc import Mapping
from typing import Any

from approvals.actions import kubernetes_rights, kubernetes_templates
from approvals.actions.base import CouldNotCheck, Observed, Proposal
from approvals.actions.kubernetes_client import Cluster
from approvals.actions.kubernetes_cluster import Change, DeploymentAction, count_of
from approvals.jcs import NotDigestible

_REVISION = "deployment.kubernetes.io/revision"


class RolloutUndo(DeploymentAction):
    """Goes back to the revision before, or to a named one that the cluster still keeps."""

    name = "kubernetes.rollout_undo"
    title = "Roll a deployment back to an earlier revision"
    is_reversible = True
    needs = (*DeploymentAction.needs, kubernetes_rights.LIST_SETS)
    properties: Mapping[str, Any] = {"to_revision": {"type": "integer", "minimum": 1, "maximum": 2**31}}

    def precondition(self, arguments: Mapping[str, Any], observed: Observed) -> str:
        """Return why rolling back makes no sense now."""
        state = observed.state
        if state["deployment.paused"]:
            return "the deployment is paused: its rollouts stand still"
        if _number(state["deployment.revision"]) is None:
            return "the deployment has no revision yet"
        if arguments.get("to_revision") == _number(state["deployment.revision"]):
            return f"it stands at revision {arguments['to_revision']} already"
        return super().precondition(arguments, observed)

    def change(self, arguments: Mapping[str, Any], live: Mapping[str, Any], cluster: Cluster) -> Change:
        """Return the patch that puts the earlier template in place, and where the two differ."""
        current = _number((live["metadata"].get("annotations") or {}).get(_REVISION))
        if current is None:
            raise CouldNotCheck("the deployment has no revision yet")
        wanted, template = _earlier(cluster.replica_sets(live), current, arguments.get("to_revision"))
        now = live["spec"]["template"]
        try:
            old, new = kubernetes_templates.differing(now, template)
            sides = [_side(current, now, old, live), _side(wanted, template, new, live)]
        except NotDigestible as error:
            raise CouldNotCheck(str(error)) from None
        operation = {"op": "replace", "path": "/spec/template", "value": template}
        return Change([operation], *sides)

    def resulting(self, change: Change, tried: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what would stand there, by the digest of the template that the cluster would keep."""
        template = tried["spec"]["template"]
        return {
            **change.after,
            "images": kubernetes_templates.images(template),
            "template_sha256": kubernetes_templates.digest(template),
            "replicas": count_of(tried),
        }

    def expected(self, arguments: Mapping[str, Any], observed: Observed) -> dict[str, Any]:
        """Return what has to stand there: a new revision, carried through.

        A rollout back takes the next number; so does the rollback of it, which is two above the one it names.
        """
        before = _number(observed.state.get("deployment.revision"))
        revision = before + 1 if before is not None else arguments["to_revision"] + 2
        return {**super().expected(arguments, observed), "deployment.revision": str(revision)}

    def rollback(self, arguments: Mapping[str, Any], observed: Observed) -> Proposal | None:
        """Return the way back to the revision that stands there now."""
        current = _number(observed.state["deployment.revision"])
        if current is None:
            return None
        back = {"namespace": arguments["namespace"], "name": arguments["name"], "to_revision": current}
        return Proposal(self.name, back, f"puts the template of revision {current} back")


def _earlier(sets: list[Mapping[str, Any]], current: int, wanted: int | None) -> tuple[int, dict[str, Any]]:
    """Return the revision to go to, with its template. Raises CouldNotCheck."""
    known: dict[int, Mapping[str, Any]] = {}
    for each in sets:
        number = _number((each["metadata"].get("annotations") or {}).get(_REVISION))
        if number is not None:
            known[number] = each
    number = wanted if wanted is not None else max((each for each in known if each < current), default=None)
    if number is None:
        raise CouldNotCheck("there is no earlier revision to go back to")
    if number not in known or number == current:
        raise CouldNotCheck(f"the cluster keeps no revision {number} beside the one that stands there")
    return number, kubernetes_templates.of_set(known[number])


def _side(
    revision: int, template: Mapping[str, Any], shown: Mapping[str, str], live: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "revision": revision,
        "images": kubernetes_templates.images(template),
        "differs": dict(shown),
        "template_sha256": kubernetes_templates.digest(template),
        "replicas": count_of(live),
    }


def _number(text: Any) -> int | None:
    """Return a revision as a number; the cluster keeps it as text."""
    is_number = isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < 11
    return int(text) if is_number else None
