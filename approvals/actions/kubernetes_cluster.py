"""What the writes to a deployment of Kubernetes have in common: how it is read, locked, tried and patched.

People approve a deployment by its uid and its generation, which every change of what is wanted raises; the
resourceVersion, which every heartbeat raises, locks the patch to the state that was read right before it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from approvals.actions import kubernetes_rights, kubernetes_wire
from approvals.actions.base import (
    ActionFailed,
    Check,
    CouldNotCheck,
    Footprint,
    Hands,
    Observed,
    OutcomeUnknown,
)
from approvals.actions.kubernetes_client import Cluster
from approvals.actions.reads import Target
from approvals.jcs import digest_of
from approvals.states import Risk
from toolbox.connectors.addresses import Network
from toolbox.connectors.kubeproof import Need

KEY = "assay/write"  # the annotation that holds the idempotency token of the last write
KEY_PATH = "/metadata/annotations/assay~1write"
_NAME = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"
_VERSION = ("deployment.generation", "deployment.uid")
_SHOWS = tuple(
    f"deployment.{name}"
    for name in ("observed_generation", "wanted", "updated", "available", "revision", "paused")
)
Operations = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Reach:
    """Where one credential's actions may write, and how they read. No names: any in the namespaces."""

    credential: str
    namespaces: tuple[str, ...]
    names: tuple[str, ...]
    tool: str
    networks: tuple[Network, ...]
    seconds: float
    settle_seconds: float


@dataclass(frozen=True, slots=True)
class Change:
    """What a patch does: its operations, and the state before and after it as people see it."""

    operations: Operations
    before: Mapping[str, Any]
    after: Mapping[str, Any]


