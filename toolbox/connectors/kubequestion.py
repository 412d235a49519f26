"""Which objects of a cluster a tool asks for: one kind in one namespace, by a name or by labels."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from toolbox import remote
from toolbox.connectors.kubeproof import Need
from toolbox.querytext import ArgumentRefused
from toolbox.remote import Given, RemoteQuestion
from toolbox.yamlfile import Place

Shape = Literal["one", "rows"]

KEYS = frozenset({"objects", "key"})
_KNOWN = frozenset({"group", "version", "plural", "namespace", "name", "labels", "fields"})

_PLURAL = re.compile(r"[a-z][a-z0-9]{0,62}")
_GROUP = re.compile(r"[a-z0-9.-]{0,253}")
_VERSION = re.compile(r"v[0-9]+((alpha|beta)[0-9]+)?")
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_LABEL_KEY = re.compile(r"[A-Za-z0-9]([A-Za-z0-9./_-]{0,315}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class KubeQuestion:
    """One kind of object in one namespace: one by its name, or all with some labels."""

    group: str
    version: str
    plural: str
    namespace: str
    name: str
    labels: Mapping[str, str]
    fields: Mapping[str, str]

    @property
    def need(self) -> Need:
        """The one read that this does."""
        return Need("get" if self.name else "list", self.group, self.plural)

    def path(self, namespace: str) -> str:
        """Return the address of the objects in a namespace."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{root}/namespaces/{namespace}/{self.plural}"


def load(place: Place, given: Given) -> RemoteQuestion:
    """Read `objects`: their kind, `namespace`, `name` or `labels`, and `fields`. Raises DefinitionError."""
    objects = place.at("objects")
    objects.mapping(_KNOWN, frozenset({"version", "plural", "namespace", "fields"}))
    plural = _matching(objects.at("plural"), _PLURAL)
    if plural == "secrets":
        raise objects.at("plural").error("secrets are not read", "Ask for another kind of object.")
    plan = KubeQuestion(
        group="" if objects.at("group").data is None else _matching(objects.at("group"), _GROUP),
        version=_matching(objects.at("version"), _VERSION),
        plural=plural,
        namespace=objects.at("namespace").text(),
        name="" if objects.at("name").data is None else objects.at("name").text(),
        labels=_labels(objects.at("labels"), given),
        fields=_fields(objects.at("fields")),
    )
    if plan.name and plan.labels:
        raise objects.at("labels").error("an object is asked by name or by labels", "Take one of them out.")
    used = frozenset(filter(None, (plan.namespace, plan.name, *plan.labels.values())))
    for argument in sorted(used):
        remote.required(objects, argument, given)
    remote.all_used(place, used, given)
    shape: Shape = "one" if plan.name else "rows"
    return RemoteQuestion(plan, shape, remote.key(place, "object" if plan.name else plural))


def _matching(place: Place, pattern: re.Pattern[str]) -> str:
    text = place.text()
    if not pattern.fullmatch(text):
        raise place.error(
            f"{text!r} cannot be part of the API's address", "Write it as `kubectl api-resources`."
        )
    return text


def _labels(place: Place, given: Given) -> Mapping[str, str]:
    if place.data is None:
        return {}
    if not isinstance(place.data, Mapping):
        raise place.error("labels is not a mapping", "Write `labels: {LABEL: ARGUMENT}`.")
    for label in place.data:
        if not _LABEL_KEY.fullmatch(str(label)):
            raise place.at(label).error(f"{label!r} is no label", "Write it like app.kubernetes.io/name.")
    return {str(label): remote.argument(place.at(label), given) for label in place.data}


def _fields(place: Place) -> Mapping[str, str]:
    if not isinstance(place.data, Mapping) or not place.data:
        raise place.error("the tool keeps no field of the object", "Add `fields: {NAME: status.phase}`.")
    return {str(name): place.at(name).text() for name in place.data}


def object_name(argument: str, value: Any) -> str:
    """Return an argument as an object's name; raise ArgumentRefused for what is none."""
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ArgumentRefused(f"{argument} is no name of an object (lower-case letters, digits, - and .)")
    return value


def label_value(argument: str, value: Any) -> str:
    """Return an argument as a label's value; raise ArgumentRefused for what is none."""
    if not isinstance(value, str) or not _LABEL_VALUE.fullmatch(value):
        raise ArgumentRefused(f"{argument} is no label's value")
    return value
