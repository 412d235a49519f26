"""`demo`: seed the example shop's people and sources, post its deliveries, print how each was judged."""

import logging
import os
import sys
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from investigations import endpoints
from triage.demo import ended, example, posting, seeding, table


class Command(BaseCommand):
    """Started by the launcher, which gives it DEMO_SECRET and the world's *now*."""

    help = __doc__
    _shown, _shown_at = (-1, -1), 0.0
    _pause = 0.0

    def add_arguments(self, parser: CommandParser) -> None:
        """Where the web process answers, and what time it is in the example world."""
        parser.add_argument("--address", required=True)
        parser.add_argument("--now", required=True, type=datetime.fromisoformat)
        parser.add_argument("--no-deliveries", action="store_true", help="seed people and sources only")
        parser.add_argument("--seconds", type=float, default=0, help="how long to wait for the verdicts")

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit code 1 when an example did not end as expected; CommandError when the demo can't go on.

        Where a model gathers, each may fail; what may not happen is a pass that should be none.
        """
        self._pause = 0.0 if sys.stdout.isatty() else 2.0
        logging.getLogger("httpx").setLevel(logging.WARNING)
        key = os.environ.get("DEMO_SECRET")
        if not key:
            raise CommandError("DEMO_SECRET is not set: start this with `make demo`.")
        seeding.seed_people(example.people())
        seeding.seed_sources(example.sources(), key)
        seeding.acknowledge_tools()
        found: list[str] = []
        if not options["no_deliveries"]:
            found = self._play(key, options)
        self._sign_ins(options["address"])
        for sentence in found:
            self.stdout.write(self.style.ERROR(f"Not as expected: {sentence}"))
        if found:
            raise SystemExit(1)

    def _play(self, key: str, options: dict[str, Any]) -> list[str]:
        expected, postings = example.expectations(), example.postings(options["now"])
        try:
            posting.wait_for_web(options["address"], seconds=60)
            posted = posting.post_missing(postings, address=options["address"], key=key)
            self.stdout.write(
                f"  Posted {posted} example deliveries."
                if posted
                else "  The example deliveries were posted before; this is how they were judged."
            )
            posting.wait_until_judged(expected, seconds=options["seconds"] or _patience(), show=self._show)
        except posting.DemoFailed as failure:
            raise CommandError(str(failure)) from None
        incidents = posting.incidents(postings, expected)
        rows = [table.row_of(one, options["address"]) for one in incidents]
        self.stdout.write(f"\n{table.printed(rows)}")
        plain: list[Mapping[str, Any]] = [row.plain() for row in rows]
        if endpoints.investigator() == "model":
            found = self._judged_with_a_model(expected, plain)
            self.stdout.write(ended.told(incidents))
            return [*found, *ended.left_lying(incidents)]
        return example.differences(expected, plain)

    def _judged_with_a_model(
        self, expected: list[Mapping[str, Any]], rows: list[Mapping[str, Any]]
    ) -> list[str]:
        found = example.false_passes(expected, rows)
        earned = sum(row["passed"] for row in rows) - len(found)
        self.stdout.write(
            f"A model gathered. Of the {sum(want['passed'] for want in expected)} examples that the playbook "
            f"earns a pass for, {earned} passed; {len(found) or 'none'} passed that should not have."
        )
        return found

    def _show(self, judged: int, total: int) -> None:
        """Tell how many are judged: at once on a terminal, each two seconds elsewhere."""
        now = time.monotonic()
        is_last = judged >= total
        if (judged, total) == self._shown or not (is_last or now - self._shown_at >= self._pause):
            return
        self._shown, self._shown_at = (judged, total), now
        self.stdout.write(f"  Judged {judged} of {total}", ending="\n" if is_last or self._pause else "\r")
        self.stdout.flush()

    def _sign_ins(self, address: str) -> None:
        self.stdout.write(f"\nOpen {address} and sign in as one of:")
        for one in example.people():
            self.stdout.write(
                f"  {one['username']:<12} {one['password']:<28} {one['role']:<14} {one['full_name']}"
            )


def _patience() -> float:
    """Return how long to wait: a model on a small machine takes minutes for each incident."""
    return 4 * 3600.0 if endpoints.investigator() == "model" else 150.0
