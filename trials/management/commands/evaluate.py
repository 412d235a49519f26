"""`manage.py evaluate SET --endpoint NAME -n 5`: run the agent again on past incidents and measure it."""

import getpass
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from investigations import endpoints, rulebook, terms
from investigations.named import Endpoint
from investigations.talk import EndpointRefused
from trials import files, queries
from trials.evaluating import cases, driving, planning, processes, telling
from trials.evaluating.bar import Bar
from trials.evaluating.driving import BeingRun
from trials.evaluating.estimating import Estimate, estimate
from trials.evaluating.planning import Wanted
from trials.evaluating.purse import CapUnusable, cap_of
from trials.evaluating.sets import SetUnknown, chosen
from trials.handover import afterwards
from trials.handover.sdk import HandoverFailed
from trials.models import Evaluation
from trials.queries import NoSuchEvaluation
from trials.sending import NobodyWorks, over_workers
from trials.states import Stopped

_MOST_RUNS = 100
_MOST_AT_ONCE = 64
_LEFT_OUT_SHOWN = 5
STOPPED = 3  # the exit code of an evaluation that ended before its last run


class Command(BaseCommand):
    """Plan an evaluation or go on with it, make its runs, print what is measured."""

    help = (
        "Run the agent again on past incidents, against the answers that were recorded then, and measure it. "
        "SET is `closed:` with any of rule=, since=, until=, kind=, source=, outcome=, most= behind it, or a "
        "folder of cases. The same command again goes on where a killed one stopped. Exit code: 0; 1 for "
        "what can't be run; 3 when it ended before its last run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what can be asked for."""
        parser.add_argument("set", nargs="*", metavar="SET")
        parser.add_argument("--endpoint", default=endpoints.DEFAULT, metavar="NAME")
        parser.add_argument("-n", "--runs", type=int, default=5, metavar="N", help="runs of each case")
        parser.add_argument(
            "--here", action="store_true", help="make the runs here, instead of sending them to the workers"
        )
        parser.add_argument("-j", "--jobs", type=int, default=2, metavar="N", help="runs at the same time")
        parser.add_argument(
            "--live", action="store_true", help="send calls that were never recorded to the live tools"
        )
        parser.add_argument("--cap", metavar="MONEY", help="the most that may be spent, in all")
        parser.add_argument("--yes", action="store_true", help="do not ask whether to begin")
        parser.add_argument("--new", action="store_true", help="begin anew instead of going on")
        parser.add_argument("--show", type=int, metavar="NUMBER", help="print an evaluation; run nothing")
        parser.add_argument("--send", type=int, metavar="NUMBER", help="send an evaluation to Langfuse")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the measures")
        parser.add_argument("--csv", type=Path, metavar="FILE", help="write a row for each run")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print line by line. Raises CommandError with a sentence, and with its code where it was stopped."""
        if options["show"] is not None:
            self._tell(options["show"], options)
            return
        if options["send"] is not None:
            self._send(options["send"])
            return
        evaluation = self._planned(options)
        self._drive(evaluation, options)
        self._tell(evaluation.pk, options)
        if told := afterwards.send_apart(evaluation.pk):
            self.stdout.write(told)
        now = driving.stand(evaluation.pk)
        if now.unfinished:
            why = now.note or f"{now.unfinished} runs were not made."
            raise CommandError(f"{why} The same command goes on with it.", returncode=STOPPED)

    def _planned(self, options: dict[str, Any]) -> Evaluation:
        text = " ".join(options["set"])
        _refuse_numbers(options)
        try:
            place = endpoints.endpoint_named(options["endpoint"])
            _refuse_unusable(place)
            cap = cap_of(options["cap"], place)
            book = rulebook.current_rulebook()
            found = cases.find(chosen(text), book)
        except (CapUnusable, SetUnknown, EndpointRefused) as error:
            raise CommandError(str(error)) from None
        self._say_left_out(found.left_out)
        if not found.cases:
            raise CommandError(f"The set {text!r} holds no case that can be run.")
        wanted = Wanted(
            text, place.name, options["runs"], options["live"], cap, f"command:{getpass.getuser()}"
        )
        self._agree(estimate(place, len(found.cases) * options["runs"]), cap, options)
        evaluation, is_old = planning.planned(wanted, found, book, anew=options["new"])
        went_on = f", going on with {planning.unfinished(evaluation)} runs" if is_old else ""
        self.stdout.write(
            f"Evaluation {evaluation.pk}: {len(found.cases)} cases, {options['runs']} runs of each through "
            f"{place.name} ({place.model}){went_on}."
        )
        return evaluation

    def _say_left_out(self, sentences: list[str]) -> None:
        for sentence in sentences[:_LEFT_OUT_SHOWN]:
            self.stdout.write(sentence)
        if len(sentences) > _LEFT_OUT_SHOWN:
            self.stdout.write(f"{len(sentences) - _LEFT_OUT_SHOWN} more were left out.")

    def _agree(self, cost: Estimate, cap: int | None, options: dict[str, Any]) -> None:
        """Say what it will cost, and let a person agree where money is spent. Raises CommandError."""
        self.stdout.write(_in_words(cost, cap))
        if cost.is_free or options["yes"]:
            return
        if not sys.stdin.isatty():
            raise CommandError("This spends money. Say that it may: --yes, and --cap for the most.")
        if input("Begin? [y/N] ").strip().lower() not in ("y", "yes"):
            raise CommandError("Not begun.")

    def _drive(self, evaluation: Evaluation, options: dict[str, Any]) -> None:
        bar = Bar(self.stderr, is_terminal=self.stderr.isatty())
        number, jobs = evaluation.pk, options["jobs"]
        try:
            with driving.driven(number):
                if not options["here"]:
                    over_workers(number, jobs, bar)
                elif jobs == 1:
                    driving.in_this_process(number, bar)
                else:
                    processes.in_processes(number, jobs, bar)
        except BeingRun as error:
            raise CommandError(str(error)) from None
        except NobodyWorks as error:
            driving.stop(number, Stopped.INTERRUPTED, str(error))
        except KeyboardInterrupt:
            driving.stop(number, Stopped.INTERRUPTED, "It was interrupted.")
        finally:
            bar.close()

    def _send(self, number: int) -> None:
        try:
            self.stdout.write(afterwards.send(number))
        except HandoverFailed as failed:
            raise CommandError(str(failed)) from None

    def _tell(self, number: int, options: dict[str, Any]) -> None:
        try:
            self.stdout.write(telling.report(queries.measured(number)))
            for name, text in (("json", files.as_json), ("csv", files.as_csv)):
                if options[name] is not None:
                    files.written(options[name], text(number))
        except NoSuchEvaluation as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"The file can't be written: {error}") from None


def _refuse_numbers(options: dict[str, Any]) -> None:
    for name, most in (("runs", _MOST_RUNS), ("jobs", _MOST_AT_ONCE)):
        if not 1 <= options[name] <= most:
            raise CommandError(f"{options[name]} {name} can't be made. Give a number from 1 to {most}.")


def _refuse_unusable(place: Endpoint) -> None:
    if obstacle := terms.obstacle(place.host, is_local=place.is_local):
        raise EndpointRefused(f"The model endpoint {place.name} may not be used: {obstacle}.")


def _in_words(cost: Estimate, cap: int | None) -> str:
    if cost.is_free:
        return f"{cost.runs} runs, for which nothing is paid: the endpoint has no prices."
    about = "" if cost.micros is None else f" about {_money(cost.micros)} and {cost.tokens} tokens,"
    most = cost.most_micros
    at_most = "with no limit to the cost of a run" if most is None else f"at most {_money(most)}"
    capped = "" if cap is None else f" It ends at a cap of {_money(cap)}."
    return f"{cost.runs} runs:{about} {at_most} (going by {cost.basis}).{capped}"


def _money(micros: int) -> str:
    return f"{micros / 1e6:.2f} in money"
