"""The figures of a draft: quoted from what it cites, or marked."""

import time
from typing import Any

import pytest

from assay_core.results import Status
from investigations.citations import check
from tests.pure.guarded import entry, ground, subject

ANSWER = {
    "rows": [{"state": "late", "share": 0.9237}, {"state": "paid", "share": 0.5}],
    "row_count": 2,
    "total_cents": 125_050,
    "duration_us": 20_000,
    "at": "2026-11-30T11:47:03Z",
    "amount": "9007199254740993",
    "line": "took 317 ms, status=503",
}
CITED = " [entry 5]"


def figures(text: str, answer: Any = ANSWER, **changed: Any) -> list[str]:
    checked = check(text + CITED, ground(entry(5, answer, **changed)), None)
    return list(checked.figures)


@pytest.mark.parametrize(
    "text",
    [
        "41 rows were lost",
        "1 row was lost",
        "it took 317.5 ms",
        "92.5 % of them",
        "EUR 1,250.51 was paid",
        "at 11:48",
        "on 29 Nov 2026",
        "since 2026-11-30T11:48",
        "-503 is the status",
        "21 ms",
        "12,345 of them",
    ],
)
def test_a_figure_that_stands_in_no_cited_entry_is_marked(text: str) -> None:
    assert len(figures(text)) == 1, text


@pytest.mark.parametrize(
    "text",
    [
        "2 rows",
        "status 503 after 317 ms",
        "92.37% of them",
        "92.4 % of them",
        "a share of 0.92",
        "EUR 1,250.50 was paid",
        "125050 cents",
        "20 ms",
        "at 11:47, on 30 Nov 2026",
        "at 11:47:03",
        "at 2026-11-30T11:47:03Z",
        "at 2026-11-30 11:47",
        "it began at 11:30",
        "9,007,199,254,740,993 bytes",
    ],
)
def test_a_figure_of_a_cited_entry_is_quoted_in_the_form_that_people_read(text: str) -> None:
    assert figures(text) == [], text


@pytest.mark.parametrize(
    "text",
    [
        "1. First\n2. Then\n37) Last",
        "payments-41 and eu-west-41 at v41.2.3 from 10.41.0.41, p95, job_41, #41, B41",
        "[entry 99] and entry 98",
    ],
)
def test_what_numbers_a_line_or_belongs_to_a_name_is_no_figure(text: str) -> None:
    assert figures(text) == []


def test_a_figure_of_an_entry_that_is_not_cited_is_marked() -> None:
    run = ground(entry(5, {"count": 1}), entry(6, {"count": 77}))
    assert check("There are 77 [entry 5].", run, None).figures == ("77",)
    assert check("There are 77 [entry 6].", run, None).figures == ()


def test_a_figure_of_an_entry_that_a_finding_cites_is_quoted() -> None:
    run = ground(entry(6, {"count": 77}), cited=frozenset({6}))
    assert check("There are 77.", run, None).figures == ()


def test_what_the_sender_wrote_may_be_quoted() -> None:
    run = ground(subject=subject(title="Disk 91% full", labels={"port": "9100"}))
    assert check("Disk 91% full at port 9100, not 92%.", run, None).figures == ("92",)


def test_a_marked_figure_is_explained_once() -> None:
    text = check("41 and 42, again 41." + CITED, ground(entry(5, {})), None).text
    assert text.startswith("41 [?] and 42 [?], again 41 [?]. [entry 5]")
    assert text.count("stands in no entry cited here") == 1


def test_the_length_of_a_list_that_was_cut_is_no_figure_of_it() -> None:
    assert figures("3 of them", {"rows": [{}, {}, {}]}) == []
    assert figures("3 of them", {"rows": [{}, {}, {}]}, status=Status.TRUNCATED) == ["3"]


def test_the_figures_of_a_draft_by_code_are_not_looked_at() -> None:
    assert check("41", ground(has_figures=False), None).figures == ()


def test_numbers_without_an_end_are_survived() -> None:
    begun = time.process_time()
    many = {"shares": [number / 7 for number in range(2_000)]}
    check(" ".join(f"{number}.{number}" for number in range(500)) + CITED, ground(entry(5, many)), None)
    check("9" * 20_000 + " 1e999 " + "1,234" * 4_000, ground(entry(5, {"n": "9" * 50_000})), None)
    assert time.process_time() - begun < 5
