"""kubernetes.rollout_restart: new pods for old ones, one after the other, with nothing else changed."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from approvals.actions.base import Observed, Proposal
from approvals.actions.kubernetes_client import Cluster
from approvals.actions.kubernetes_cluster import Change, DeploymentAction, count_of

# The one that kubectl writes, so that both see each other's restarts.
_RESTARTED = "kubectl.kubernetes.io/restartedAt"
_PODS = "pods"


class RolloutRestart(DeploymentAction):
    """Restarts a deployment. Nothing leads back from it, and nothing has to: the template stays."""

    name = "kubernetes.rollout_restart"
    title = "Restart a deployment"
    is_reversible = False

    def precondition(self, arguments: Mapping[str, Any], observed: Observed) -> str:
        """Return why a restart makes no sense now."""
        state = observed.state
        if state["deployment.paused"]:
            return "the deployment is paused: its rollouts stand still"
        if state["deployment.updated"] != state["deployment.wanted"]:
            return "a rollout is under way already"
        return super().precondition(arguments, observed)

    def change(self, arguments: Mapping[str, Any], live: Mapping[str, Any], cluster: Cluster) -> Change:
        """Return the patch of the one annotation by which the cluster makes new pods."""
        annotations = (live["spec"]["template"].get("metadata") or {}).get("annotations") or {}
        value = {**annotations, _RESTARTED: datetime.now(UTC).isoformat(timespec="seconds")}
        operation = {"op": "add", "path": "/spec/template/metadata/annotations", "value": value}
        count = count_of(live)
        return Change(
            [operation],
            {"replicas": count, _PODS: "as they run now"},
            {"replicas": count, _PODS: "replaced by new ones of the same template"},
        )

    def resulting(self, change: Change, tried: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what would stand there: the same, with the annotation."""
        annotations = tried["spec"]["template"]["metadata"]["annotations"]
        is_there = annotations[_RESTARTED] == change.operations[0]["value"][_RESTARTED]
        return {**change.after, "replicas": count_of(tried)} if is_there else {}

    def rollback(self, arguments: Mapping[str, Any], observed: Observed) -> Proposal | None:
        """Return nothing: pods that are gone do not come back."""
        return None
