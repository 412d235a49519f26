"""One run as CSV, written so that a spreadsheet takes nothing for a formula, and read back strictly. Pure."""

import csv
import io
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from incidents import sheets
from investigations.states import RunResult
from investigations.talk import Spent
from trials.drills.answers import Answer

_DIGESTS = ("golden digest", "contract digest", "prompt digest", "rules digest")
COLUMNS = (
    "id", "expected", "got", "agrees", "status", "fenced", "needs_human", "reasons",
    "findings found", "findings needed", "seconds", "tokens", "cost", "model", "prompt digest",
    "contract digest", "rules digest", "golden digest", "endpoint", "fingerprint", "time",
    "tokens in", "override", "frozen", "hard",
)  # fmt: skip
_MICROS = 1_000_000
_FLAGS = {"yes": True, "no": False}


class SheetUnreadable(ValueError):
    """A CSV is no run of a drill; the message says which line, and what to do."""


@dataclass(frozen=True, slots=True)
class Digests:
    """What was asked, and by what it was held. Two runs are compared only where all are equal."""

    golden: str
    contract: str
    prompt: str
    rules: str

    def differing(self, other: "Digests") -> list[str]:
        """Return the names of those that differ."""
        names = ("golden", "contract", "prompt", "rules")
        return [name for name in names if getattr(self, name) != getattr(other, name)]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole run: its endpoint, its digests, its rows in the order of the golden set."""

    endpoint: str
    model: str
    digests: Digests
    answers: tuple[Answer, ...]


def text_of(sheet: Sheet) -> str:
    """Return a run as CSV (RFC 4180), its head first."""
    return sheets.csv_text(COLUMNS, [_row(sheet, answer) for answer in sheet.answers])


def line_of(sheet: Sheet, answer: Answer) -> str:
    """Return one row as a line of CSV."""
    return sheets.csv_rows([_row(sheet, answer)])


def _row(sheet: Sheet, answer: Answer) -> list[object]:
    spent, digests = answer.spent, sheet.digests
    return [
        answer.row_id, answer.expected, answer.got, _word(answer.agrees), answer.status.value,
        _word(answer.is_fenced), _word(answer.needs_human), " ".join(answer.reasons), answer.found,
        answer.needed, f"{spent.seconds:.3f}", spent.tokens_in + spent.tokens_out,
        f"{spent.micros / _MICROS:.6f}", answer.model or sheet.model, digests.prompt, digests.contract,
        digests.rules, digests.golden, sheet.endpoint, answer.fingerprint, answer.time, spent.tokens_in,
        _word(answer.is_override), _word(answer.is_frozen), _word(answer.is_hard),
    ]  # fmt: skip


def _word(flag: bool) -> str:
    return "yes" if flag else "no"


def read(raw: bytes) -> Sheet:
    """Read what `text_of` wrote. Raises SheetUnreadable."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SheetUnreadable(
            f"Its byte {error.start + 1} is not UTF-8: take the CSV as it was written."
        ) from None
    lines = list(_lines(text))
    if not lines:
        raise SheetUnreadable("It holds no row: take the CSV of a run that was finished.")
    said = {tuple(line[name] for name in (*_DIGESTS, "endpoint")) for _, line in lines}
    if len(said) > 1:
        raise SheetUnreadable("Its rows are of several runs: they differ in a digest or in the endpoint.")
    answers = tuple(_answer(number, line) for number, line in lines)
    (row_id, _), count = Counter((each.row_id, each.time) for each in answers).most_common(1)[0]
    if count > 1:
        raise SheetUnreadable(f"The row {row_id[:80]!r} stands in it twice.")
    first = lines[0][1]
    digests = Digests(*(first[name] for name in _DIGESTS))
    return Sheet(first["endpoint"], first["model"], digests, answers)


def _lines(text: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        head = next(reader, [])
        if missing := [name for name in COLUMNS if name not in head]:
            raise SheetUnreadable(f"Its first line lacks the column {missing[0]!r}: it is no run of a drill.")
        for values in reader:
            if len(values) != len(head):
                raise SheetUnreadable(
                    f"Line {reader.line_num} has {len(values)} values for {len(head)} columns."
                )
            yield reader.line_num, dict(zip(head, map(sheets.bare, values), strict=True))
    except csv.Error as error:
        raise SheetUnreadable(f"Line {reader.line_num} cannot be read: {error}.") from None


def _answer(number: int, line: Mapping[str, str]) -> Answer:
    try:
        status = RunResult(line["status"])
        tokens_in = _whole(line["tokens in"])
        seconds, micros = _decimal(line["seconds"]), round(_decimal(line["cost"]) * _MICROS)
        answer = Answer(
            row_id=line["id"],
            expected=line["expected"],
            got=line["got"],
            status=status,
            needs_human=_FLAGS[line["needs_human"]],
            time=_whole(line["time"]),
            reasons=tuple(line["reasons"].split()),
            found=_whole(line["findings found"]),
            needed=_whole(line["findings needed"]),
            is_fenced=_FLAGS[line["fenced"]],
            spent=Spent(tokens_in, _whole(line["tokens"]) - tokens_in, micros, seconds),
            model=line["model"],
            fingerprint=line["fingerprint"],
            is_override=_FLAGS[line["override"]],
            is_frozen=_FLAGS[line["frozen"]],
            is_hard=_FLAGS[line["hard"]],
        )
        is_told_right = _FLAGS[line["agrees"]] is answer.agrees
    except (KeyError, ValueError) as error:
        raise SheetUnreadable(
            f"Line {number} cannot be read: {str(error)[:80]} is no value of its column."
        ) from None
    if not is_told_right or bool(answer.got) is not answer.is_valid or not (answer.got or answer.needs_human):
        raise SheetUnreadable(f"Line {number} contradicts itself: it was changed after it was written.")
    return answer


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(text)
    return int(text)


def _decimal(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or value < 0:
        raise ValueError(text)
    return value
