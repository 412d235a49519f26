"""An evaluation's money: booked at each exchange, and kept under its cap by whoever runs a part of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Protocol

from django.db.models import F, Value
from django.db.models.functions import Greatest

from investigations.budget import tokens_of, tokens_of_all
from investigations.named import Endpoint
from investigations.talk import Message, Model, Reply, Spent, ToolOffer
from trials.models import Evaluation


class CapReached(Exception):
    """The next exchange could pass the spending cap; the message says where it stands."""


class CapUnusable(ValueError):
    """A spending cap can't be kept; the message says why and what to do."""


class Spender(Protocol):
    """What pays for exchanges: it reserves the most that one may cost, and books what it did."""

    @property
    def cap(self) -> int | None:
        """The most that may be spent, in millionths."""

    def take(self, worst: int) -> None:
        """Reserve. Raises CapReached."""

    def book(self, worst: int, micros: int) -> None:
        """Book what an exchange cost in the place of what was reserved for it."""


def cap_of(text: str | None, place: Endpoint) -> int | None:
    """Return a cap as a person wrote it, in millionths. Raises CapUnusable for one that can't be kept."""
    if text is None:
        return None
    try:
        money = Decimal(text)
    except InvalidOperation:
        money = Decimal(-1)
    if not money.is_finite() or not 0 <= money < 10**9:
        raise CapUnusable(f"{text!r} is no amount of money. Write one such as --cap 2.50.")
    if not place.prices.micros_in and not place.prices.micros_out:
        raise CapUnusable(
            f"The model endpoint {place.name} has no prices, so that no cap can be kept: set LLM_PRICE_IN "
            "and LLM_PRICE_OUT for it, or leave --cap out."
        )
    return int(money * 1_000_000)


@dataclass(slots=True)
class Tally:
    """What one run has said and spent, whoever it was that spoke for it."""

    exchanges: int = 0
    spent: Spent = field(default_factory=Spent)
    model: str = ""
    fingerprint: str = ""

    def note(self, reply: Reply) -> None:
        """Count one reply."""
        self.exchanges += 1
        self.spent = self.spent + reply.spent
        self.model, self.fingerprint = reply.model or self.model, reply.fingerprint or self.fingerprint


@dataclass(frozen=True, slots=True)
class Purse:
    """The purse of one evaluation, shared by all that run it, in however many processes."""

    evaluation: int
    cap: int | None

    def take(self, worst: int) -> None:
        """Reserve the most that an exchange may cost. Raises CapReached."""
        if self.cap is None or not worst:
            return
        rows = Evaluation.objects.filter(
            pk=self.evaluation, spent_micros__lte=self.cap - worst - F("reserved_micros")
        )
        if not rows.update(reserved_micros=F("reserved_micros") + worst):
            raise CapReached("The next exchange could pass the spending cap.")

    def book(self, worst: int, micros: int) -> None:
        """Book what an exchange cost and give back what was reserved for it."""
        reserved = worst if self.cap is not None else 0
        if not (reserved or micros):
            return
        # Not below zero: whoever took the evaluation over has cleared what killed exchanges had reserved.
        Evaluation.objects.filter(pk=self.evaluation).update(
            spent_micros=F("spent_micros") + micros,
            reserved_micros=Greatest(F("reserved_micros") - reserved, Value(0)),
        )


@dataclass(frozen=True, slots=True)
class Paid:
    """A Model whose exchanges are paid from a purse and counted for one run."""

    model: Model
    place: Endpoint
    purse: Spender
    tally: Tally

    @property
    def name(self) -> str:
        """The endpoint's name."""
        return self.model.name

    def reply(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        tokens: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """Make the exchange. Raises CapReached before it, and what the model raises."""
        worst = 0
        if self.purse.cap is not None:
            asked = tokens_of_all(messages, tools) + (tokens_of(str(schema)) if schema else 0)
            worst = self.place.prices.of(asked, tokens or self.place.max_tokens).micros
        self.purse.take(worst)
        micros = 0
        try:
            reply = self.model.reply(messages, tools=tools, schema=schema, tokens=tokens, on_text=on_text)
            micros = reply.spent.micros
        finally:
            self.purse.book(worst, micros)
        self.tally.note(reply)
        return reply
