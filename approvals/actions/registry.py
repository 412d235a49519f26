"""The actions and the policy that a deployment declares in the file that TRIAGE_ACTIONS names."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from django.conf import settings

from approvals import policy
from approvals.actions.base import Action
from approvals.policy import Policy, PolicyUnusable
from toolbox import schemas, yamlfile
from toolbox.yamlfile import DefinitionError, Place

# Each part of the file, and the module whose `declared(place)` reads it.
SECTIONS: Mapping[str, str] = {
    "procedures": "approvals.actions.call_procedure",
    "calls": "approvals.actions.http_call",
    "jobs": "approvals.actions.job_retry",
    "labels": "approvals.actions.add_labels",
    "replies": "approvals.actions.ticket_reply",
    "kubernetes": "approvals.actions.kubernetes",
}
_KNOWN = frozenset({"policy", "modules", *SECTIONS})


@dataclass(frozen=True, slots=True)
class Declared:
    """Every action by name, and the policy. Without a file there is no action."""

    actions: Mapping[str, Action]
    policy: Policy


def current() -> Declared:
    """Return what TRIAGE_ACTIONS declares, read once for each process. Raises DefinitionError."""
    return load(settings.TRIAGE_ACTIONS)


@functools.cache
def load(path: str) -> Declared:
    """Return what a file declares; nothing for an empty path. Raises DefinitionError."""
    if not path:
        return Declared({}, Policy())
    place = yamlfile.read(Path(path))
    parts = place.mapping(_KNOWN)
    actions: dict[str, Action] = {}
    for name in parts:
        for action in _section(place, name):
            if action.name in actions:
                raise place.at(name).error(
                    f"the action {action.name} is declared twice", "Rename one of them."
                )
            _refuse_unusable(action, place.at(name))
            actions[action.name] = action
    return Declared(dict(sorted(actions.items())), _policy(place, parts.get("policy")))


def _section(place: Place, name: str) -> tuple[Action, ...]:
    if name == "policy":
        return ()
    if name == "modules":
        found: list[Action] = []
        for each in place.at(name).items():
            found += _module(each, each.text()).declared(each)
        return tuple(found)
    return tuple(_module(place.at(name), SECTIONS[name]).declared(place.at(name)))


def _module(place: Place, dotted: str) -> Any:
    try:
        return import_module(dotted)
    except ImportError as error:
        raise place.error(f"{dotted} cannot be imported: {error}", "Name a module with declared().") from None


def _policy(place: Place, plain: Any) -> Policy:
    if plain is None:
        return Policy()
    try:
        return policy.reading(place.at("policy").mapping(frozenset(Policy.__dataclass_fields__)))
    except PolicyUnusable as error:
        raise DefinitionError(place.file, place.at("policy").line, str(error), "Correct the value.") from None


def _refuse_unusable(action: Action, place: Place) -> None:
    try:
        schemas.check_schema(action.arguments)
    except schemas.SchemaUnusable as error:
        raise place.error(f"the arguments of {action.name}: {error}", "Correct the schema.") from None
