"""The tools that a model is offered: those that it may ask now, as it is shown them."""

from collections.abc import Mapping

from investigations.marking import inert
from investigations.talk import ToolOffer
from toolbox import acknowledgements, proofs, registry, toolrules
from toolbox.definitions import ToolDefinition


def offers(caller: str, *, is_recorded: bool = False) -> tuple[ToolOffer, ...]:
    """Return the tools in the order of their names. One that would be refused anyway is not offered.

    `is_recorded`: answers come from a record, so that no credential has to be proven for them.
    """
    standing, loaded = toolrules.standing(), registry.current().definitions
    return tuple(
        ToolOffer(name, inert(f"{each.title}. {each.description}"), each.input)
        for name, each in sorted(loaded.items())
        if not standing.hides(name, caller) and (is_recorded or not _is_refused(each))
    )


def hints() -> Mapping[str, tuple[str, ...]]:
    """Return the fields of each tool's results that readers are not shown."""
    return {name: tuple(each.redact) for name, each in registry.current().definitions.items()}


def _is_refused(definition: ToolDefinition) -> bool:
    connector = registry.current().connectors[definition.connector]
    return proofs.is_refused(connector) or bool(acknowledgements.obstacle(definition))
