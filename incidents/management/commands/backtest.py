"""`manage.py backtest [--rules PATH] [--since DATE]`: what other rules would have said of every incident."""

import os
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from assay_core.instants import NotAnInstant, typed
from incidents.backtesting import Judged, backtest
from investigations import rulebook
from toolbox import registry
from verdicts.comparison import Ending
from verdicts.loading import load_rulebook
from verdicts.packs import folders_of
from verdicts.rulebook import Rulebook

FAIL_ON = ("false-pass", "false-fail", "flip")
_MOST_PROCESSES = 4


class Command(BaseCommand):
    """Judge again, list every flip beside what people decided, and sum up."""

    help = (
        "Judge every stored incident again from its recorded entries, by the rules in force or others, and "
        "list each verdict that flips beside what people decided. Nothing is stored. Exit code: 0; 1 when "
        "something of --fail-on was found; 2 when --fail-on was given and a stored case can't be read."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the rules, the time and what is not to be."""
        parser.add_argument(
            "--rules", action="append", default=[], metavar="PATH",
            help="a folder or package of rules, instead of those in force; may be given again for more",
        )  # fmt: skip
        parser.add_argument("--since", type=_moment, metavar="DATE", help="only verdicts from this time on")
        parser.add_argument("--fail-on", action="append", default=[], choices=FAIL_ON)
        parser.add_argument(
            "--processes", type=int, default=min(_MOST_PROCESSES, os.cpu_count() or 1), metavar="N"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print line by line; SystemExit with the code for CI."""
        book = _rules(options["rules"])
        self.stdout.write(f"{len(book.rules)} rules ({book.digest[:12]}).")
        for name, why in sorted(book.broken.items()):
            self.stdout.write(f"not loaded   the rule {name}: {why}")
        counts: Counter[str] = Counter()
        began = time.monotonic()
        for part in backtest(book, since=options["since"], processes=options["processes"]):
            counts += part.counts
            counts["unreadable"] += len(part.unreadable)
            for sentence in part.unreadable:
                self.stdout.write(f"unreadable   {sentence}")
            for each in part.shown:
                counts["flip"] += each.is_flip
                self.stdout.write(_line(each))
        self.stdout.write(_summary(counts, time.monotonic() - began))
        code = _code(counts, options["fail_on"])
        if code:
            sys.exit(code)


def _rules(paths: list[str]) -> Rulebook:
    """Return the rules in force, or those of the paths with the tools and suspensions in force."""
    now = rulebook.current_rulebook()
    if not paths:
        return now
    folders, missing = folders_of(paths)
    if missing:
        raise CommandError(" ".join(missing.values()))
    return replace(load_rulebook(folders, registry.current().shapes()), suspended=now.suspended)


def _line(each: Judged) -> str:
    was, now = _word(each.passed), _word(each.now_passes)
    mark = each.ending if each.ending in (Ending.FALSE_PASS, Ending.FALSE_FAIL) else "flip"
    change = f"{was} became {now}" if each.is_flip else f"still {now}"
    closed = f"closed as {each.outcome!r} by {each.by}" if each.outcome else "not closed"
    by = f" by {each.decided_by}" if each.decided_by else ""
    return f"{mark:<12} incident {each.incident}: {change} of {each.hypothesis}{by}; {closed}. {each.reason}"


def _summary(counts: Counter[str], seconds: float) -> str:
    said = ", ".join(f"{counts[each]} {each}" for each in Ending)
    return (
        f"{counts['judged']} incidents judged again in {seconds:.1f} s: {counts['flip']} flips; {said}; "
        f"{counts['unreadable']} unreadable."
    )


def _code(counts: Counter[str], fail_on: list[str]) -> int:
    if fail_on and counts["unreadable"]:
        return 2
    found = {
        "false-pass": counts[Ending.FALSE_PASS],
        "false-fail": counts[Ending.FALSE_FAIL],
        "flip": counts["flip"],
    }
    return int(any(found[name] for name in fail_on))


def _word(passed: bool) -> str:
    return "pass" if passed else "fail"


def _moment(text: str) -> datetime:
    try:
        return typed(text)
    except NotAnInstant:
        raise ArgumentTypeError(f"{text!r} is no date: write 2026-07-01, or a time with its zone") from None
