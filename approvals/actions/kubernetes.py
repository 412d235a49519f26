"""The writes to clusters of Kubernetes, as the `kubernetes` part of the actions' file declares them."""

import ipaddress

from approvals.actions.kubernetes_cluster import DeploymentAction, Reach
from approvals.actions.rollout_restart import RolloutRestart
from approvals.actions.rollout_undo import RolloutUndo
from approvals.actions.scale import Scale
from approvals.states import Risk
from toolbox.connectors.addresses import Network
from toolbox.yamlfile import Place

_ACTIONS: dict[str, tuple[type[DeploymentAction], Risk]] = {
    "rollout_undo": (RolloutUndo, Risk.HIGH),
    "scale": (Scale, Risk.LOW),
    "rollout_restart": (RolloutRestart, Risk.LOW),
}
_NEEDED = frozenset({"credential", "namespaces", "tool", "actions"})
_KEYS = _NEEDED | {"deployments", "networks", "seconds", "settle_seconds"}


def declared(place: Place) -> tuple[DeploymentAction, ...]:
    """Read the `kubernetes` part of the actions' file: one cluster, its credential, its actions.

    Raises DefinitionError.
    """
    place.mapping(_KEYS, _NEEDED)
    reach = Reach(
        credential=place.at("credential").text(),
        namespaces=_names(place.at("namespaces")),
        names=_names(place.at("deployments")) if place.at("deployments").data is not None else (),
        tool=place.at("tool").text(),
        networks=_networks(place.at("networks")),
        seconds=_seconds(place.at("seconds"), 10.0, 30.0),
        settle_seconds=_seconds(place.at("settle_seconds"), 60.0, 900.0),
    )
    wanted = place.at("actions").mapping(frozenset(_ACTIONS))
    if not wanted:
        raise place.at("actions").error("no action is named", f"Name some of {', '.join(_ACTIONS)}.")
    return tuple(_action(place.at("actions").at(name), name, reach) for name in wanted)


def _action(place: Place, name: str, reach: Reach) -> DeploymentAction:
    kind, least = _ACTIONS[name]
    if place.data not in list(Risk):
        raise place.error(f"its risk is {place.data!r}", "Use low or high.")
    if least is Risk.HIGH and place.data != Risk.HIGH:
        raise place.error(f"{name} is never of low risk: it runs other code", "Write high.")
    return kind(reach, Risk(place.data))


def _names(place: Place) -> tuple[str, ...]:
    """A pattern would be a reach that nobody reads; the API knows none either."""
    found = []
    for each in place.items():
        text = each.text()
        if not text.replace("-", "").isalnum() or text != text.lower() or not text.isascii():
            raise each.error(f"{text!r} is no name of an object", "Name each one; there are no wildcards.")
        found.append(text)
    return tuple(found)


def _seconds(place: Place, usual: float, most: float) -> float:
    if place.data is None:
        return usual
    is_number = isinstance(place.data, int | float) and not isinstance(place.data, bool)
    if not is_number or not 0 <= place.data <= most:
        raise place.error(f"{place.data!r} are no seconds", f"Use a number up to {most:g}.")
    return float(place.data)


def _networks(place: Place) -> tuple[Network, ...]:
    if place.data is None:
        return ()
    try:
        return tuple(ipaddress.ip_network(each.text()) for each in place.items())
    except ValueError as error:
        raise place.error(str(error), "Write networks like 10.0.0.0/8.") from None
