"""github.add_labels and github.remove_label: labels of a fixed list on issues of named repositories."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from approvals.actions import httpwrite
from approvals.actions.base import Footprint, Hands, Observed, Proposal
from approvals.actions.declared import DeclaredAction
from approvals.actions.httpwrite import Request
from approvals.actions.reads import Common, Target
from approvals.states import Risk
from toolbox.yamlfile import Place

_KEYS = frozenset({"credential", "repositories", "labels", "api", "tool", "labels_path", "seconds"})
_NEEDED = frozenset({"credential", "repositories", "labels", "tool", "labels_path"})


class LabelAction(DeclaredAction):
    """Adds one of the deployment's labels to an issue, or takes it off again."""

    def __init__(self, common: Common, api: str, path: str, *, adds: bool) -> None:
        super().__init__(common)
        self._api, self._path, self._adds = api, path, adds
        self.is_reversible = True

    def observe(self, arguments: Mapping[str, Any]) -> Observed:
        """Read the issue by its tool, which takes owner and repository apart. Raises CouldNotCheck."""
        owner, _, repo = arguments["repository"].partition("/")
        return self._reads.observed({**arguments, "owner": owner, "repo": repo})

    def precondition(self, arguments: Mapping[str, Any], observed: Observed) -> str:
        """Return why the labels need no change."""
        has = arguments["label"] in self._labels(observed)
        if has == self._adds:
            return f"the issue {'has' if has else 'does not have'} the label {arguments['label']} already"
        return ""

    def dry_run(self, arguments: Mapping[str, Any], hands: Hands) -> Footprint:
        """Return the labels before and after. Raises CouldNotCheck."""
        hands.field("token")
        before = self._labels(self.observe(arguments))
        label = arguments["label"]
        after = sorted({*before, label}) if self._adds else sorted({*before} - {label})
        return Footprint((self.target(arguments),), (), {"labels": before}, {"labels": after})

    def execute(
        self, arguments: Mapping[str, Any], observed: Observed, hands: Hands, key: str
    ) -> Mapping[str, Any]:
        """Send the change; doing it twice is the same as once. Raises ActionFailed, OutcomeUnknown."""
        url = f"{self._api}/repos/{arguments['repository']}/issues/{arguments['number']}/labels"
        headers = {"Authorization": f"Bearer {hands.field('token')}", "X-GitHub-Api-Version": "2022-11-28"}
        if self._adds:
            return httpwrite.send(
                Request("POST", url, {"labels": [arguments["label"]]}, headers, self._common.seconds)
            )
        url = f"{url}/{quote(arguments['label'], safe='')}"
        return httpwrite.send(Request("DELETE", url, {}, headers, self._common.seconds))

    def rollback(self, arguments: Mapping[str, Any], observed: Observed) -> Proposal | None:
        """Return the other of the two."""
        other = "github.remove_label" if self._adds else "github.add_labels"
        return Proposal(other, arguments, "undoes the change of the label")

    def probe(self, hands: Hands) -> str:
        """A fine-grained token shows its rights to nobody; that it is one is what can be seen."""
        is_fine = hands.field("token").startswith(("github_pat_", "ghs_"))
        return "" if is_fine else "it is no fine-grained token, so it can do more than change labels"

    def _labels(self, observed: Observed) -> list[str]:
        found = observed.state.get(self._path)
        names = found if isinstance(found, list) else []
        return sorted(each["name"] if isinstance(each, Mapping) else str(each) for each in names)


def declared(place: Place) -> tuple[LabelAction, ...]:
    """Read the `labels` part of the actions' file. Raises DefinitionError."""
    plain = place.mapping(_KEYS, _NEEDED)
    path = place.at("labels_path").text()
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["repository", "number", "label"],
        "properties": {
            "repository": {"enum": [each.text() for each in place.at("repositories").items()]},
            "number": {"type": "integer", "minimum": 1},
            "label": {"enum": [each.text() for each in place.at("labels").items()]},
        },
    }
    target = Target(
        place.at("tool").text(), {"owner": "$owner", "repo": "$repo", "number": "$number"}, (path,)
    )
    api = str(plain.get("api") or "https://api.github.com").rstrip("/")
    made = []
    for name, adds in (("github.add_labels", True), ("github.remove_label", False)):
        common = Common(
            name, "Add a label" if adds else "Take a label off", Risk.LOW,
            place.at("credential").text(), schema,
            "github:{repository}#{number}", target, float(plain.get("seconds", 20)),
        )  # fmt: skip
        made.append(LabelAction(common, api, path, adds=adds))
    return tuple(made)
