"""`manage.py toolrules`: what administrators decided about tools, made and ended from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.models import User
from toolbox import registry, toolrules
from toolbox.models import Effect, ToolRule
from toolbox.toolrules import ToolRuleRefused, Wanted


class Command(BaseCommand):
    """List, make and end tool rules. Whoever makes or ends one is an administrator, by name."""

    help = "List tool rules, deny or pause tools, have calls allowed by a person, or end a rule"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One sub-command for each thing to do."""
        commands = parser.add_subparsers(dest="what", required=True)
        listing = commands.add_parser("list", help="the rules that stand")
        listing.add_argument("--ended", action="store_true", help="those that ended instead")
        for effect, words in (
            (Effect.DENY, "refuse calls, whatever allows them"),
            (Effect.ASK, "let a person allow each call"),
        ):
            one = commands.add_parser(effect.value, help=words)
            one.add_argument("tool", help="a tool's name; * and ? stand for any letters")
            one.add_argument(
                "--caller", default="*", help="such as token:* or model*; everybody when left out"
            )
            one.add_argument(
                "--argument", action="append", default=[], metavar="NAME=PATTERN", help="may be given again"
            )
            _signed(one)
        pause = commands.add_parser("pause", help="switch a tool off for everybody")
        pause.add_argument("tool")
        _signed(pause)
        resume = commands.add_parser("resume", help="switch a paused tool on again")
        resume.add_argument("tool")
        _signed(resume)
        end = commands.add_parser("end", help="end a rule")
        end.add_argument("number", type=int)
        _signed(end)

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it and say what stands now."""
        if options["what"] == "list":
            self._list(ended=options["ended"])
            return
        by = User.objects.filter(username=options["by"]).first()
        if by is None:
            raise CommandError(f"There is no person {options['by']!r}. Name an administrator with --by.")
        try:
            rule = _done(options, by)
        except ToolRuleRefused as refusal:
            raise CommandError(str(refusal)) from None
        ended = f", ended by {rule.ended_by}" if rule.ended_at else ""
        self.stdout.write(f"{_line(rule)}{ended}")
        idle = "" if rule.ended_at else toolrules.idle(rule, registry.current().inputs())
        if idle:
            self.stderr.write(idle)

    def _list(self, *, ended: bool) -> None:
        rows = list(toolrules.listed(ended=ended)[:500])
        for rule in rows:
            self.stdout.write(_line(rule))
        if not rows:
            self.stdout.write("None has ended." if ended else "No tool rule stands.")


def _signed(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--because", required=True, help="the reason: callers read it, the audit log keeps it"
    )
    parser.add_argument("--by", required=True, metavar="NAME", help="the administrator who decides it")


def _done(options: dict[str, Any], by: User) -> ToolRule:
    what, because, now = options["what"], options["because"], timezone.now()
    if what == "end":
        return toolrules.end(options["number"], by=by, because=because, now=now)
    if what == "resume":
        return toolrules.resume(options["tool"], by=by, because=because, now=now)
    wanted = Wanted(
        what,
        options["tool"],
        because,
        caller=options.get("caller", "*"),
        arguments=_arguments(options.get("argument", [])),
    )
    return toolrules.make(wanted, by=by, now=now)


def _arguments(given: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    for name, separator, _ in pairs:
        if not (name and separator):
            raise ToolRuleRefused("--argument: write NAME=PATTERN, such as order_id=ORD-9*.")
    return {name: pattern for name, _, pattern in pairs}


def _line(rule: ToolRule) -> str:
    arguments = ", ".join(f"{name}={pattern}" for name, pattern in rule.arguments.items())
    with_arguments = f" with {arguments}" if arguments else ""
    what = f"{rule.effect} {rule.tool} for {rule.caller}{with_arguments}"
    return f"{rule.pk}: {what}: {rule.because} ({rule.made_by})"
