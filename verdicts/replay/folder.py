"""A folder of replays: its files, and the rulebook that judges them, from rules and the shapes of tools."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import verdicts
from assay_core.arguments import ToolShape
from assay_core.canonical import canonical
from verdicts.loading import load_rulebook
from verdicts.plain import CaseUnreadable
from verdicts.replay.file import Replay
from verdicts.replay.tools import FILE, read_tools, tool_to_plain
from verdicts.rulebook import Rulebook

SHIPPED = Path(verdicts.__file__).parent / "rules"


def replay_files(places: Iterable[Path]) -> tuple[Path, ...]:
    """Return the replay files of folders (their subfolders too) and those named themselves, sorted.

    Raises CaseUnreadable for a place that is not there.
    """
    found: set[str] = set()
    for place in places:
        if place.is_dir():
            found.update(_below(place))
        elif place.is_file():
            found.add(str(place))
        else:
            raise CaseUnreadable(str(place), "there is no such file or folder")
    return tuple([Path(name) for name in sorted(found)])


def _below(folder: Path) -> Iterator[str]:
    for inner, _, names in os.walk(folder):
        yield from (f"{inner}{os.sep}{name}" for name in names if name.endswith(".json") and name != FILE)


def read_replay(path: Path) -> Replay:
    """Read one file; raise CaseUnreadable naming the file."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 a third quicker than Path.read_bytes
            return Replay.from_text(file.read().decode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CaseUnreadable(str(path), f"can't be read: {error}") from error
    except CaseUnreadable as error:
        raise CaseUnreadable(str(path), f"does not load: {error}") from error


def known_tools(places: Iterable[Path]) -> dict[str, ToolShape]:
    """Return the tools of the `tools.json` that stand in the folders; raise CaseUnreadable."""
    found: dict[str, ToolShape] = {}
    for place in places:
        folder = place if place.is_dir() else place.parent
        if (folder / FILE).is_file():
            found |= read_tools(folder / FILE)
    return found


@dataclass(slots=True)
class Rulebooks:
    """The rules of some folders as rulebooks: for each replay the one that has its tools' own shapes.

    A replay keeps the forms of its tools as they were when they were asked, since its recorded arguments
    are in them. `tools` are those that no replay has to bring: a rule is in force once all its tools are
    known from either.
    """

    folders: Sequence[Path]
    tools: dict[str, ToolShape]
    _base: Rulebook | None = None
    _seen: dict[str, Rulebook] = field(default_factory=dict)

    @property
    def base(self) -> Rulebook:
        """The rules with the tools known so far; what can't be used stands in `broken`."""
        if self._base is None:
            self._base = load_rulebook(self.folders, self.tools)
        return self._base

    def judging(self, each: Replay) -> Rulebook:
        """Return the rulebook that judges one replay."""
        if not each.tools.keys() <= self.tools.keys():
            self.tools = {**each.tools, **self.tools}
            self._base = None
            self._seen.clear()
        if all(_is_alike(shape, self.tools[name]) for name, shape in each.tools.items()):
            return self.base
        shapes = {**self.tools, **each.tools}
        key = canonical({name: tool_to_plain(shape) for name, shape in shapes.items()})
        if key not in self._seen:
            self._seen[key] = replace(self.base, shapes=shapes)
        return self._seen[key]


def _is_alike(shape: ToolShape, other: ToolShape) -> bool:
    return shape is other or canonical(tool_to_plain(shape)) == canonical(tool_to_plain(other))
