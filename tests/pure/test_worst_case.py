"""The most that one run of a model can come to."""

from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command

from investigations import agentlimits, modelrun, quirks
from investigations.budget import Budget, Limits, Metered, Prices
from investigations.guarding import Purses
from investigations.named import Endpoint
from investigations.outcomes import BudgetSpent
from investigations.talk import Finish, Message, Reply, Role, Spent
from investigations.worstcase import Share, Worst, before_of, worst_of

LIMITS = Limits(turns=10, calls=20, tokens=1_000_000, micros=5_000_000, seconds=60.0)


def place(*, prices: Prices, name: str = "default", context: int = 10_000) -> Endpoint:
    generic = quirks.named("generic")
    return Endpoint(
        name, "http://localhost/v1", "m", generic, prices=prices, context=context, max_tokens=1_000
    )


def worst(limits: Limits = LIMITS, **places: Endpoint) -> Worst:
    return worst_of(limits, places, [Share("all", 10, 20)], code_calls=60)


def test_the_dearest_endpoint_counts_for_every_turn() -> None:
    cheap, dear = Prices(1_000_000, 2_000_000), Prices(10_000_000, 20_000_000)
    found = worst(investigator=place(prices=cheap), critic=place(prices=dear, name="critic"))
    assert found.cost == Decimal("1.1")  # ten turns of 9,000 tokens in and 1,000 out
    assert (found.bounds, found.tokens, found.requests) == ("AGENT_MAX_TURNS", 100_000, 40)


def test_the_limit_of_money_bounds_what_turns_would_allow() -> None:
    found = worst(investigator=place(prices=Prices(100_000_000, 100_000_000)))
    assert (found.cost, found.bounds) == (Decimal(5), "AGENT_MAX_COST")


def test_the_limit_of_tokens_bounds_both() -> None:
    tight = Limits(turns=10, calls=20, tokens=5_000, micros=5_000_000, seconds=60.0)
    found = worst(tight, investigator=place(prices=Prices(100_000_000, 100_000_000)))
    assert (found.cost, found.bounds, found.tokens) == (Decimal("0.5"), "AGENT_MAX_TOKENS", 5_000)


def test_an_issue_s_classification_is_bounded_as_a_run_is() -> None:
    dear = place(prices=Prices(100_000_000, 100_000_000))
    assert before_of(LIMITS, dear, turns=2).cost == Decimal(2)  # two of 10,000 tokens
    assert before_of(LIMITS, dear, turns=2).requests == 8
    tight = Limits(turns=1, calls=20, tokens=5_000, micros=400_000, seconds=60.0)
    found = before_of(tight, dear, turns=2)
    assert (found.turns, found.tokens, found.cost) == (1, 5_000, Decimal("0.4"))


def test_without_a_price_it_says_so_and_without_an_endpoint_there_is_nothing_to_pay() -> None:
    assert worst(investigator=place(prices=Prices())).unpriced == ("investigator",)
    assert worst().cost == 0


@pytest.mark.parametrize("micros", [100_000, 1_000_000, 50_000_000])
def test_no_run_costs_more_than_its_worst_case(micros: int) -> None:
    """A model that always uses all that it is given, until nothing more may be asked."""
    prices = Prices(micros, 3 * micros)
    endpoint = place(prices=prices)

    class Greedy:
        name = "default"

        def reply(self, *_: object, **__: object) -> Reply:
            spent = prices.of(endpoint.context - endpoint.max_tokens, endpoint.max_tokens)
            return Reply("x", (), Finish.STOP, spent=spent)

    model = Metered(Greedy(), Budget(LIMITS), prices, answer_tokens=endpoint.max_tokens)
    said = [Message(Role.USER, "x" * int((endpoint.context - endpoint.max_tokens - 10) * 2.5))]
    with pytest.raises(BudgetSpent):
        _ask_for_ever(model, said)
    assert 0 < model.budget.spent.micros <= worst(investigator=endpoint).cost * 1_000_000
    assert isinstance(model.budget.spent, Spent)


def _ask_for_ever(model: Metered, said: list[Message]) -> None:
    while True:
        model.reply(said)


def test_the_command_prints_each_part_and_what_bounds_the_money(
    settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {**settings.MODEL_ENDPOINTS["default"], "base_url": "http://localhost:1/v1", "model": "m"}
    given |= {"price_in": Decimal(1), "price_out": Decimal(2)}
    settings.MODEL_ENDPOINTS = {**settings.MODEL_ENDPOINTS, "default": given}
    settings.AGENT_MAX_TURNS, settings.AGENT_MAX_COST = 12, Decimal("0.5")
    call_command("agentlimits")
    said = capsys.readouterr().out
    assert "12 turns" in said
    assert "the critic: 2 turns" in said
    assert "0.44" in said
    assert "AGENT_MAX_TURNS" in said
    assert "classified first, on top of that: 2 turns, 8 requests, 65536 tokens, 0.073728" in said


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5, 7, 12, 36, 100, 10**9])
@pytest.mark.parametrize("calls", [1, 2, 3, 4, 60, 10**9])
def test_guards_never_take_what_a_run_needs_to_ask_once_and_hand_in(
    settings: Any, most: int, calls: int
) -> None:
    settings.RUBRIC_ITERATIONS = 20
    limits = Limits(turns=most, calls=calls, tokens=1, micros=1, seconds=1.0)
    budget = Budget(limits)
    purses = Purses.set_aside(budget, limits, has_critic=True, has_rubric=True)
    parts = (budget, purses.critic, purses.rubric, purses.mending)
    assert budget.turns_left >= max(min(most, 2), most // 3)
    assert budget.calls_left >= max(1, calls // 4)
    assert sum(part.turns_left for part in parts) == most
    assert sum(part.calls_left for part in parts) == calls
    assert most < 4 or purses.critic.turns_left >= 1


@pytest.mark.parametrize(
    ("name", "value", "least"),
    [("TURNS", 1, "2"), ("TOKENS", 1_000, "12096"), ("COST", Decimal(0), "0.016192")],
)
def test_a_limit_under_which_nothing_can_be_done_names_the_smallest_that_would_do(
    settings: Any, name: str, value: Any, least: str
) -> None:
    given = {**settings.MODEL_ENDPOINTS["default"], "base_url": "http://localhost:1/v1", "model": "m"}
    given |= {"price_in": Decimal(1), "price_out": Decimal(2)}
    settings.MODEL_ENDPOINTS = {**settings.MODEL_ENDPOINTS, "default": given}
    assert agentlimits.limits_leave_a_run() == []
    setattr(settings, f"AGENT_MAX_{name}", value)
    (warning,) = agentlimits.limits_leave_a_run()
    assert f"AGENT_MAX_{name}={value}" in warning.msg
    assert f"Set it to {least} or more" in str(warning.hint)
    setattr(settings, f"AGENT_MAX_{name}", Decimal(least) if name == "COST" else int(least))
    assert agentlimits.limits_leave_a_run() == []


def test_limits_without_bounds_are_limits_still(settings: Any) -> None:
    settings.AGENT_MAX_SECONDS, settings.AGENT_MAX_COST = 10**400, Decimal("1E+400")
    settings.AGENT_MAX_TURNS = settings.AGENT_MAX_CALLS = settings.AGENT_MAX_TOKENS = 10**400
    assert Budget(modelrun.limits()).seconds_left > 10**8
    call_command("agentlimits")