class DeploymentAction:
    """One write to one deployment. What it changes is its subclass's `change`; how, is here."""

    name: str
    title: str
    risk: Risk
    is_reversible: bool
    needs: tuple[Need, ...] = (kubernetes_rights.GET, kubernetes_rights.PATCH)
    properties: Mapping[str, Any] = {}
    required: tuple[str, ...] = ()

    def __init__(self, reach: Reach, risk: Risk) -> None:
        self.risk, self.credential = risk, reach.credential
        self._reach = reach
        names = {"enum": list(reach.names)} if reach.names else {"type": "string", "pattern": _NAME}
        self.arguments: Mapping[str, Any] = {
            "type": "object",
            "additionalProperties": False,
            "required": ["namespace", "name", *self.required],
            "properties": {"namespace": {"enum": list(reach.namespaces)}, "name": names, **self.properties},
        }
        where = {"namespace": "$namespace", "name": "$name"}
        self._reads = Target(reach.tool, where, _VERSION, shows=_SHOWS)

    def change(self, arguments: Mapping[str, Any], live: Mapping[str, Any], cluster: Cluster) -> Change:
        """Return what is changed on a deployment as it is now. Raises CouldNotCheck."""
        raise NotImplementedError

    def resulting(self, change: Change, tried: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what the cluster says would stand there afterwards, in the form of `change.after`."""
        raise NotImplementedError

    def target(self, arguments: Mapping[str, Any]) -> str:
        """Return what is locked while the write runs: the deployment."""
        return f"deployment:{arguments['namespace']}/{arguments['name']}"

    def observe(self, arguments: Mapping[str, Any]) -> Observed:
        """Read the deployment by the read-only tool. Raises CouldNotCheck."""
        return self._reads.observed(arguments)

    def precondition(self, arguments: Mapping[str, Any], observed: Observed) -> str:
        """Return why a write makes no sense while the deployment stands so."""
        state = observed.state
        if not isinstance(state["deployment.wanted"], int):
            return "nobody can read how many replicas are wanted"
        if state["deployment.observed_generation"] != state["deployment.generation"]:
            return "the cluster has not taken up the last change yet"
        return ""

    def dry_run(self, arguments: Mapping[str, Any], hands: Hands) -> Footprint:
        """Have the cluster try the patch without keeping it. Raises CouldNotCheck."""
        with self._cluster(hands) as cluster:
            try:
                live = self._live(cluster, arguments)
                with _readable():
                    change = self.change(arguments, live, cluster)
                tried = cluster.patch(live, [*_marked(live, "0" * 64), *change.operations], dry=True)
            except (ActionFailed, OutcomeUnknown) as error:
                raise CouldNotCheck(f"the dry run: {error}") from None
            if not isinstance(tried, Mapping):
                raise CouldNotCheck("the dry run: its answer is cut off")
            with _readable():
                after = self.resulting(change, tried)
        if dict(after) != dict(change.after):
            raise CouldNotCheck("the dry run: the cluster would make something else of it than is asked for")
        objects = (self.target(arguments),)
        return Footprint(objects, (arguments["namespace"],), change.before, after)

    def execute(
        self, arguments: Mapping[str, Any], observed: Observed, hands: Hands, key: str
    ) -> Mapping[str, Any]:
        """Patch the deployment that was approved, once. Raises ActionFailed, OutcomeUnknown."""
        try:
            with self._cluster(hands) as cluster:
                live = self._live(cluster, arguments)
                if (live["metadata"].get("annotations") or {}).get(KEY) == key:
                    return {"done_before": True, "generation": live["metadata"]["generation"]}
                if version_of(live) != observed.version:
                    raise ActionFailed("the deployment changed since it was approved")
                with _readable():
                    change = self.change(arguments, live, cluster)
                operations = [*_marked(live, key), *change.operations]
        except CouldNotCheck as error:
            raise ActionFailed(f"nothing was sent: {error}") from None
        with self._cluster(hands) as cluster:
            made = cluster.patch(live, operations, dry=False)
        metadata = made.get("metadata") if isinstance(made, Mapping) else None
        return {"generation": metadata.get("generation") if isinstance(metadata, Mapping) else None}

    def verify(self, arguments: Mapping[str, Any], observed: Observed) -> Check | None:
        """Return the question whether the rollout came to its end, with as many replicas as are wanted."""
        return Check(
            self._reach.tool,
            {"namespace": arguments["namespace"], "name": arguments["name"]},
            self.expected(arguments, observed),
            settle_seconds=self._reach.settle_seconds,
        )

    def expected(self, arguments: Mapping[str, Any], observed: Observed) -> dict[str, Any]:
        """Return what has to stand there: one change was made since, taken up, and carried through."""
        state = observed.state
        count = state.get("deployment.wanted", state.get("replicas"))
        expect = {f"deployment.{name}": count for name in ("wanted", "updated", "available")}
        # Before a rollback nobody knows in which generation the write leaves the deployment.
        if "deployment.generation" in state:
            after = state["deployment.generation"] + 1
            expect |= {"deployment.generation": after, "deployment.observed_generation": after}
        return expect

    def probe(self, hands: Hands) -> str:
        """Return what the credential lacks, or can do besides. Raises CouldNotCheck."""
        with self._cluster(hands) as cluster:
            return kubernetes_rights.wrong(cluster, self.needs, self._reach.namespaces, self._reach.names)

    def _live(self, cluster: Cluster, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        # The schema says the same: a namespace that the action has no business in is not even read.
        if arguments["namespace"] not in self._reach.namespaces:
            raise CouldNotCheck(f"the namespace {arguments['namespace']} is not one that is written to")
        live = cluster.deployment(arguments["namespace"], arguments["name"])
        with _readable():
            version_of(live)
            count_of(live)
            str(live["metadata"]["resourceVersion"])
        return live

    @contextmanager
    def _cluster(self, hands: Hands) -> Iterator[Cluster]:
        endpoint = kubernetes_wire.endpoint_of(hands, self._reach.networks)
        cluster = Cluster(endpoint, self._reach.seconds)
        try:
            yield cluster
        finally:
            cluster.close()


def version_of(live: Mapping[str, Any]) -> str:
    """Return the version of a deployment as the tool's answer has it."""
    metadata = live["metadata"]
    return digest_of({"deployment.generation": metadata["generation"], "deployment.uid": metadata["uid"]})


def count_of(live: Mapping[str, Any]) -> int:
    """Return how many replicas a deployment wants. Raises CouldNotCheck."""
    count = live["spec"].get("replicas")
    if not isinstance(count, int) or isinstance(count, bool):
        raise CouldNotCheck("nobody can read how many replicas are wanted")
    return count


def _marked(live: Mapping[str, Any], key: str) -> Operations:
    """Return the operations that leave the token on the deployment, so that a repetition is seen."""
    made: list[Mapping[str, Any]] = []
    if not live["metadata"].get("annotations"):
        made.append({"op": "add", "path": "/metadata/annotations", "value": {}})
    return [*made, {"op": "add", "path": KEY_PATH, "value": key}]


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise CouldNotCheck(f"what the cluster answered cannot be read ({type(error).__name__})") from None
