"""`manage.py agentlimits`: the most that one run of a model can come to under the settings in force."""

from typing import Any

from django.core.management.base import BaseCommand

from investigations import agentlimits


class Command(BaseCommand):
    """Print the worst case of a run, part by part."""

    help = "Print the most calls, tokens and money that one run of a model can come to"

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        worst = agentlimits.current()
        self.stdout.write("The most that one run of a model can come to:")
        self.stdout.write(
            f"  {worst.turns} turns, {worst.calls} tool calls by models (AGENT_MAX_TURNS, AGENT_MAX_CALLS)"
        )
        for share in worst.shares:
            self.stdout.write(f"    {share.part}: {share.turns} turns, {share.calls} tool calls")
        self.stdout.write(
            f"  {worst.requests} requests to model servers, repetitions of failed ones included"
        )
        self.stdout.write(f"  {worst.code_calls} further tool calls by code (INVESTIGATION_MAX_CALLS)")
        self.stdout.write(f"  {worst.tokens} tokens, {worst.seconds} s")
        self.stdout.write(
            f"  {worst.cost.normalize():f} in the currency of the prices, bounded by {worst.bounds}"
        )
        for name in worst.unpriced:
            self.stdout.write(
                f"  No price is set for the {name}: LLM_PRICE_IN, LLM_PRICE_OUT. It counts as free."
            )
        if before := agentlimits.before():
            self.stdout.write(
                f"  An issue is classified first, on top of that: {before.turns} turns, "
                f"{before.requests} requests, {before.tokens} tokens, {before.cost.normalize():f}"
            )
