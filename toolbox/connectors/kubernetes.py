"""Objects of a Kubernetes cluster, read by get and list alone, once the cluster itself has said that this
credential may do nothing else.
"""

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from assay_core.results import Status
from toolbox.connectors import fitting, kubeproof
from toolbox.connectors.base import Outcome
from toolbox.connectors.credential import Finding, Guard, Proof, ProofImpossible
from toolbox.connectors.endpoint import Endpoint
from toolbox.connectors.httpconnector import Bounds, Call, HttpConnector, Unasked
from toolbox.connectors.httpjson import AnswerMalformed, Part, inert
from toolbox.connectors.httpstatus import Failure
from toolbox.connectors.kubeclient import ClusterClient, Exchange
from toolbox.connectors.kubeproof import Need
from toolbox.connectors.kubequestion import KubeQuestion, label_value, object_name
from toolbox.connectors.paths import dotted
from toolbox.deadline import Deadline, DeadlinePassed
from toolbox.querytext import ArgumentRefused

_FRESH_SECONDS = 300
_MOST_NAMESPACES = 100


class KubernetesConnector(HttpConnector):
    """One cluster. `namespaces` are those that may be asked; none named means any."""

    kind = "kubernetes"

    def __init__(
        self, name: str, title: str, endpoint: Endpoint, *, tenant: str = "", namespaces: tuple[str, ...] = ()
    ) -> None:
        super().__init__(name, title, endpoint, tenant=tenant)
        self.namespaces = namespaces
        self._client = ClusterClient()
        self.guard: Guard | None = None
        self._lock = threading.Lock()
        self._proven_until = 0.0
        self._needs: dict[tuple[str, Need], float] = {}

    def is_configured(self) -> bool:
        """Whether this process was given the cluster's address and a credential for it."""
        return all(os.environ.get(name, "").strip() for name in self.endpoint.variables)

    def prove(self, deadline: Deadline) -> Proof:
        """Have the cluster list what the credential may do, in every namespace; raise ProofImpossible."""
        try:
            return self._proof(Unasked(deadline))
        except (Failure, AnswerMalformed, DeadlinePassed) as error:
            raise ProofImpossible(f"what the credential may do cannot be listed: {error}") from None

    def _proof(self, bounds: Bounds) -> Proof:
        began = time.monotonic()
        names = {"default", "kube-system", *(self.namespaces or self._all_namespaces(bounds))}
        reviews = [self._review(bounds, name) for name in sorted(names)]
        found = tuple(dict.fromkeys(finding for review in reviews for finding in review.findings()))
        if not found:
            with self._lock:
                self._proven_until = time.monotonic() + _FRESH_SECONDS
        return Proof(self.endpoint.shown, found, (time.monotonic() - began) * 1000)

    def answer(self, call: Call) -> Outcome:
        """Have the credential proven, both ways, then read."""
        plan: KubeQuestion = call.question.plan
        namespace = object_name(plan.namespace, call.arguments.get(plan.namespace))
        if self.namespaces and namespace not in self.namespaces:
            raise ArgumentRefused(f"the namespace {namespace} is not among those that may be asked")
        self._require_reader(call)
        self._require(call, namespace, plan.need)
        return self._object(call, namespace) if plan.name else self._objects(call, namespace)

    def _require_reader(self, call: Call) -> None:
        """Raise Failure unless the whole credential was proven a moment ago."""
        with self._lock:
            if time.monotonic() < self._proven_until:
                return
        if found := self._proof(call).findings:
            raise _no_reader(found)

    def _require(self, call: Call, namespace: str, need: Need) -> None:
        """Raise Failure unless the credential may do this read in this namespace, and nothing more there."""
        with self._lock:
            if time.monotonic() < self._needs.get((namespace, need), 0.0):
                return
        review = self._review(call, namespace)
        if found := tuple(review.findings()):
            raise _no_reader(found)
        if not review.allows(need):
            raise Failure(
                Status.ERROR, f"the credential may not {need} in {namespace}: allow it in a Role there"
            )
        with self._lock:
            self._needs[(namespace, need)] = time.monotonic() + _FRESH_SECONDS

    def _within(self, bounds: Bounds) -> Exchange:
        return lambda ask: self._reader.read(ask, bounds.deadline, bounds.most_bytes)

    def _review(self, bounds: Bounds, namespace: str) -> kubeproof.Review:
        reply = self._client.rights(self._within(bounds), kubeproof.body(namespace))
        return kubeproof.read(reply.part, namespace)

    def _all_namespaces(self, bounds: Bounds) -> list[str]:
        try:
            answer = self._client.namespaces(self._within(bounds), _MOST_NAMESPACES).part
        except Failure as failure:
            if failure.code != 403:
                raise
            return []  # what may not be listed is reviewed when it is asked
        if _continued(answer):
            raise Failure(
                Status.REFUSED,
                f"the cluster has more than {_MOST_NAMESPACES} namespaces, too many to prove that nothing "
                "may be written in any: name those that are asked with `namespaces:`",
            )
        return [item.at("metadata").at("name").text() for item in answer.at("items").items()]

    def _object(self, call: Call, namespace: str) -> Outcome:
        plan: KubeQuestion = call.question.plan
        name = object_name(plan.name, call.arguments.get(plan.name))
        reply = self._client.one(self._within(call), plan, namespace, name)
        where = {"namespace": namespace, "kind": plan.plural, "name": name}
        if reply.status == 404:
            _refuse_unknown_kind(reply.part, name)
            status, reason = self._unfound(call, namespace, f"{plan.plural} {name}")
            return Outcome(status, {call.question.key: None, "looked_in": where}, reason, where)
        found = _kept(reply.part, plan, namespace)
        if reply.part.at("metadata").at("name").text() != name:
            raise AnswerMalformed("another object came than was asked for")
        fit = fitting.kept([found], call.tool.limits)
        if not fit.whole:
            return Outcome(Status.TRUNCATED, reason=f"{self.name}: {fit.cut}", covered=where)
        result = {call.question.key: fit.items[0], "looked_in": where}
        return Outcome(Status.OBSERVED, result, "", where, fit.replaced)

    def _objects(self, call: Call, namespace: str) -> Outcome:
        plan: KubeQuestion = call.question.plan
        wanted = {label: label_value(name, call.arguments.get(name)) for label, name in plan.labels.items()}
        selector = ",".join(f"{label}={value}" for label, value in sorted(wanted.items()))
        within, most = self._within(call), call.tool.limits.rows
        answer = self._client.listed(within, plan, namespace, most, selector).part
        items = answer.at("items").items()
        _refuse_unlabelled(items, wanted)
        names = [item.at("metadata").at("name").text() for item in items]
        if len(set(names)) < len(names):
            raise AnswerMalformed("one object came twice")
        fit = fitting.kept([_kept(item, plan, namespace) for item in items], call.tool.limits)
        where = {"namespace": namespace, "kind": plan.plural, "labels": selector}
        partial = [*_continued(answer), *([] if fit.whole else [fit.cut])]
        result = {call.question.key: fit.items, "row_count": len(fit.items), "looked_in": where}
        status, reason = fitting.ending(found=bool(items), partial=partial)
        if not items and not partial:
            status, reason = self._unfound(call, namespace, f"{plan.plural} with {selector or 'any label'}")
        return Outcome(status, result, reason, {**where, "scanned": len(items)}, fit.replaced)

    def _unfound(self, call: Call, namespace: str, what: str) -> tuple[Status, str]:
        """Return what it means that nothing was found: something only where the namespace is there."""
        try:
            reply = self._client.namespace(self._within(call), namespace)
        except Failure as failure:
            if failure.code != 403:
                raise
            reason = f"no {what}, and the credential may not look whether the namespace {namespace} is there"
            return Status.UNANSWERABLE, f"{reason}: allow it `get` on namespaces"
        if reply.status == 404:
            return Status.UNANSWERABLE, f"there is no namespace {namespace}, so nothing can be found in it"
        if reply.part.at("metadata").at("name").text() != namespace:
            raise AnswerMalformed("another namespace came than was asked for")
        return Status.EMPTY, ""


