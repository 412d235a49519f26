"""What a run may spend: turns, tool calls, tokens, money and time. It only shrinks. Pure but its clock."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from investigations.outcomes import BudgetSpent
from investigations.talk import Message, Model, Reply, Spent, ToolOffer

_MILLION = 1_000_000
# A token is at least one byte of text in every tokenizer in use, and about four of plain English. Between
# the two lies what JSON and code take; a little too much refuses an exchange, too little would overdraw.
_BYTES_A_TOKEN = 2.5


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a run may spend. A turn is one exchange with a model, whatever it is for."""

    turns: int
    calls: int
    tokens: int
    micros: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in millionths of the currency unit."""

    micros_in: int = 0
    micros_out: int = 0

    def of(self, tokens_in: int, tokens_out: int) -> Spent:
        """Return what an exchange of so many tokens costs, rounded up."""
        total = tokens_in * self.micros_in + tokens_out * self.micros_out
        return Spent(tokens_in, tokens_out, -(-total // _MILLION))


class Budget:
    """What is left to a run. Nothing makes it larger; safe to share between threads."""

    def __init__(self, limits: Limits, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._shared = _Shared(limits, clock)
        self._turns, self._calls = limits.turns, limits.calls
        self._lock = threading.Lock()

    @property
    def turns_left(self) -> int:
        """The exchanges that may still be made, as far as their number goes."""
        return self._turns

    @property
    def calls_left(self) -> int:
        """The tool calls that may still be made."""
        return self._calls

    @property
    def spent(self) -> Spent:
        """What the run has cost so far, the parts that were set aside included."""
        return self._shared.spent

    @property
    def seconds_left(self) -> float:
        """The time that is left, never below zero."""
        return self._shared.seconds_left

    def take_turn(self, worst: Spent) -> None:
        """Take one exchange that costs this at the most; raise BudgetSpent if it can't be."""
        with self._lock:
            if self._turns <= 0:
                raise BudgetSpent("The limit of turns with the model was reached (AGENT_MAX_TURNS).")
            self._shared.check(worst)
            self._turns -= 1

    def take_call(self) -> None:
        """Take one tool call; raise BudgetSpent when none is left, or no time."""
        with self._lock:
            if self._calls <= 0:
                raise BudgetSpent("The limit of tool calls was reached (AGENT_MAX_CALLS).")
            self._shared.check(Spent())
            self._calls -= 1

    def book(self, spent: Spent) -> None:
        """Count what an exchange has cost."""
        self._shared.book(spent)

    def shrink_to(self, *, turns: int, calls: int) -> None:
        """Lower what is left; larger numbers change nothing."""
        with self._lock:
            self._turns, self._calls = max(0, min(self._turns, turns)), max(0, min(self._calls, calls))

    def set_aside(self, *, turns: int, calls: int) -> "Budget":
        """Take turns and calls out for a later part of the run. Tokens, money and time stay shared."""
        with self._lock:
            apart = Budget.__new__(Budget)
            apart._shared, apart._lock = self._shared, threading.Lock()
            apart._turns, apart._calls = max(0, min(turns, self._turns)), max(0, min(calls, self._calls))
            self._turns -= apart._turns
            self._calls -= apart._calls
        return apart


def granted(most: int, *, keep: int, wishes: Sequence[int]) -> tuple[int, ...]:
    """Return what each part is given, in order, as long as `keep` of the whole is left to the loop."""
    left, given = max(0, most - keep), []
    for wish in wishes:
        given.append(min(wish, left))
        left -= given[-1]
    return tuple(given)


class _Shared:
    """Tokens, money and time: one purse for every part of a run."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self._limits, self._clock = limits, clock
        self._until = clock() + limits.seconds
        self._lock = threading.Lock()
        self.spent = Spent()

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._until - self._clock())

    def book(self, spent: Spent) -> None:
        with self._lock:
            self.spent = self.spent + spent

    def check(self, worst: Spent) -> None:
        after = self.spent + worst
        if after.tokens_in + after.tokens_out > self._limits.tokens:
            raise BudgetSpent("The next exchange could pass the limit of tokens (AGENT_MAX_TOKENS).")
        if after.micros > self._limits.micros:
            raise BudgetSpent("The next exchange could pass the limit of money (AGENT_MAX_COST).")
        if not self.seconds_left:
            raise BudgetSpent("The time of the run is over (AGENT_MAX_SECONDS).")


def tokens_of(text: str) -> int:
    """Return how many tokens a text takes at the most, as far as can be told without its tokenizer."""
    return int(len(text.encode("utf-8", "replace")) / _BYTES_A_TOKEN) + 1


def tokens_of_all(messages: Sequence[Message], tools: Sequence[ToolOffer] = ()) -> int:
    """Return how many tokens a whole request takes at the most."""
    said = sum(
        tokens_of(each.text) + 8 + sum(tokens_of(c.name + c.arguments) for c in each.calls)
        for each in messages
    )
    return said + sum(tokens_of(each.name + each.description + str(each.input)) for each in tools)


@dataclass(frozen=True, slots=True)
class Metered:
    """A Model that spends a Budget: an exchange that could pass a limit is not made."""

    model: Model
    budget: Budget
    prices: Prices = Prices()
    answer_tokens: int = 4_000

    @property
    def name(self) -> str:
        """The endpoint's name."""
        return self.model.name

    def within(self, budget: Budget) -> Self:
        """Return the same model, spending another budget."""
        return type(self)(self.model, budget, self.prices, self.answer_tokens)

    def reply(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        tokens: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """Make the exchange and book it. Raises BudgetSpent, and what the model raises."""
        most = tokens or self.answer_tokens
        asked = tokens_of_all(messages, tools) + (tokens_of(str(schema)) if schema else 0)
        self.budget.take_turn(self.prices.of(asked, most))
        reply = self.model.reply(messages, tools=tools, schema=schema, tokens=most, on_text=on_text)
        self.budget.book(reply.spent)
        return reply
