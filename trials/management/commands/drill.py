"""`manage.py drill`: the same golden rows through two endpoints, changing nothing but the endpoint."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from django.utils import timezone

from investigations import endpoints
from investigations.classification import CURRENT, ContractUnknown, contract
from investigations.named import Endpoint
from investigations.talk import EndpointRefused
from trials.drills import baselines, booking, deciding, running, telling
from trials.drills.baselines import BaselineRefused
from trials.drills.deciding import Found
from trials.drills.plan import Plan
from trials.drills.policy import Outcome, PolicyUnusable
from trials.drills.running import DrillCapped, DrillStopped, How
from trials.drills.spending import Spending
from trials.evaluating.purse import CapUnusable, cap_of
from trials.golden import opening
from trials.golden.opening import GoldenRefused
from trials.models import Drill, DrillRun

_CODES = {Outcome.PROMOTE: 0, Outcome.STOP: 3, Outcome.HOLD: 4, Outcome.TOO_FEW: 5}
_TELL_EVERY = 10


class Command(BaseCommand):
    """Run both sides, write a CSV for each, compare them row by row, and say what may be said."""

    help = "Send a golden set through two model endpoints and compare them row by row"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("--golden", required=True, help="a file of JSON lines, or a stored set's name")
        parser.add_argument(
            "--baseline",
            required=True,
            help=f"an endpoint, a stored run, a run's CSV, or `{baselines.LAST}` for the last promoted run",
        )
        parser.add_argument("--candidate", required=True, help="the endpoint that may take its place")
        parser.add_argument("--contract", default=CURRENT, help="the version of the contract")
        parser.add_argument("--times", type=int, default=1, help="how often each row is asked (3: pass^3)")
        parser.add_argument("--at-once", type=int, default=1, help="how many rows are asked at once")
        parser.add_argument("--cap", metavar="MONEY", help="the most that may be spent, on both runs in all")
        parser.add_argument("--out", default=settings.DRILLS_FOLDER, help="the folder of the CSVs")
        parser.add_argument("--by", default="command", help="who asks for it, as the record names them")
        parser.add_argument(
            "--ci",
            action="store_true",
            help="exit with 0 for promote, 3 stop, 4 hold, 5 too few cases; 1 is an error",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it; raise CommandError with what to do where it cannot be done."""
        try:
            drill = self._drill(options)
        except DrillCapped as capped:
            raise CommandError(f"--cap: {capped} The same command with a higher one goes on.") from None
        except (
            BaselineRefused,
            CapUnusable,
            ContractUnknown,
            DrillStopped,
            EndpointRefused,
            GoldenRefused,
            PolicyUnusable,
        ) as refused:
            raise CommandError(str(refused)) from None
        except OSError as error:
            raise CommandError(f"{options['out']}: the CSV cannot be written there ({error}).") from None
        found = deciding.found_of(drill)
        self._tell(drill, found)
        if options["ci"] and (code := _CODES[found.decision.outcome]):
            raise SystemExit(code)

    def _drill(self, options: dict[str, Any]) -> Drill:
        if options["times"] < 1 or not 1 <= options["at_once"] <= 64:
            raise CommandError("--times is 1 or more, --at-once 1 to 64.")
        bound = contract(options["contract"])
        by = deciding.policy_of(bound)
        golden = opening.opened(options["golden"], bound.labels)
        for caution in golden.cautions:
            self.stderr.write(self.style.WARNING(caution))
        plan = Plan(options["golden"], golden.rows, bound, options["times"])
        # Both are looked at before a model is asked: a misspelt name costs nothing.
        candidate = endpoints.endpoint_named(options["candidate"])
        baseline = self._baseline(plan, options)
        asked = [candidate, *([endpoints.endpoint_named(baseline)] if isinstance(baseline, str) else [])]
        options["spending"] = Spending(_cap(options["cap"], asked))
        if isinstance(baseline, str):
            baseline = self._run(plan, baseline, options)
        runs = (baseline, self._run(plan, candidate.name, options))
        return deciding.record(plan, runs, by, asked_by=options["by"], now=timezone.now())

    def _baseline(self, plan: Plan, options: dict[str, Any]) -> DrillRun | str:
        """Return the stored run that is compared with, or the name of an endpoint that has to be asked."""
        name = options["baseline"]
        if not baselines.is_endpoint(name):
            return baselines.stored(name, plan, by=options["by"], now=timezone.now())
        if name == options["candidate"]:
            raise CommandError(f"Both are the endpoint {name}: name two, or a stored run as the baseline.")
        return endpoints.endpoint_named(name).name

    def _run(self, plan: Plan, name: str, options: dict[str, Any]) -> DrillRun:
        def told(run: DrillRun, done: int) -> None:
            if done % _TELL_EVERY == 0 or done == plan.size:
                self.stdout.write(f"  {run.endpoint}: {done} of {plan.size}")
                self.stdout.flush()

        how = How(Path(options["out"]), options["at_once"], told, options["spending"])
        run = running.run_through(plan, endpoints.endpoint_named(name), how, by=options["by"])
        self.stdout.write(f"{name}: {booking.File(how.folder, run).path}")
        return run

    def _tell(self, drill: Drill, found: Found) -> None:
        unread = deciding.unread(drill, found)
        page = f"{settings.BASE_URL}{reverse('drill_review', args=[drill.pk])}"
        link = f"{page} (or manage.py drillreview {drill.pk} --by USERNAME)"
        if unread:
            lines = list(telling.locked(found.comparison, unread=len(unread), link=link))
        else:
            lines = list(telling.whole(found.comparison, found.decision, found.policy, found.patterns))
        self.stdout.write("\n".join(["", f"Drill {drill.pk}", *lines]))


def _cap(text: str | None, places: Sequence[Endpoint]) -> int | None:
    """Return the cap in millionths; a server of one's own costs nothing beside one that has prices."""
    paid = [each for each in places if not each.is_local or each.prices.micros_in or each.prices.micros_out]
    caps = [cap_of(text, each) for each in paid or places]
    return caps[0]
