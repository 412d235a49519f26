"""What a cluster's credential may do, by the cluster's own word: the needed reads, and not one write."""

from collections.abc import Iterator
from dataclasses import dataclass

from toolbox.connectors.credential import Finding
from toolbox.connectors.httpjson import Part, inert

REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
READS = frozenset({"get", "list", "watch"})
# What every account may create: questions about itself, which change nothing.
_HARMLESS = {
    "authorization.k8s.io": frozenset({"selfsubjectaccessreviews", "selfsubjectrulesreviews"}),
    "authentication.k8s.io": frozenset({"selfsubjectreviews"}),
}
# A `get` on these opens a shell, a tunnel or somebody else's API.
_OPENS = frozenset({"exec", "attach", "portforward", "proxy", "console", "vnc"})


@dataclass(frozen=True, slots=True)
class Need:
    """One read that a tool does."""

    verb: str
    group: str
    plural: str

    def __str__(self) -> str:
        return f"{self.verb} {self.plural}{'.' + self.group if self.group else ''}"


@dataclass(frozen=True, slots=True)
class Rule:
    """One permission: all verbs on all resources of all groups, where no names narrow it."""

    verbs: frozenset[str]
    groups: frozenset[str]
    resources: frozenset[str]
    names: frozenset[str]

    def allows(self, need: Need) -> bool:
        """Return whether it lets the need through, whatever the object's name is."""
        return (
            not self.names
            and not self.verbs.isdisjoint({need.verb, "*"})
            and not self.groups.isdisjoint({need.group, "*"})
            and not self.resources.isdisjoint({need.plural, "*"})
        )

    def findings(self) -> Iterator[tuple[str, str]]:
        """Return each way in which it is more than reading: the verbs, and on what."""
        writes = sorted(self.verbs - READS)
        if writes and not self._is_harmless():
            yield ", ".join(writes), self._what()
        for resource in sorted(self.resources):
            _, _, part = resource.partition("/")
            if part in _OPENS or part == "*" or resource == "*":
                yield ", ".join(sorted(self.verbs)), f"{inert(resource, 60)} (opens a shell or a tunnel)"
            elif resource == "secrets" and not self.groups.isdisjoint({"", "*"}) and not writes:
                yield ", ".join(sorted(self.verbs)), "secrets (hold what other accounts sign in with)"

    def _is_harmless(self) -> bool:
        named = bool(self.groups and self.resources)  # a rule without a group may mean any
        return (
            named
            and self.verbs <= {"create"} | READS
            and all(self.resources <= _HARMLESS.get(group, frozenset()) for group in self.groups)
        )

    def _what(self) -> str:
        return inert(", ".join(sorted(self.resources)) or "nothing", 100)


@dataclass(frozen=True, slots=True)
class Review:
    """The answer of one review, for one namespace. `paths` pairs verbs with addresses that are no objects."""

    namespace: str
    rules: tuple[Rule, ...]
    paths: tuple[tuple[str, str], ...]
    incomplete: str

    def findings(self) -> Iterator[Finding]:
        """Return each way in which the credential is more than a reader here, or in which nobody can tell."""
        if self.incomplete:
            yield Finding(
                "incomplete",
                f"the namespace {self.namespace}",
                f"permissions that the cluster cannot list ({self.incomplete})",
                cure="use an account whose rights come from RBAC alone",
            )
        for rule in self.rules:
            for verbs, what in rule.findings():
                yield self._finding("rule", verbs, what)
        for verbs, what in self.paths:
            yield self._finding("path", verbs, what)

    def _finding(self, check: str, verbs: str, what: str) -> Finding:
        return Finding(
            check,
            what,
            verbs,
            via=f"a binding that holds in the namespace {self.namespace}",
            cure="take it out of the Role or ClusterRole (kubectl auth can-i --list shows them all)",
        )

    def allows(self, need: Need) -> bool:
        """Return whether the credential may do this read here."""
        return any(rule.allows(need) for rule in self.rules)


def body(namespace: str) -> dict[str, object]:
    """Return the review that asks what this credential may do in a namespace."""
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": namespace},
    }


def read(answer: Part, namespace: str) -> Review:
    """Read a review's answer; raise AnswerMalformed."""
    status = answer.at("status")
    said = status.at("evaluationError").text() if status.has("evaluationError") else ""
    incomplete = status.at("incomplete").flag()
    return Review(
        namespace,
        tuple(_rule(part) for part in status.at("resourceRules").items()),
        tuple(_path_findings(status.at("nonResourceRules").items())),
        inert(said or "incomplete") if incomplete or said else "",
    )


def _rule(part: Part) -> Rule:
    return Rule(*(_words(part, key) for key in ("verbs", "apiGroups", "resources", "resourceNames")))


def _words(part: Part, key: str) -> frozenset[str]:
    return frozenset(item.text() for item in part.at(key).items()) if part.has(key) else frozenset()


def _path_findings(parts: list[Part]) -> Iterator[tuple[str, str]]:
    for part in parts:
        writes = sorted(_words(part, "verbs") - {"get", "head", "options"})
        if writes:
            yield ", ".join(writes), inert(", ".join(sorted(_words(part, "nonResourceURLs"))), 80)
