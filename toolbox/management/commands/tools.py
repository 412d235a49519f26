"""`manage.py tools`: what may be asked, whether it works, and what changed in it."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.models import User
from assay_core.canonical import NotCanonical
from toolbox import acknowledgements, checking, gateway, registry
from toolbox.definitions import ToolDefinition
from toolbox.prooflog import AcknowledgementRefused
from toolbox.scope import CallScope
from toolbox.yamlfile import DefinitionError


class Command(BaseCommand):
    """List the tools, check them against their connectors, try one, acknowledge a changed one."""

    help = "List, check and try the tools; acknowledge a declaration that changed"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One sub-command for each thing to do."""
        commands = parser.add_subparsers(dest="what", required=True)
        commands.add_parser("list", help="every tool with its connector and digest")
        check = commands.add_parser("check", help="prove credentials, have each question read, not run")
        check.add_argument("names", nargs="*", metavar="NAME", help="all of them when left out")
        attempt = commands.add_parser("try", help="ask one tool, and print result, type, time and entry")
        attempt.add_argument("name")
        attempt.add_argument(
            "--arg", action="append", default=[], metavar="KEY=VALUE", help="may be given again"
        )
        attempt.add_argument("--by", default="", help="who asks, for the audit log")
        word = commands.add_parser("acknowledge", help="let a changed declaration be asked")
        word.add_argument("names", nargs="*", metavar="NAME")
        word.add_argument("--all", action="store_true", help="every one that waits")
        word.add_argument("--by", required=True, help="username of the administrator who has looked at it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it and print what came of it."""
        try:
            registry.current()
        except DefinitionError as error:
            raise CommandError(str(error)) from None
        act = {"list": self._list, "check": self._check, "try": self._try, "acknowledge": self._acknowledge}
        act[options["what"]](options)

    def _list(self, options: Mapping[str, Any]) -> None:
        waiting = {one.definition.name for one in acknowledgements.changed(_all())}
        for tool in _all():
            state = "changed, waits" if tool.name in waiting else "may be asked"
            self.stdout.write(
                f"{tool.name:<32} {tool.connector:<16} {tool.digest[:12]}  {state:<14}  {tool.title}"
            )

    def _check(self, options: Mapping[str, Any]) -> None:
        wrong = 0
        for line in checking.checked(registry.current(), options["names"]):
            wrong += not line.is_well
            self.stdout.write(f"{'ok     ' if line.is_well else 'FAILING'} {line.name:<32} {line.seen}")
        for one in acknowledgements.changed(_all()):
            self.stdout.write(f"\n{one.definition.name} has changed since it was acknowledged:")
            self.stdout.write(one.differences())
            self.stdout.write(
                f"To let it be asked: manage.py tools acknowledge {one.definition.name} --by NAME"
            )
        if wrong:
            raise CommandError(f"{wrong} of the above cannot be asked as they are.")

    def _try(self, options: Mapping[str, Any]) -> None:
        definition = registry.current().definitions.get(options["name"])
        if definition is None:
            raise CommandError(f"There is no tool named {options['name']!r}: see `manage.py tools list`.")
        arguments = dict(_argument(pair, definition) for pair in options["arg"])
        scope = CallScope(
            caller=f"command:{options['by'] or 'tools try'}", subject=_subject(definition, arguments)
        )
        called = gateway.call(definition.name, arguments, scope)
        took = (called.finished_at - called.called_at).total_seconds() * 1000
        self.stdout.write(json.dumps(called.result, indent=2, ensure_ascii=False))
        self.stdout.write(f"type     {called.status.value}")
        if called.reason:
            self.stdout.write(f"reason   {called.reason}")
        if called.covered:
            self.stdout.write(f"covered  {json.dumps(dict(called.covered), ensure_ascii=False)}")
        self.stdout.write(f"time     {took:.1f} ms")
        self.stdout.write(f"entry    {called.entry}")

    def _acknowledge(self, options: Mapping[str, Any]) -> None:
        by = User.objects.filter(username=options["by"]).first()
        if by is None:
            raise CommandError(f"There is no person {options['by']!r}. Name an administrator with --by.")
        if bool(options["names"]) == options["all"]:
            raise CommandError("Name the tools, or give --all.")
        chosen = _chosen(options["names"]) if options["names"] else _waiting()
        for definition in chosen:
            try:
                acknowledgements.acknowledge(definition, by=by, now=timezone.now())
            except AcknowledgementRefused as refusal:
                raise CommandError(str(refusal)) from None
            self.stdout.write(f"{definition.name} may be asked as it stands: {definition.digest[:12]}.")
        if not chosen:
            self.stdout.write("Nothing waits to be acknowledged.")


def _all() -> Iterable[ToolDefinition]:
    return registry.current().definitions.values()


def _waiting() -> list[ToolDefinition]:
    return [one.definition for one in acknowledgements.changed(_all())]


def _chosen(names: Iterable[str]) -> list[ToolDefinition]:
    definitions = registry.current().definitions
    for name in names:
        if name not in definitions:
            raise CommandError(f"There is no tool named {name!r}: see `manage.py tools list`.")
    return [definitions[name] for name in names]


def _subject(definition: ToolDefinition, arguments: Mapping[str, Any]) -> Mapping[str, str]:
    """Whoever has this command may ask about anybody: the subject is the one that is asked about."""
    return {
        identifier: str(arguments[argument])
        for argument, identifier in definition.scope.items()
        if argument in arguments
    }


def _argument(pair: str, definition: ToolDefinition) -> tuple[str, Any]:
    """Read KEY=VALUE. The value is a text where the tool declares one, else JSON."""
    name, separator, text = pair.partition("=")
    if not separator:
        raise CommandError(f"--arg {pair!r}: write it as KEY=VALUE.")
    declared = definition.input.get("properties", {}).get(name, {}).get("type", "string")
    if declared == "string" or ("string" in declared and not isinstance(declared, str)):
        return name, text
    try:
        return name, json.loads(text)
    except (ValueError, NotCanonical):
        raise CommandError(f"--arg {name}: {text!r} is not the JSON of a value of type {declared}.") from None
