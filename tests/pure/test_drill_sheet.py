"""The CSV of a run: written, read back as it was, and refused where somebody changed it."""

import pytest

from investigations.states import RunResult
from investigations.talk import Spent
from trials.drills import sheet
from trials.drills.answers import Answer
from trials.drills.sheet import Digests, Sheet, SheetUnreadable

DIGESTS = Digests("g" * 64, "c" * 64, "p" * 64, "r" * 64)
ANSWERS = (
    Answer(
        "ours/tool#1", "bug", "bug", RunResult.FIRST_PASS, False,
        reasons=("version_missing", "asks_how_to"), found=1, needed=1, is_fenced=True,
        spent=Spent(120, 30, 1_250, 0.125), model="m-2026", fingerprint="fp_1", is_hard=True,
    ),
    Answer("=HYPERLINK(1)", "docs", "", RunResult.FALLBACK, True, reasons=("unparseable",), model="m-2026"),
    Answer("ours/tool#1", "bug", "docs", RunResult.REPAIRED, True, time=2, model="m-2026", is_override=True),
)  # fmt: skip
RUN = Sheet("default", "m-2026", DIGESTS, ANSWERS)
TEXT = sheet.text_of(RUN)


def test_a_run_is_read_back_as_it_was_written() -> None:
    assert sheet.read(TEXT.encode()) == RUN


def test_a_line_is_what_the_whole_has_and_an_id_is_no_formula() -> None:
    assert sheet.line_of(RUN, ANSWERS[0]) in TEXT
    assert "'=HYPERLINK" in TEXT
    assert "\n=HYPERLINK" not in TEXT


def test_the_columns_that_are_promised_are_there() -> None:
    head = TEXT.splitlines()[0].split(",")
    promised = ["id", "expected", "got", "agrees", "status", "fenced", "needs_human", "reasons", "seconds"]
    promised += ["findings found", "findings needed", "tokens", "cost", "model"]
    promised += ["prompt digest", "contract digest", "rules digest"]
    assert [name for name in promised if name not in head] == []


CHANGED = {
    "another label": (TEXT.replace(",bug,bug,yes,", ",bug,docs,yes,"), "Line 2 contradicts itself"),
    "a label for a fallback": (TEXT.replace("docs,,no,fallback", "docs,docs,yes,fallback"), "Line 3"),
    "a fallback without a person": (TEXT.replace("fallback,no,yes", "fallback,no,no"), "Line 3"),
    "a row twice": (TEXT + TEXT.splitlines(keepends=True)[1], "stands in it twice"),
    "another run's row": (TEXT.replace("g" * 64, "h" * 64, 1), "several runs"),
    "a column less": (TEXT.replace("rules digest", "rule digest"), "lacks the column 'rules digest'"),
    "a value less": (TEXT.rsplit(",", 1)[0] + "\r\n", "24 values for 25 columns"),
    "words for a number": (TEXT.replace(",0.125,", ",fast,"), "Line 2 cannot be read"),
    "NaN": (TEXT.replace(",0.125,", ",nan,"), "Line 2 cannot be read"),
    "an unknown status": (TEXT.replace("repaired", "mended"), "Line 4 cannot be read"),
    "the head alone": (TEXT.splitlines(keepends=True)[0], "no row"),
    "nothing": ("", "lacks the column"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_file_that_was_changed_is_refused_with_its_line(name: str) -> None:
    text, words = CHANGED[name]
    assert text != TEXT
    with pytest.raises(SheetUnreadable, match=words):
        sheet.read(text.encode())


def test_a_file_in_another_encoding_is_refused() -> None:
    with pytest.raises(SheetUnreadable, match="not UTF-8"):
        sheet.read(TEXT.replace("m-2026", "größe").encode("latin-1"))
