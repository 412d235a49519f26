"""kubernetes.scale: another number of replicas for a deployment. Never to zero: that is switching it off."""

from collections.abc import Mapping
from typing import Any

from approvals.actions.base import Observed, Proposal
from approvals.actions.kubernetes_client import Cluster
from approvals.actions.kubernetes_cluster import Change, DeploymentAction, count_of


class Scale(DeploymentAction):
    """Sets how many replicas are wanted."""

    name = "kubernetes.scale"
    title = "Scale a deployment"
    is_reversible = True
    properties: Mapping[str, Any] = {"replicas": {"type": "integer", "minimum": 1, "maximum": 1000}}
    required = ("replicas",)

    def precondition(self, arguments: Mapping[str, Any], observed: Observed) -> str:
        """Return why scaling makes no sense now."""
        if observed.state["deployment.wanted"] == arguments["replicas"]:
            return f"it has {arguments['replicas']} replicas already"
        return super().precondition(arguments, observed)

    def change(self, arguments: Mapping[str, Any], live: Mapping[str, Any], cluster: Cluster) -> Change:
        """Return the patch of the one number."""
        count = arguments["replicas"]
        operation = {"op": "replace", "path": "/spec/replicas", "value": count}
        return Change([operation], {"replicas": count_of(live)}, {"replicas": count})

    def resulting(self, change: Change, tried: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the number that would be wanted."""
        return {"replicas": count_of(tried)}

    def expected(self, arguments: Mapping[str, Any], observed: Observed) -> dict[str, Any]:
        """Return what has to stand there: as many replicas as asked for, all of them available."""
        count = arguments["replicas"]
        expect = super().expected(arguments, observed)
        return expect | {f"deployment.{name}": count for name in ("wanted", "updated", "available")}

    def rollback(self, arguments: Mapping[str, Any], observed: Observed) -> Proposal | None:
        """Return the scaling back to the number before."""
        back = {**arguments, "replicas": observed.state["deployment.wanted"]}
        return Proposal(self.name, back, "puts the number of replicas back to what it was")
