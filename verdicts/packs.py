"""Rule packs: where a team keeps its own rules, as a folder or as an import path of an installed package."""

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path

from verdicts.attempt import attempt

_IMPORT_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
#: Marks what is inactive as a pack and not as a rule; no rule can have this name.
PACK = "pack "


class PackMissing(Exception):
    """A pack can't be found; the message is the sentence for people, with what to do."""


def folders_of(packs: Sequence[Path | str]) -> tuple[tuple[Path, ...], dict[str, str]]:
    """Return the folder of each pack, each once, and why the others have none, by `pack NAME`."""
    folders: dict[Path, None] = {}
    missing = {}
    for pack in packs:
        try:
            folders[folder_of(pack)] = None
        except PackMissing as error:
            missing[f"{PACK}{Path(pack).name}"] = str(error)
    return tuple(folders), missing


def folder_of(pack: Path | str) -> Path:
    """Return the folder that holds a pack's rules; raise PackMissing.

    What is a folder is taken as one. Anything else that reads like `package.module` is found as Python
    would import it, without running the module itself: the folder is the package's own.
    """
    folder = Path(pack).expanduser()
    if folder.is_dir():
        return folder.resolve()
    name = str(pack)
    if not _IMPORT_PATH.fullmatch(name):
        raise PackMissing(f"there is no folder {folder.absolute()}: make it, or correct TRIAGE_RULES.")
    spec, problem = attempt(importlib.util.find_spec, name)
    if problem and "ModuleNotFoundError" not in problem:
        raise PackMissing(f"{name} can't be imported: {problem}. Mend the package, or correct TRIAGE_RULES.")
    if spec is None:
        raise PackMissing(
            f"there is neither a folder {folder.absolute()} nor a package {name}: install the package where "
            "Assay runs, or correct TRIAGE_RULES."
        )
    return _folder(name, spec.submodule_search_locations, spec.origin if spec.has_location else None)


def _folder(name: str, places: Sequence[str] | None, origin: str | None) -> Path:
    """Return a package's own folder, or that in which a module's file lies."""
    found = [Path(place) for place in places or ()] or ([Path(origin).parent] if origin else [])
    for folder in found:
        if folder.is_dir():
            return folder.resolve()
    raise PackMissing(f"{name} has no folder of its own: a pack is a folder with rules and their cases.")