def _no_reader(found: Sequence[Finding]) -> Failure:
    said = "; ".join(f"{finding.detail} ({finding.cure})" for finding in found[:3])
    more = f", and {len(found) - 3} more" if len(found) > 3 else ""
    return Failure(Status.REFUSED, f"the credential can do more than read: {said}{more}")


def _refuse_unknown_kind(status: Part, name: str) -> None:
    """Raise Failure where not the object but the kind of object is missing."""
    named = isinstance(status.value, dict) and status.has("details") and status.at("details").has("name")
    if not named or status.at("details").at("name").value != name:
        raise Failure(
            Status.ERROR, "the cluster does not know this kind of object: check group, version, plural"
        )


def _kept(item: Part, plan: KubeQuestion, namespace: str) -> dict[str, Any]:
    if item.at("metadata").at("namespace").text() != namespace:
        raise AnswerMalformed("an object of another namespace came than was asked for")
    return {name: _field(item.value, path) for name, path in plan.fields.items()}


def _field(item: Any, path: str) -> Any:
    # The API leaves out what is empty or 0: a field that is not there is null, which no check takes for 0.
    try:
        return dotted(item, path)
    except AnswerMalformed:
        return None


def _refuse_unlabelled(items: list[Part], wanted: Mapping[str, str]) -> None:
    for item in items:
        metadata = item.at("metadata")
        labels = metadata.at("labels").texts() if metadata.has("labels") else {}
        for label, value in wanted.items():
            if labels.get(label) != value:
                shown = inert(labels.get(label, ""), 60)
                raise AnswerMalformed(f"an object has {label}={shown!r}, which was not asked for")


def _continued(answer: Part) -> list[str]:
    metadata = answer.at("metadata")
    if not metadata.has("continue") or not metadata.at("continue").text():
        return []
    left = (
        metadata.at("remainingItemCount").integer()
        if metadata.has("remainingItemCount")
        else "an unknown number of"
    )
    return [f"{left} further objects were not fetched"]
