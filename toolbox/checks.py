"""Django's system checks of the toolbox: a file that cannot be used is found before anything is served."""

from typing import Any

from django.core.checks import CheckMessage, Error

from toolbox import registry
from toolbox.yamlfile import DefinitionError


def tools_load(**_: Any) -> list[CheckMessage]:
    """E001: a tool or connector file cannot be used."""
    try:
        registry.current()
    except DefinitionError as error:
        return [Error(f"{error.file}:{error.line}: {error.problem}.", hint=error.cure, id="toolbox.E001")]
    return []
