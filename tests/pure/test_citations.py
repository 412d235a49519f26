"""The ids of a draft: verified, missing or unchecked, each looked up once."""

from dataclasses import replace
from typing import Any

import pytest

from assay_core.results import Status
from investigations.citations import Checked, check
from investigations.citations.patterns import find
from investigations.states import CitationState
from tests.pure.guarded import (
    INVENTED,
    OTHER,
    REAL,
    SHAPES,
    TRACES,
    Backend,
    entry,
    ground,
    order_pattern,
)

VERIFIED, MISSING, UNCHECKED = CitationState.VERIFIED, CitationState.MISSING, CitationState.UNCHECKED


def states(checked: Checked) -> dict[str, CitationState]:
    return {each.value: each.state for each in checked.citations}


def test_an_invented_trace_is_struck_through_with_a_note_and_never_linked() -> None:
    checked = check(f"See {REAL} and {INVENTED}.", ground(), Backend(REAL))
    assert checked.text == f"See {REAL} and ~~{INVENTED}~~ [not found]."
    assert states(checked) == {REAL: VERIFIED, INVENTED: MISSING}
    assert [each.link for each in checked.citations] == [f"https://traces.example/{REAL}", ""]


@pytest.mark.parametrize("status", [Status.ERROR, Status.UNAVAILABLE, Status.REFUSED, Status.UNANSWERABLE])
def test_a_backend_that_gives_no_answer_leaves_an_id_unchecked_and_unlinked(status: Status) -> None:
    checked = check(f"See {REAL}.", ground(), Backend(REAL, fails=status))
    assert checked.text == f"See {REAL}."
    assert [(each.state, each.link) for each in checked.citations] == [(UNCHECKED, "")]
    assert f"{status}): 503" in checked.citations[0].reason


def test_each_distinct_id_is_looked_up_once_however_it_is_written() -> None:
    backend = Backend(REAL)
    check(f"{REAL}, {REAL.upper()}, trace={REAL}; {INVENTED} {INVENTED}", ground(), backend)
    assert [asked["trace_id"] for _, asked in backend.asked] == [REAL, INVENTED]


def test_what_a_look_up_said_is_not_asked_again_when_the_draft_is_checked_again() -> None:
    backend = Backend(REAL)
    first = check(f"{REAL} {INVENTED}", ground(), backend)
    recorded = [
        entry(901, {"trace": {"trace_id": REAL}}, arguments=backend.asked[0][1]),
        entry(902, {"trace": None}, status=Status.EMPTY, arguments=backend.asked[1][1]),
    ]
    again = check(f"{REAL} {INVENTED}", ground(*recorded), None)
    assert states(again) == states(first) == {REAL: VERIFIED, INVENTED: MISSING}
    assert again.text == first.text


def test_an_id_in_the_runs_answers_is_not_looked_up() -> None:
    backend = Backend()
    checked = check(f"See {REAL}.", ground(entry(5, {"lines": [f"failed trace_id={REAL}"]})), backend)
    assert backend.asked == []
    assert (checked.citations[0].state, checked.citations[0].entry) == (VERIFIED, 5)


@pytest.mark.parametrize(
    "held",
    [
        entry(5, None, status=Status.EMPTY, arguments={"trace_id": INVENTED}),
        entry(5, {"spans": []}, arguments={"trace_id": INVENTED}),
        entry(5, {"trace": INVENTED}, status=Status.ERROR),
    ],
)
def test_an_id_that_was_only_asked_for_is_not_known_by_that(held: Any) -> None:
    assert states(check(INVENTED, ground(held), Backend())) == {INVENTED: MISSING}


def test_an_answer_that_does_not_name_the_id_verifies_nothing() -> None:
    def answers_with_another(tool: str, arguments: Any) -> Any:
        return entry(9, {"trace": {"trace_id": OTHER}}, tool=tool, arguments=arguments)

    assert states(check(REAL, ground(), answers_with_another)) == {REAL: UNCHECKED}


@pytest.mark.parametrize(
    ("patterns", "expected"), [((TRACES,), MISSING), ((order_pattern(),), UNCHECKED)], ids=["trace", "order"]
)
def test_a_bare_not_found_is_believed_of_traces_alone(patterns: Any, expected: CitationState) -> None:
    def not_there(tool: str, arguments: Any) -> Any:
        return entry(9, {"it": None}, status=Status.UNANSWERABLE, tool=tool, arguments=arguments)

    checked = check(f"{REAL} A-1001", ground(patterns=patterns), not_there)
    assert [each.state for each in checked.citations] == [expected]


def test_a_spent_budget_leaves_the_rest_unchecked() -> None:
    checked = check(f"{REAL} {INVENTED}", ground(), Backend(REAL, left=1))
    assert states(checked) == {REAL: VERIFIED, INVENTED: UNCHECKED}
    assert "limit of 2 tool calls" in checked.citations[1].reason


