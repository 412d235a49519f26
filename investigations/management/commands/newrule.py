"""`newrule`: write the beginning of a rule and of its cases, and say what to do next."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from investigations.examples import example_of, example_question
from investigations.rulebook import loaded_rulebook
from toolbox import registry
from toolbox.definitions import ToolDefinition
from toolbox.yamlfile import DefinitionError
from verdicts.loading import cases_of
from verdicts.packs import PackMissing, folder_of
from verdicts.rule import KINDS
from verdicts.skeleton import About, Asked, NameRefused, Skeleton, skeleton

_STARTED_AT, _CALLED_AT, _JUDGED_AT = (f"2026-07-01T10:{minute}Z" for minute in ("00:00", "20:00", "20:05"))


class Command(BaseCommand):
    """Writes NAME.py and NAME.cases.json: `newrule printer_is_back --folder rules --tool find_job`."""

    help = "Write the beginning of a rule and of its cases, and say what to do next."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("name", help="what happened, in small letters: printer_is_back")
        parser.add_argument("--folder", default="", help="where to write it (the first of TRIAGE_RULES)")
        parser.add_argument("--kind", choices=sorted(KINDS), default="alert", help="what the rule is for")
        parser.add_argument(
            "--tool", action="append", default=[], metavar="TOOL", help="a tool to ask; may be given again"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write both files; raise CommandError with what to do where that cannot be."""
        name = options["name"]
        try:
            text = _skeleton(name, options["kind"], options["tool"])
            folder = _folder(options["folder"])
            path = folder / f"{name}.py"
            _refuse_existing(name, path)
        except (NameRefused, PackMissing, DefinitionError) as error:
            raise CommandError(str(error)) from error
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for file, content in ((path, text.source), (cases_of(path), text.cases)):
                with file.open("x", encoding="utf-8") as opened:
                    opened.write(content)
        except OSError as error:
            raise CommandError(f"{folder} can't be written: {error}.") from error
        self.stdout.write(_next(path, bool(options["tool"])))


def _skeleton(name: str, kind: str, tools: list[str]) -> Skeleton:
    known = registry.current().definitions
    for tool in tools:
        if tool not in known:
            listed = ", ".join(known) or "none: set TRIAGE_TOOLS and TRIAGE_CONNECTORS"
            raise CommandError(f"no connector here offers the tool {tool}. Loaded are {listed}.")
    asked = [_asked(known[tool]) for tool in tools] or [
        Asked("name_of_a_tool", {}, {"state": "text"}, _CALLED_AT)
    ]
    identifiers = {
        name: value
        for one in asked
        for name, value in one.arguments.items()
        if isinstance(value, str) and value != _STARTED_AT
    }
    label = {"alertname": "NameOfTheAlert"} if kind == "alert" else {"about": "delivery"}
    about = About(kind, _STARTED_AT, _JUDGED_AT, identifiers=identifiers, labels=label)
    return skeleton(name, about, asked)


def _asked(tool: ToolDefinition) -> Asked:
    return Asked(
        tool.name,
        example_question(tool.input, moment=_STARTED_AT),
        example_of(tool.output, moment="2026-07-01T10:12:00Z"),
        _CALLED_AT,
    )


def _folder(named: str) -> Path:
    if named:
        return Path(named).expanduser().absolute()
    if not settings.TRIAGE_RULES:
        raise CommandError(
            "there is no folder to write to: name one with --folder, outside of Assay's own. TRIAGE_RULES "
            "names the folders whose rules are loaded, and is empty."
        )
    return folder_of(settings.TRIAGE_RULES[0])


def _refuse_existing(name: str, path: Path) -> None:
    rulebook = loaded_rulebook()
    for taken in (path, cases_of(path)):
        if taken.exists():
            raise CommandError(f"{taken} exists, and nothing was written. Choose another name, or edit it.")
    if name in rulebook.rules or name in rulebook.broken:
        raise CommandError(
            f"there is a rule {name} already, and two of one name both earn nothing. Choose another name."
        )


def _next(path: Path, has_tools: bool) -> str:
    folder = path.parent
    loaded = any(_is_same(pack, folder) for pack in settings.TRIAGE_RULES)
    steps = [
        f"Write in {path.name} what must be so: its sentence, what it applies to, a check for each fact.",
        f"Make the four cases in {cases_of(path).name} true, and add one for each edge and each trap.",
        f"Prove it until nothing is found: manage.py proverules {folder}",
        "Restart the web process and the workers; the rules page then shows it."
        if loaded
        else f"Add {folder} to TRIAGE_RULES, and restart the web process and the workers.",
    ]
    if not has_tools:
        steps.insert(0, "Name the tool that each fact asks (manage.py newrule --tool NAME fills it in).")
    told = "\n".join(f"  {number}. {step}" for number, step in enumerate(steps, start=1))
    return f"Wrote {path} and {cases_of(path).name}. Until it is finished it earns nothing. Next:\n{told}"


def _is_same(pack: Path | str, folder: Path) -> bool:
    try:
        return folder_of(pack) == folder.resolve()
    except PackMissing:
        return False
