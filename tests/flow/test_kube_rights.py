"""What the credential that writes to a cluster may do: what it needs, and nothing besides."""

from typing import Any

import pytest

from approvals.actions.base import ActionFailed, CouldNotCheck
from approvals.hands import Credential
from tests.db.clustering import READS
from tests.fakes.kubernetes import BASIC
from tests.fakes.kubernetes_writes import SETS, WRITER
from tests.flow.kubeplace import Place


def rule(verbs: str, resources: str, group: str = "", **more: Any) -> dict[str, Any]:
    return {"verbs": verbs.split(), "apiGroups": [group], "resources": resources.split(), **more}


PLANTED: dict[str, tuple[str, dict[str, Any], str]] = {
    "delete": ("shop", rule("delete", "deployments", "apps"), "can delete deployments.apps"),
    "update": ("shop", rule("update", "deployments", "apps"), "can update deployments.apps"),
    "pods": ("shop", rule("create", "pods"), "can create pods"),
    "exec": ("shop", rule("create", "pods/exec"), "can create pods/exec"),
    "exec by get": ("shop", rule("get", "pods/exec"), "can get pods/exec"),
    "secrets": ("shop", rule("get", "secrets"), "can get secrets"),
    "one secret": ("shop", rule("get", "secrets", resourceNames=["one"]), "can get secrets"),
    "a wildcard": ("shop", rule("*", "deployments", "apps"), "can *"),
    "all resources": ("shop", rule("get", "*", "*"), "can get *"),
    "stateful sets": ("shop", rule("patch", "statefulsets", "apps"), "can patch statefulsets.apps"),
    "a token": ("shop", rule("create", "serviceaccounts/token"), "can create serviceaccounts/token"),
    "roles": ("shop", rule("bind", "roles", "rbac.authorization.k8s.io"), "can bind roles"),
    "impersonation": ("", rule("impersonate", "users"), "can impersonate users"),
    "everywhere": ("", WRITER, "can patch deployments.apps"),
    "elsewhere": ("kube-system", WRITER, "in the namespace kube-system"),
}


def test_a_credential_with_the_rights_it_needs_is_fit(place: Place) -> None:
    assert place.probe() == ""
    named = {**WRITER, "resourceNames": ["web"]}
    place.fake.rules["shop"] = place.fake.rules["mail"] = [named, SETS, READS | {"resources": ["pods"]}]
    assert "may not get deployments.apps in the namespace" in place.probe()


@pytest.mark.parametrize("name", PLANTED)
def test_a_right_too_many_is_named(place: Place, name: str) -> None:
    namespace, planted, says = PLANTED[name]
    place.fake.rules[namespace] = [*place.fake.rules.get(namespace, []), planted]
    assert says in place.probe()


@pytest.mark.parametrize("need", ["delete", "pods", "exec", "secrets", "everywhere"])
def test_a_right_that_stands_in_no_list_is_found_by_asking_for_it(place: Place, need: str) -> None:
    """An authorizer beside RBAC: it allows, and its rules are listed nowhere."""
    namespace, planted, says = PLANTED[need]
    place.fake.unlisted[namespace] = [planted]
    assert says.replace("can ", "it can ") in place.probe()


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ([SETS], "may not get deployments.apps in the namespace shop"),
        ([{**WRITER, "verbs": ["get"]}, SETS], "may not patch deployments.apps in the namespace shop"),
        ([WRITER], "may not list replicasets.apps in the namespace shop"),
    ],
)
def test_a_right_too_few_is_named_with_its_cure(place: Place, rules: list[dict[str, Any]], says: str) -> None:
    place.fake.rules["shop"] = rules
    assert says in place.probe()


def test_a_cluster_that_cannot_list_rights_or_is_too_old_proves_nothing(place: Place) -> None:
    place.fake.incomplete = True
    assert "cannot list its rights" in place.probe()
    place.fake.minor = "17+"
    assert "before 1.18" in place.probe()
    place.fake.token = "another"
    with pytest.raises(CouldNotCheck, match="401"):
        place.probe()


def test_the_credential_that_reads_cannot_write(place: Place) -> None:
    place.fake.tokens["reader"] = {"": [READS, BASIC]}
    place.hands = Credential("w", {"server": place.server.url, "token": "reader"})
    for attempt in (place.tried, place.execute):
        with pytest.raises((CouldNotCheck, ActionFailed), match="the cluster forbids it"):
            attempt()
    assert place.fake.applied == []
