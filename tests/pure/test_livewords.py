"""What goes on, in words; and of a submission that is being written, the draft as far as it has come."""

from typing import Any

import pytest

from incidents.livewords import line_of, words_so_far
from investigations.happenings import Happening


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("Plain \u202ewords\u200b.", "Plain words."),
        ('{"version": 1, "hypo', "…"),
        ('{"draft": "It timed out.\\nThen it', "It timed out.\nThen it"),
        ('{"draft": "a \\"quoted\\" word", "findings": []}', 'a "quoted" word'),
        ('{"draft": "cut in an escape \\', "cut in an escape "),
        ('{"draft": "cut in an escape \\u00', "cut in an escape "),
        ('```json\n{"draft": "fenced', "fenced"),
        ('{"draft": "\\ud83d', "\ufffd"),
        ('{"draft": "\\x', "…"),
    ],
)
def test_of_a_submission_the_draft_is_shown_as_far_as_it_has_come(text: str, words: str) -> None:
    assert words_so_far(text) == words


def test_a_happening_that_nobody_has_words_for_is_told_by_its_name() -> None:
    assert line_of("something_new", {"reason": "just so"}).words == "Something new. just so"
    assert line_of("asked", {}).words == "Asks “a tool”."
    assert line_of("replied", {"calls": "many"}).words == "The model has answered."
    assert line_of("answered", {"tool": "find_job", "entry": -1}).entry is None


def test_a_happenings_words_are_short_and_hide_nothing() -> None:
    line = line_of("playbook_took_over", {"reason": "x\u202ey" * 400})
    assert len(line.words) <= 400
    assert "\u202e" not in line.words


@pytest.mark.parametrize(
    ("kind", "payload", "words"),
    [
        ("critic_ended", {}, "The critic found nothing."),
        (
            "critic_ended",
            {"objections": 1, "refutations": 1, "note": "So it is."},
            "The critic made 2 points. So it is.",
        ),
        (
            "rubric_evaluation_end",
            {"result": "needs_revision", "gaps": 1},
            "The draft was graded: needs revision, 1 gap.",
        ),
        ("rubric_evaluation_end", {}, "The draft was graded: without a result."),
        ("checked_citations", {"verified": 0}, "The draft names no id."),
        (
            "checked_citations",
            {"verified": 2, "missing": 1, "unchecked": 0},
            "Of the ids in the draft 2 exist, 1 does not, 0 could not be looked up.",
        ),
        ("topping_up", {"facts": ["job_completed"]}, "It was told what nobody has asked yet: job completed."),
        ("topping_up", {"facts": "x"}, "It was told which facts are still missing."),
    ],
)
def test_what_the_guards_came_to_is_said_in_numbers(kind: str, payload: dict[str, Any], words: str) -> None:
    assert line_of(kind, payload).words == words


@pytest.mark.parametrize("kind", sorted(set(Happening) - {Happening.BEGAN, Happening.ENDED}))
def test_every_happening_has_words_of_its_own(kind: Happening) -> None:
    name = kind.value.replace("_", " ").capitalize()
    assert line_of(kind, {}).words != f"{name}."
