"""What a run may spend."""

import dataclasses

import pytest

from investigations.budget import Budget, Limits, Metered, Prices, tokens_of
from investigations.outcomes import BudgetSpent
from investigations.talk import Finish, Message, Reply, Role, Spent

FREE = Prices()
LIMITS = Limits(turns=5, calls=3, tokens=10_000, micros=50_000, seconds=60.0)


class Counting:
    """A model that counts how often it is asked."""

    name = "default"

    def __init__(self, spent: Spent) -> None:
        self.asked = 0
        self._spent = spent

    def reply(self, messages: object, **_: object) -> Reply:
        self.asked += 1
        return Reply("ok", (), Finish.STOP, spent=self._spent)


def metered(spent: Spent, *, limits: Limits = LIMITS, prices: Prices = FREE) -> tuple[Counting, Metered]:
    model = Counting(spent)
    return model, Metered(model, Budget(limits), prices, answer_tokens=100)


def ask_until_spent(model: Metered) -> str:
    try:
        for _ in range(1_000):
            model.reply([Message(Role.USER, "x" * 100)])
    except BudgetSpent as spent:
        return str(spent)
    return ""


def test_the_turn_past_the_limit_is_not_made() -> None:
    counting, model = metered(Spent(1, 1))
    assert "AGENT_MAX_TURNS" in ask_until_spent(model)
    assert counting.asked == 5


def test_an_exchange_that_could_pass_the_limit_of_tokens_is_not_made() -> None:
    counting, model = metered(Spent(4_000, 1_000), limits=dataclasses.replace(LIMITS, turns=99))
    assert "AGENT_MAX_TOKENS" in ask_until_spent(model)
    assert counting.asked == 2
    assert model.budget.spent.tokens_in + model.budget.spent.tokens_out <= LIMITS.tokens


def test_an_exchange_that_could_pass_the_limit_of_money_is_not_made() -> None:
    prices = Prices(micros_in=3_000_000, micros_out=200_000_000)  # 100 tokens of answer: 20,000
    counting, model = metered(Spent(40, 100, 20_120), prices=prices)
    assert "AGENT_MAX_COST" in ask_until_spent(model)
    assert counting.asked == 2
    assert model.budget.spent.micros <= LIMITS.micros


def test_nothing_is_asked_when_the_time_is_over() -> None:
    moments = iter([0.0, 61.0, 61.0, 61.0])
    budget = Budget(LIMITS, clock=lambda: next(moments))
    with pytest.raises(BudgetSpent, match="AGENT_MAX_SECONDS"):
        budget.take_call()


def test_what_is_set_aside_is_missing_from_the_rest_and_the_purse_is_one() -> None:
    budget = Budget(LIMITS)
    reserve = budget.set_aside(turns=2, calls=2)
    assert (budget.turns_left, budget.calls_left) == (3, 1)
    assert (reserve.turns_left, reserve.calls_left) == (2, 2)
    reserve.book(Spent(9_000, 900))
    with pytest.raises(BudgetSpent, match="AGENT_MAX_TOKENS"):
        budget.take_turn(Spent(200, 0))


def test_a_budget_only_shrinks() -> None:
    budget = Budget(LIMITS)
    budget.shrink_to(turns=99, calls=99)
    assert (budget.turns_left, budget.calls_left) == (5, 3)
    budget.shrink_to(turns=-1, calls=1)
    assert (budget.turns_left, budget.calls_left) == (0, 1)
    assert budget.set_aside(turns=4, calls=4).calls_left == 1


def test_a_refused_call_takes_nothing() -> None:
    budget = Budget(dataclasses.replace(LIMITS, calls=1))
    budget.take_call()
    for _ in range(3):
        with pytest.raises(BudgetSpent, match="AGENT_MAX_CALLS"):
            budget.take_call()
    assert budget.calls_left == 0


def test_prices_round_up_and_text_is_never_counted_as_nothing() -> None:
    assert Prices(micros_in=1).of(1, 0).micros == 1
    assert tokens_of("") == 1
    assert tokens_of("漢字") >= 2