def test_a_backend_that_is_down_is_not_waited_for_again_and_again() -> None:
    backend = Backend(fails=Status.UNAVAILABLE)
    checked = check(" ".join(f"{number:032x}" for number in range(1, 9)), ground(), backend)
    assert len(backend.asked) == 3
    assert len(checked.of(UNCHECKED)) == 8
    assert "no answer 3 times in a row" in checked.citations[-1].reason


def test_a_draft_full_of_ids_asks_a_bounded_number_of_times() -> None:
    backend = Backend()
    checked = check(" ".join(f"{number:032x}" for number in range(1, 200)), ground(), backend)
    assert len(backend.asked) == 20
    assert len(checked.of(UNCHECKED)) == 179


def test_without_a_backend_an_id_is_unchecked_not_missing() -> None:
    assert states(check(REAL, ground(shapes={}), Backend(REAL))) == {REAL: UNCHECKED}
    assert states(check(REAL, ground(), None)) == {REAL: UNCHECKED}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (f"a{REAL}", []),
        (f"{REAL}0", []),
        (f"_{REAL}", []),
        (REAL[:23], []),
        (REAL[:24], [REAL[:24].rjust(32, "0")]),
        (f"00-{REAL}-00f067aa0ba902b7-01", [REAL]),
        (f"`{REAL.upper()}`", [REAL]),
        ("a" * 40, []),
    ],
)
def test_a_trace_is_24_to_32_hex_digits_at_word_boundaries(text: str, values: list[str]) -> None:
    assert [each.value for each in find(text, (TRACES,))] == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("[entry 12]", ["12"]),
        ("Entry 12 says so, entries 13, 14 and 15 too", ["12", "13", "14", "15"]),
        ("entry #7 and [entry 012]", ["7", "12"]),
        ("reentry 12, entrypoint 3, 12 entries", []),
    ],
)
def test_entries_are_found_however_they_are_cited(text: str, values: list[str]) -> None:
    assert [each.value for each in find(text, ())] == values


def test_an_entry_of_another_run_is_struck_through() -> None:
    checked = check("It holds [entry 5], and so does [entry 99].", ground(entry(5, {})), None)
    assert checked.text == "It holds [entry 5], and so does ~~entry 99~~ [not found]."


@pytest.mark.parametrize(
    "status", [Status.UNAVAILABLE, Status.ERROR, Status.REFUSED, Status.UNANSWERABLE], ids=str
)
def test_an_entry_that_gave_no_answer_shows_nothing_and_code_alone_may_cite_it_for_that(
    status: Status,
) -> None:
    on = ground(entry(5, None, status=status))
    for has_figures, state in ((True, UNCHECKED), (False, VERIFIED)):
        cited = check("[entry 5]", replace(on, has_figures=has_figures), None).citations[0]
        assert (cited.state, cited.reason) == (state, f"It gave no answer ({status}).")


@pytest.mark.parametrize("status", [Status.OBSERVED, Status.EMPTY, Status.TRUNCATED], ids=str)
def test_an_entry_that_answered_is_verified(status: Status) -> None:
    assert check("[entry 5]", ground(entry(5, {}, status=status)), None).citations[0].state is VERIFIED


def test_what_nobody_can_see_hides_no_id() -> None:
    hidden = INVENTED[:8] + "\u200b" + INVENTED[8:20] + "\U000e0041" + INVENTED[20:]
    assert check(hidden, ground(), Backend()).text == f"~~{INVENTED}~~ [not found]"


def test_an_id_in_letters_that_look_alike_is_looked_up_as_what_it_reads() -> None:
    wide = INVENTED.translate(
        str.maketrans(
            "0123456789abcdef", "\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19abcdef"
        )
    )
    other = INVENTED.replace("a", "\u0430").replace("c", "\u0441").replace("e", "\u0435")
    for draft in (f"See {wide}.", f"See {other}."):
        assert check(draft, ground(), Backend(REAL)).text == f"See ~~{INVENTED}~~ [not found]."
    for draft in (
        "[entry \uff17\uff17]",
        "[\u0435ntry 77]",
        "entr\u0443\u00a077",
        "\U0001d41e\U0001d427\U0001d42d\U0001d42b\U0001d432 77",
    ):
        assert states(check(f"See {draft}.", ground(), None)) == {"77": MISSING}, draft
    assert check("Это entry на русском: а е с 漢字、。", ground(), None).written.startswith("Это")


def test_a_declared_kind_is_looked_up_by_its_tool_in_its_one_form() -> None:
    asked: list[Any] = []

    def orders(tool: str, arguments: Any) -> Any:
        asked.append((tool, arguments))
        return entry(9, {"order": {"id": "A-1001"}}, tool=tool, arguments=arguments)

    checked = check("Order A-1001.", ground(patterns=(order_pattern(), TRACES), shapes=SHAPES), orders)
    assert asked == [("find_order", {"order_id": "A-1001"})]
    assert states(checked) == {"A-1001": VERIFIED}


def test_a_hostile_draft_takes_no_time() -> None:
    for text in (
        "entry" + " " * 20_000,
        "entries 1" + " and" * 5_000,
        "9" * 20_000,
        "1," * 10_000,
        "a" * 20_000,
    ):
        check(text, ground(), None)
