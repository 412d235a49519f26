"""A question to something that answers over HTTP, and the parts that all such questions are declared with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from assay_core.instants import NotAnInstant, as_text, from_text
from toolbox import querytext
from toolbox.querytext import ArgumentRefused, QueryRefused, QueryText

if TYPE_CHECKING:
    from toolbox.yamlfile import Place

Given = Mapping[str, Any]
C = TypeVar("C", bound=str)


@dataclass(frozen=True, slots=True)
class Window:
    """The arguments that hold the window's edges; `until` may be left out by the caller, `since` may not."""

    since: str
    until: str

    def edges(self, arguments: Mapping[str, Any], called_at: datetime) -> tuple[datetime, datetime]:
        """Return the window that is searched: it ends at the call at the latest. Raises ArgumentRefused."""
        try:
            since = from_text(arguments[self.since])
            asked = arguments.get(self.until)
            until = min(from_text(asked), called_at) if asked is not None else called_at
        except (NotAnInstant, TypeError, KeyError) as error:
            raise ArgumentRefused(f"the window cannot be read: {error}") from None
        if since >= until:
            raise ArgumentRefused(
                f"the window begins at {as_text(since)}, not before its end {as_text(until)}"
            )
        return since, until

    @property
    def names(self) -> frozenset[str]:
        """The arguments that it uses."""
        return frozenset({self.since, self.until})


@dataclass(frozen=True, slots=True)
class RemoteQuestion:
    """One question. `plan` is what its connector reads; `window` is what the answer can cover."""

    plan: Any
    shape: Literal["one", "rows", "log"]
    key: str
    window: Window | None = None


Loader = Callable[["Place", Given], RemoteQuestion]


def window(place: "Place", given: Given) -> Window:
    """Read `{since: ARGUMENT, until: ARGUMENT}`; raise DefinitionError."""
    place.mapping(frozenset({"since", "until"}), frozenset({"since", "until"}))
    since, until = time_argument(place.at("since"), given), time_argument(place.at("until"), given)
    if since not in given.get("required", ()):
        raise place.at("since").error(
            "the window's since may be left out", f"Add {since} to the input's `required`."
        )
    return Window(since, until)


def argument(place: "Place", given: Given) -> str:
    """Read the name of a declared argument; raise DefinitionError."""
    name = place.text()
    if name not in given["properties"]:
        raise place.error(f"{name!r} is not declared as input", "Add it to the input's properties.")
    return name


def time_argument(place: "Place", given: Given) -> str:
    """Read the name of an argument that holds a time; raise DefinitionError."""
    name = argument(place, given)
    if given["properties"][name].get("format") != "date-time":
        raise place.error(f"{name} is not a time", f"Declare {name} with `type: string, format: date-time`.")
    return name


def query(place: "Place", given: Given) -> QueryText:
    """Read a query text whose placeholders are declared arguments; raise DefinitionError."""
    try:
        found = querytext.parse(place.text())
    except QueryRefused as error:
        raise place.error(f"{place.path[-1]} cannot be used", f"{error}.") from None
    for name in sorted(found.names):
        required(place, name, given)
    return found


def required(place: "Place", name: str, given: Given) -> None:
    """Raise DefinitionError unless the argument is declared and always there."""
    if name not in given["properties"]:
        raise place.error(f"%({name})s is not declared as input", "Add it to the input's properties.")
    if name not in given.get("required", ()):
        raise place.error(f"%({name})s may be left out", f"Add {name} to the input's `required`.")


def all_used(place: "Place", used: frozenset[str], given: Given) -> None:
    """Raise DefinitionError for an argument that changes nothing."""
    for name in given["properties"]:
        if name not in used:
            raise (
                place.at("input")
                .at("properties")
                .at(name)
                .error(f"the argument {name} changes nothing", "Use it in the question, or remove it.")
            )


def whole_number(place: "Place", least: int, most: int) -> int:
    """Read a whole number within its bounds; raise DefinitionError."""
    value = place.data
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise place.error(f"{place.path[-1]} is {value!r}", f"Use a whole number from {least} to {most}.")
    return value


def choice(place: "Place", words: tuple[C, ...], otherwise: C) -> C:
    """Read one of a few words, or take `otherwise` where nothing stands; raise DefinitionError."""
    if place.data is None:
        return otherwise
    for word in words:
        if place.data == word:
            return word
    raise place.error(f"{place.path[-1]} is {place.data!r}", f"Use one of {', '.join(words)}.")


def key(place: "Place", otherwise: str) -> str:
    """Read the name under which a result holds what was found."""
    return otherwise if place.at("key").data is None else place.at("key").text()
